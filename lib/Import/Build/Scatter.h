// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes to places named by indices.
#ifndef MPC_LIB_IMPORT_BUILD_SCATTER_H
#define MPC_LIB_IMPORT_BUILD_SCATTER_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// The number of elements; 0 where it overflows.
int64_t product(llvm::ArrayRef<int64_t> sizes);

/// The places that an op reads or writes: numbers of slices, each with `inner`
/// elements.
struct Flattened {
  Operand places;
  int64_t count;
  int64_t inner;
  /// The axes along which the slices lie; they have `count` places in all.
  Shape axes = {};
};

/// The sum of the updates for each place.
Operand sumsAt(TensorBuilder &b, const Operand &updates, const Flattened &at);

/// `data` with `updates` at the places `at`; of equal places any update may
/// win.
Operand replaced(TensorBuilder &b, const Operand &data, const Operand &updates,
                 const Flattened &at);

/// The mean of the data and the updates of each place, or of the updates alone,
/// for which the caller sets the data to 0 there. The mean of integers is an
/// integer.
Operand meansAt(TensorBuilder &b, const Operand &data, const Operand &updates,
                const Flattened &at, bool includesData);

/// x[..., 2:5] = y: `data` with `updates`, where the places are known and form
/// a box in order; else empty.
std::optional<Operand> assignedBox(TensorBuilder &b, const Operand &data,
                                   const Operand &updates, const Flattened &at);

/// `x` with `source` at every `step`-th element of an axis, from `start` on.
Operand assignedByStep(TensorBuilder &b, const Operand &x,
                       const Operand &source, int64_t axis, int64_t start,
                       int64_t step);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_SCATTER_H
