// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Facts about the kernels in a GPU's machine code.
#ifndef MPC_RUNTIME_PROGRAM_CUBIN_H
#define MPC_RUNTIME_PROGRAM_CUBIN_H

#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace mpc::rt {

/// A kernel of a cubin. The instructions are those of its own text, without
/// called functions and without NOPs.
struct CubinKernel {
  uint32_t registers = 0; ///< The registers of a thread.
  /// The shared memory of a block that the code declares.
  uint64_t sharedBytes = 0;
  /// The local memory of a thread: arrays that are not in registers, and
  /// spills.
  uint64_t localBytes = 0;
  uint64_t instructions = 0;
  /// The instructions of Tensor Cores (HMMA, IMMA, HGMMA).
  uint64_t products = 0;
  uint64_t globalAccesses = 0;
  uint64_t sharedAccesses = 0;
  uint64_t localAccesses = 0; ///< The accesses to stack and spills.
};

/// The kernels of a cubin for sm_75 or later, by name. A file that is none, or
/// that is damaged, is an error. Opcodes are not documented; MpcCUDASassTest
/// compares them with nvdisasm's.
Result<std::map<std::string, CubinKernel>>
readCubin(std::span<const std::byte> file);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_CUBIN_H
