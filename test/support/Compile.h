// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How tests compile a module and get a runner of its entries.
#ifndef MPC_TEST_SUPPORT_COMPILE_H
#define MPC_TEST_SUPPORT_COMPILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Support/Status.h"

#include <memory>

namespace mpc::test {

/// A context of one thread with all dialects loaded.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// How kernels are made.
struct KernelForm {
  bool fuse = true;
  bool naive = false; ///< Every kernel by scalar loops.
};

/// Runs on `module` the passes that `addPasses` adds, then those that make code
/// for the host of what they leave. Consumes the module's contents. The runner
/// has one thread.
rt::Result<std::unique_ptr<rt::Runner>>
compileEntries(mlir::ModuleOp module,
               llvm::function_ref<void(mlir::OpPassManager &)> addPasses,
               KernelForm form = {});

} // namespace mpc::test

#endif // MPC_TEST_SUPPORT_COMPILE_H
