// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Combines rows of a table bag by bag.
#ifndef MPC_LIB_IMPORT_BUILD_EMBEDDINGBAG_H
#define MPC_LIB_IMPORT_BUILD_EMBEDDINGBAG_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

enum class BagMode { Sum, Mean, Max };

struct EmbeddingBag {
  BagMode mode;
  /// The index of padding, counted from the end where it is negative.
  int64_t padding;
};

/// One row for each bag. Bag i combines the rows of `table` at `indices`
/// [count] from offset i on. A bag of padding only is 0. An error, without a
/// place, where constants get too large.
llvm::Expected<Operand> embeddingBag(TensorBuilder &b, const Operand &table,
                                     const Operand &indices,
                                     llvm::ArrayRef<int64_t> offsets,
                                     const EmbeddingBag &how);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_EMBEDDINGBAG_H
