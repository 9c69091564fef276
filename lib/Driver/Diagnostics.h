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

/// Collects the diagnostics of passes during its lifetime.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  /// The errors, each "node 'name': message", one on a line.
  [[nodiscard]] const std::string &errors() const { return errorText_; }
  [[nodiscard]] const std::vector<std::string> &warnings() const {
    return warningTexts_;
  }
  /// The errors as a fault of the input; without errors a bug of the compiler.
  [[nodiscard]] rt::Status status(const std::string &stage) const;

private:
  mlir::ScopedDiagnosticHandler handler_;
  std::string errorText_;
  std::vector<std::string> warningTexts_;
};

} // namespace mpc

#endif // MPC_LIB_DRIVER_DIAGNOSTICS_H
