// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compiles LLVM IR of kernels to an object file.
#ifndef MPC_LIB_CODEGEN_CPU_OBJECTFILE_H
#define MPC_LIB_CODEGEN_CPU_OBJECTFILE_H

#include "lib/Codegen/CPU/Processor.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Module;
} // namespace llvm

namespace mpc::cpu {

/// Sets the triple and the data layout of `module`.
llvm::Error setTarget(llvm::Module &module, const Processor &processor);

/// Optimizes `module` and compiles it to an object: an ELF file that refers to
/// no outside symbol. Modules of different contexts may be compiled at the same
/// time.
llvm::Expected<llvm::SmallVector<char, 0>>
compileObject(llvm::Module &module, const Processor &processor);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_OBJECTFILE_H
