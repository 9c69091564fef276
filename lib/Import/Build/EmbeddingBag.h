// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Rows of a table, joined bag by bag.
#ifndef MPC_LIB_IMPORT_BUILD_EMBEDDINGBAG_H
#define MPC_LIB_IMPORT_BUILD_EMBEDDINGBAG_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

enum class BagMode { Sum, Mean, Max };

struct EmbeddingBag {
  BagMode mode;
  /// The index that adds nothing, counted from the end where it is negative.
  int64_t padding;
};

/// A row for each bag: bag i has the rows of `table` by `indices` [count] from
/// offset i on. A bag of padding alone is 0. An error without a place where
/// constants get too many.
llvm::Expected<Operand> embeddingBag(TensorBuilder &b, const Operand &table,
                                     const Operand &indices,
                                     llvm::ArrayRef<int64_t> offsets,
                                     const EmbeddingBag &how);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_EMBEDDINGBAG_H
