// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Random bits by Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel
/// Random Numbers: As Easy as 1, 2, 3", 2011), as arithmetic on integers.
#ifndef MPC_DIALECTS_KERNEL_PHILOX_H
#define MPC_DIALECTS_KERNEL_PHILOX_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <array>

namespace mpc::kernel {

/// Four words of i32, or of vectors of an even number of i32.
using PhiloxWords = std::array<mlir::Value, 4>;

/// The block whose counter is `counter`, under `key`. All words have one type.
PhiloxWords buildPhilox(mlir::ImplicitLocOpBuilder &builder,
                        PhiloxWords counter, std::array<mlir::Value, 2> key);

/// Replaces kernel.philox inside of `root` by its arithmetic.
void expandPhilox(mlir::Operation *root);

/// The number of the rule by which an element's bits follow from its place. A
/// run that is saved under another one goes on with other numbers.
inline constexpr int kRandomRule = 2;

/// Numbers in [0, 1) are multiples of 2^-kUniformBits.
inline constexpr int kUniformBits = 24;

/// Elements of a tensor share blocks in runs of kRunWords times kRunLanes: word
/// `w` of the block of lane `l` is that of element `w * kRunLanes + l`.
inline constexpr int64_t kRunLanes = 16, kRunWords = 4;
inline constexpr int64_t kRunLength = kRunLanes * kRunWords;

/// How a tensor is cut into rows for the sake of runs, which begin anew with
/// each. A row is the fewest last axes that have a run's elements, but never of
/// the first axis, that of samples: so a window of batches has the bits of one
/// batch.
struct RandomRows {
  int64_t rows, length;
  size_t axes = 0; ///< How many of the last axes a row is of.
};
RandomRows getRandomRows(llvm::ArrayRef<int64_t> shape);

/// The runs of all rows.
int64_t countRuns(const RandomRows &rows);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_PHILOX_H
