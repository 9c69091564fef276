// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The rows of all families, by the names of their ops.
#ifndef MPC_LIB_IMPORT_EXPORTED_OPTABLE_H
#define MPC_LIB_IMPORT_EXPORTED_OPTABLE_H

#include "lib/Import/Exported/Call.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mpc::exported {

class OpTable {
public:
  OpTable();

  /// The row of an op, or of the op whose result another writes to a tensor;
  /// null where there is none.
  [[nodiscard]] const OpRow *find(llvm::StringRef given) const;
  /// Whether torch.autocast casts all operands of the op to one type: products
  /// and recurrent layers.
  [[nodiscard]] bool takesOneType(const OpRow &row) const {
    return oneTyped_.contains(&row);
  }
  /// In alphabetical order.
  [[nodiscard]] std::vector<llvm::StringRef> ops() const;

private:
  llvm::StringMap<const OpRow *> rows_;
  llvm::SmallPtrSet<const OpRow *, 32> oneTyped_;
};

/// "mul" of "multiply_.Tensor": without another name, an underscore, and the
/// overload.
std::string plainName(llvm::StringRef op);

/// The tensor that a node writes: the first argument of an op that ends with an
/// underscore, or the argument `out`. Nothing where the node writes none, and
/// an empty name where it should.
std::optional<llvm::StringRef> writtenTensor(const Node &node);

} // namespace mpc::exported

#endif // MPC_LIB_IMPORT_EXPORTED_OPTABLE_H
