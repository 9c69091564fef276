// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The CPU that kernels are compiled for.
#ifndef MPC_LIB_CODEGEN_CPU_PROCESSOR_H
#define MPC_LIB_CODEGEN_CPU_PROCESSOR_H

#include "lib/Codegen/CPU/CPUDialect.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace mpc::cpu {

/// A processor by its name in LLVM, the width of its vectors, and its units.
struct Processor {
  std::string name;      ///< "x86-64-v3", "x86-64-v4", "znver3", ...
  std::string features;  ///< Changes to that name's: "+f16c,-avx512f".
  int64_t lanes = 8;     ///< f32 lanes: 8 for AVX2, 16 for AVX-512.
  Unit bf16 = Unit::FMA; ///< What multiplies bf16.
};

/// The processor called "host", or that of a level (rt::cpuLevels); an error on
/// any other name.
llvm::Expected<Processor> getProcessor(llvm::StringRef name);

/// What any machine runs by scalar loops to compute the same as `processor`.
Processor getScalar(const Processor &processor);

/// Succeeds if code for `processor` runs on this machine; the error names the
/// missing features.
llvm::Error checkRunsHere(const Processor &processor);

/// LLVM's code generator for `processor`, for position-independent code.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const Processor &processor);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_PROCESSOR_H
