// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Products of rows with the matrix of their group, as mixtures of experts have
/// them.
#ifndef MPC_LIB_IMPORT_BUILD_GROUPEDPRODUCT_H
#define MPC_LIB_IMPORT_BUILD_GROUPEDPRODUCT_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// `rows[s, k]` times `matrices[group, k, n]`: the rows of group g are those
/// from `ends[g - 1]` to before `ends[g]`, integers that do not fall. What the
/// result has for rows behind the last end is 0.
///
/// How many rows a group has is known when a step runs. So each group's rows
/// are cut into blocks of one size, and all blocks are one batched product with
/// the matrices of their groups.
Operand groupedProduct(TensorBuilder &b, const Operand &rows,
                       const Operand &matrices, const Operand &ends);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_GROUPEDPRODUCT_H
