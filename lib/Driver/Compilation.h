// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One run of a pipeline by a tool: what the passes say becomes a status, and a
/// bug of ours leaves a file that shows it.
#ifndef MPC_LIB_DRIVER_COMPILATION_H
#define MPC_LIB_DRIVER_COMPILATION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/Support/Status.h"

#include <string>
#include <vector>

namespace mpc {

/// A pass that says what is wrong has refused the input. One that crashes, that
/// fails without a word or that leaves IR that does not verify is at fault
/// itself: an internal error (exit 70), which in a tool names a file that
/// `mpc-opt --run-reproducer` runs. The verifier runs at the end, and behind
/// each pass where a run that went wrong is repeated.
class Compilation {
public:
  /// What warnings there are is added to `warnings`. After a crash `module` is
  /// emptied, since nothing can be said of it.
  /// Without `isTool` a pass that crashes ends the process, and no file is
  /// written.
  Compilation(mlir::OwningOpRef<mlir::ModuleOp> &module,
              std::vector<std::string> &warnings, bool isTool);

  /// The pipeline, to be filled.
  [[nodiscard]] mlir::PassManager &passes() { return manager_; }

  [[nodiscard]] rt::Status run();

private:
  bool runPasses(bool verifyEach, llvm::LogicalResult &result);

  mlir::OwningOpRef<mlir::ModuleOp> &module_;
  std::vector<std::string> &warnings_;
  mlir::PassManager manager_;
  bool isTool_;
};

} // namespace mpc

#endif // MPC_LIB_DRIVER_COMPILATION_H
