// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writing to places that indices name.
#ifndef MPC_LIB_IMPORT_BUILD_SCATTER_H
#define MPC_LIB_IMPORT_BUILD_SCATTER_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// The number of elements; 0 where it is no number.
int64_t product(llvm::ArrayRef<int64_t> sizes);

/// What an op reads or writes: `places` number slices of `inner` elements.
struct Flattened {
  Operand places;
  int64_t count;
  int64_t inner;
  Shape axes = {}; ///< Along which the slices lie, `count` in all.
};

/// What goes to each place, added up.
Operand sumsAt(TensorBuilder &b, const Operand &updates, const Flattened &at);

/// `data` with `updates` in the places `at`, the last of equal ones undefined.
Operand replaced(TensorBuilder &b, const Operand &data, const Operand &updates,
                 const Flattened &at);

/// The mean of the data and of what goes there, or of that alone: the data are
/// then 0 where something does. That of integers is an integer.
Operand meansAt(TensorBuilder &b, const Operand &data, const Operand &updates,
                const Flattened &at, bool includesData);

/// x[..., 2:5] = y: `data` with `updates` where the places are known, and a
/// box in order; else nothing.
std::optional<Operand> assignedBox(TensorBuilder &b, const Operand &data,
                                   const Operand &updates, const Flattened &at);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_SCATTER_H
