// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The rules of all ops that are imported, found by op type.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_RULETABLE_H
#define MPC_LIB_IMPORT_ONNX_OPS_RULETABLE_H

#include "lib/Import/ONNX/Ops/NodeImporter.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace mpc::onnx {

/// The rows of all families, by domain and op type, oldest first.
class RuleTable {
public:
  RuleTable();

  /// The rows of an op; empty where it is not imported.
  llvm::ArrayRef<const OpRule *> rowsOf(llvm::StringRef domain,
                                        llvm::StringRef opType) const;
  /// The rows of a form of Ops/Forms.h.
  llvm::ArrayRef<const OpRule *> rowsOfForm(llvm::StringRef form) const;
  /// Whether any op of `domain` is imported.
  bool hasDomain(llvm::StringRef domain) const;

  /// The names of supported ops that `opType` may have meant, joined by ", ".
  std::string near(llvm::StringRef opType) const;

private:
  using Key = std::pair<llvm::StringRef, llvm::StringRef>;
  llvm::MapVector<Key, llvm::SmallVector<const OpRule *, 1>> rows_;
  llvm::StringMap<llvm::SmallVector<const OpRule *, 1>> forms_;
};

/// Fails for an attribute that `rule` does not know, or that has another kind.
llvm::Error checkAttributes(const NodeImporter &importer, const OpRule &rule);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_RULETABLE_H
