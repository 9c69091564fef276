// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Emitted kernels to machine code: in memory, or as an object file's bytes.
#ifndef MPC_LIB_CODEGEN_CPU_JIT_H
#define MPC_LIB_CODEGEN_CPU_JIT_H

#include "lib/Codegen/CPU/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mpc::cpu {

/// The runtime's KernelFunction (runtime/Program/Program.h).
using KernelFunction = void (*)(void *const *buffers, int64_t begin,
                                int64_t end, void *scratch);

/// What a launch of a kernel must say.
struct CompiledKernel {
  KernelFunction function = nullptr; ///< Null in what compileObject returns.
  int64_t chunks = 1;
  uint64_t scratchBytes = 0; ///< Per worker.
};

struct CompiledKernels {
  llvm::StringMap<CompiledKernel> kernels; ///< By symbol.
  llvm::SmallVector<char, 0> object;       ///< The ELF object, to be saved.
  std::shared_ptr<void> code;              ///< Keeps the functions alive.
};

/// Compiles a module that kernel-to-cpu has emitted to an object. It refers to
/// no symbol outside of itself. Consumes the module's contents.
llvm::Expected<CompiledKernels> compileObject(mlir::ModuleOp module,
                                              const CpuTarget &target);

/// Loads the object of `compiled` into this process and fills in `function`
/// and `code`.
llvm::Error loadObject(CompiledKernels &compiled);

/// Both.
llvm::Expected<CompiledKernels> compileKernels(mlir::ModuleOp module,
                                               const CpuTarget &target);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_JIT_H
