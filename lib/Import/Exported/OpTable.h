// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The rows of all families, by the names of their ops.
#ifndef MPC_LIB_IMPORT_EXPORTED_OPTABLE_H
#define MPC_LIB_IMPORT_EXPORTED_OPTABLE_H

#include "lib/Import/Exported/Call.h"

namespace mpc::exported {

class OpTable {
public:
  OpTable();

  /// The row of an op, or of the op that another writes in place; null where
  /// there is none.
  [[nodiscard]] const OpRow *find(llvm::StringRef op) const;
  /// In alphabetical order.
  [[nodiscard]] std::vector<llvm::StringRef> ops() const;

private:
  llvm::StringMap<const OpRow *> rows_;
};

/// "relu_.default" without its underscore; nothing where the op does not write
/// in place.
std::optional<std::string> withoutWriting(llvm::StringRef op);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_OPTABLE_H
