// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Names of the model's nodes, as locations carry them.
#ifndef MPC_DIALECTS_INTERFACES_NODENAMES_H
#define MPC_DIALECTS_INTERFACES_NODENAMES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <regex>
#include <string>
#include <vector>

namespace mpc {

/// The node's name in `loc`; empty where there is none. Where several nodes
/// became one op it is the last node's name, whose result is the op's.
llvm::StringRef getNodeName(mlir::Location loc);

/// The names of all nodes in `loc`, the op's own first.
llvm::SmallVector<llvm::StringRef> getNodeNames(mlir::Location loc);

/// The path of the model's module that the node in `loc` belongs to
/// ("blocks.0.attn"), empty where the model does not say.
llvm::StringRef getNodeScope(mlir::Location loc);

/// True where `loc` marks an op of a backward pass.
bool isGradient(mlir::Location loc);

/// Patterns as ECMAScript regular expressions. A pattern matches anywhere in a
/// name.
class NamePatterns {
public:
  /// Limits in bytes. The library's matcher uses stack for each byte of the
  /// name and of the expression, and a model's file may have names of any
  /// length. Longer ones match nothing.
  static constexpr size_t kMaxName = 1024, kMaxExpression = 16384;

  /// Fails with a message that quotes the expression at fault.
  static llvm::FailureOr<NamePatterns>
  compile(llvm::ArrayRef<std::string> expressions,
          llvm::function_ref<void(const std::string &)> emitError);

  bool matches(llvm::StringRef name) const;
  bool empty() const { return patterns_.empty(); }

private:
  std::vector<std::regex> patterns_;
};

} // namespace mpc

#endif // MPC_DIALECTS_INTERFACES_NODENAMES_H
