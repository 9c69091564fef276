// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// MLIR's diagnostics as text for users of the tools.
#ifndef MPC_LIB_DRIVER_DIAGNOSTICS_H
#define MPC_LIB_DRIVER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "runtime/Support/Status.h"

#include <string>
#include <vector>

namespace mpc {

/// Collects what passes report while it lives.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  /// Errors, each "node 'name': message", one a line.
  [[nodiscard]] const std::string &errors() const { return errorText_; }
  [[nodiscard]] const std::vector<std::string> &warnings() const {
    return warningTexts_;
  }
  /// The errors as a fault of the input; a bug of ours if there are none.
  [[nodiscard]] rt::Status status(const std::string &stage) const;

private:
  mlir::ScopedDiagnosticHandler handler_;
  std::string errorText_;
  std::vector<std::string> warningTexts_;
};

} // namespace mpc

#endif // MPC_LIB_DRIVER_DIAGNOSTICS_H
