// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One run of a pipeline by a tool. Diagnostics of passes become a status, and
/// a bug of the compiler leaves a file that reproduces it.
#ifndef MPC_LIB_DRIVER_COMPILATION_H
#define MPC_LIB_DRIVER_COMPILATION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/Support/Status.h"

#include <string>
#include <vector>

namespace mpc {

/// A pass that reports an error has refused the input. A pass that crashes,
/// fails without a message, or leaves IR that does not verify has a bug: an
/// internal error (exit 70). In a tool the error names a file that `mpc-opt
/// --run-reproducer` runs. The verifier runs at the end. After a failure the
/// run is repeated with the verifier after each pass.
class Compilation {
public:
  /// Warnings are added to `warnings`. After a crash `module` is emptied, since
  /// it may be inconsistent. Without `isTool` a pass that crashes ends the
  /// process, and no file is written.
  Compilation(mlir::OwningOpRef<mlir::ModuleOp> &module,
              std::vector<std::string> &warnings, bool isTool);

  /// The pipeline, to which the caller adds passes.
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
