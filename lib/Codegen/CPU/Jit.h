// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Emitted kernels to machine code: an image, loaded or not.
#ifndef MPC_LIB_CODEGEN_CPU_JIT_H
#define MPC_LIB_CODEGEN_CPU_JIT_H

#include "lib/Codegen/CPU/Processor.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/Device/CPU/LoadedCode.h"
#include "llvm/ADT/StringMap.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace mpc::cpu {

/// The runtime's KernelFunction (runtime/Program/Program.h).
using KernelFunction = void (*)(void *const *buffers, int64_t begin,
                                int64_t end, void *scratch);

/// What a launch of a kernel must say.
struct CompiledKernel {
  KernelFunction function = nullptr; ///< Null in what compileImage returns.
  uint64_t offset = 0;               ///< In the image.
  int64_t chunks = 1;
  uint64_t scratchBytes = 0; ///< Per worker.
};

struct CompiledKernels {
  llvm::StringMap<CompiledKernel> kernels; ///< By symbol.
  /// Runs wherever it is loaded: see rt::CodeImage.
  std::vector<std::byte> image;
  std::shared_ptr<rt::LoadedCode> code; ///< Keeps the functions alive.
  /// Wall time to LLVM IR, and from there to the image, as far as LLVM has not
  /// worked on the first kernels before the last were lowered.
  double loweringSeconds = 0, llvmSeconds = 0;
};

/// Compiles a module that kernel-emit has emitted. The image refers to no
/// symbol outside of itself. Consumes the module's contents.
llvm::Expected<CompiledKernels> compileImage(mlir::ModuleOp module,
                                             const Processor &processor);

/// The LLVM IR of such a module as text: one module, which is cut into parts
/// only to be compiled. Consumes the module's contents.
llvm::Expected<std::string> printLLVM(mlir::ModuleOp module,
                                      const Processor &processor);

/// The same for this machine, loaded, so that the functions can be called.
llvm::Expected<CompiledKernels> compileKernels(mlir::ModuleOp module,
                                               const Processor &processor);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_JIT_H
