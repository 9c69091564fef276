// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compiles emitted kernels to machine code: an image, loaded or not.
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

/// The facts about a kernel that a launch states.
struct CompiledKernel {
  /// The function; null in the result of compileImage.
  KernelFunction function = nullptr;
  uint64_t offset = 0; ///< The offset in the image.
  int64_t chunks = 1;
  uint64_t scratchBytes = 0; ///< Scratch memory of each worker.
  int64_t tile = 1; ///< Neighbouring chunks that share work: rt::Chunks.
};

struct CompiledKernels {
  llvm::StringMap<CompiledKernel> kernels; ///< The kernels by symbol.
  /// The code, which runs wherever it is loaded: see rt::CodeImage.
  std::vector<std::byte> image;
  /// The loaded code, which keeps the functions alive.
  std::shared_ptr<rt::LoadedCode> code;
  /// Wall time up to LLVM IR, and from there to the image. Time in which LLVM
  /// compiled the first kernels while later ones were still lowered counts as
  /// lowering.
  double loweringSeconds = 0, llvmSeconds = 0;
};

/// Compiles the module after kernel-emit. The image refers to no outside
/// symbol. Consumes the module's contents.
llvm::Expected<CompiledKernels> compileImage(mlir::ModuleOp module,
                                             const Processor &processor);

/// The LLVM IR of such a module as text, as one module; only compiling cuts it
/// into parts. Consumes the module's contents.
llvm::Expected<std::string> printLLVM(mlir::ModuleOp module,
                                      const Processor &processor);

/// Compiles for this machine and loads the code, so that the functions can be
/// called.
llvm::Expected<CompiledKernels> compileKernels(mlir::ModuleOp module,
                                               const Processor &processor);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_JIT_H
