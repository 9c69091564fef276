// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the machine code of a GPU says of its kernels.
#ifndef MPC_RUNTIME_PROGRAM_CUBIN_H
#define MPC_RUNTIME_PROGRAM_CUBIN_H

#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace mpc::rt {

/// A kernel of a cubin. Instructions are those of its text, calls followed
/// into none, without NOPs.
struct CubinKernel {
  uint32_t registers = 0;   ///< Of a thread.
  uint64_t sharedBytes = 0; ///< Of a block, as the code declares it.
  /// Of a thread: arrays that no register holds, and spills.
  uint64_t localBytes = 0;
  uint64_t instructions = 0;
  uint64_t products = 0; ///< Of Tensor Cores (HMMA, IMMA, HGMMA).
  uint64_t globalAccesses = 0;
  uint64_t sharedAccesses = 0;
  uint64_t localAccesses = 0; ///< Of stack and spills.
};

/// The kernels of a cubin for sm_75 or later, by name. What is no such file,
/// or is damaged, is an error. Opcodes are not documented; MpcCUDASassTest
/// compares them with nvdisasm's.
Result<std::map<std::string, CubinKernel>>
readCubin(std::span<const std::byte> file);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_CUBIN_H
