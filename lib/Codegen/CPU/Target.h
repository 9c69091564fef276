// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The CPU that kernels are compiled for.
#ifndef MPC_LIB_CODEGEN_CPU_TARGET_H
#define MPC_LIB_CODEGEN_CPU_TARGET_H

#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace mpc::cpu {

/// A processor by the name that LLVM gives it, and how wide its vectors are.
struct CpuTarget {
  std::string name;     ///< "x86-64-v3", "x86-64-v4", "znver3", ...
  std::string features; ///< What differs from that name, as "+f16c,-avx512f".
  int64_t lanes = 8;    ///< f32 lanes: 8 for AVX2, 16 for AVX-512.
};

/// The target called "host", "x86-64-v3" or "x86-64-v4"; an error on any other
/// name.
llvm::Expected<CpuTarget> getCpuTarget(llvm::StringRef name);

/// Whether code for `target` runs on this machine; the error says what lacks.
llvm::Error checkRunsHere(const CpuTarget &target);

/// LLVM's code generator for `target`: position-independent code.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CpuTarget &target);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_TARGET_H
