// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ops of custom domains that a user defines as functions of nn ops.
#ifndef MPC_LIB_IMPORT_OPLIBRARY_H
#define MPC_LIB_IMPORT_OPLIBRARY_H

#include "dialects/Interfaces/OpInterfaces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mpc {

/// One signature of an op.
struct LibraryFunction {
  mlir::func::FuncOp function;
  std::string path; ///< The path of its file.
  /// The precision rule for all ops of the body; empty where each op has its
  /// own.
  std::optional<PrecisionRule> rule;
  /// The number of arguments that are tensors. They come before those that are
  /// attributes.
  unsigned numInputs = 0;

  /// The node's attribute that is argument `index`.
  [[nodiscard]] llvm::StringRef attributeOf(unsigned index) const;
  /// "FILE: @name takes (tensor<4xf32>)".
  [[nodiscard]] std::string describe() const;
};

/// The functions of files, by domain and op type. A function states the op that
/// it defines by `nn.op = "domain::Type"`, and its precision by `nn.rule`.
class OpLibrary {
public:
  /// Adds the functions of `module`, which was read from `path`. Errors name
  /// file and function.
  llvm::Error add(mlir::OwningOpRef<mlir::ModuleOp> module,
                  llvm::StringRef path);

  /// The signatures of an op, in the order of files; empty where it is not
  /// defined.
  [[nodiscard]] llvm::ArrayRef<LibraryFunction>
  functionsOf(llvm::StringRef domain, llvm::StringRef opType) const;

  /// The ops of `domain`, joined by ", "; empty where there are none.
  [[nodiscard]] std::string opsOf(llvm::StringRef domain) const;

private:
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules_;
  std::map<std::pair<std::string, std::string>, std::vector<LibraryFunction>>
      functions_;
};

} // namespace mpc

#endif // MPC_LIB_IMPORT_OPLIBRARY_H
