// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Neutral elements of reductions, the combination of partial results, and the
/// order in which long sums are added up.
#ifndef MPC_LIB_CODEGEN_CPU_REDUCTIONS_H
#define MPC_LIB_CODEGEN_CPU_REDUCTIONS_H

#include "lib/Codegen/CPU/Emitter.h"

namespace mpc::cpu {

/// Applies `combiner` (see getCombiner) to other values. A fused multiply-add
/// combines by addition.
mlir::Value createCombined(Emitter &emitter, mlir::Operation *combiner,
                           mlir::Value lhs, mlir::Value rhs);

/// The value that leaves any other value unchanged when combined with it.
mlir::Value createNeutral(Emitter &emitter, mlir::Operation *combiner);

/// Combines the `lanes` of a vector of sums pairwise: lane l with lane l +
/// lanes / 2, and so on.
mlir::Value reduceLanes(Emitter &emitter, mlir::Operation *combiner,
                        mlir::Value sums, int64_t lanes);

using IndexRange = std::pair<mlir::Value, mlir::Value>;
/// Adds the elements of a range of positions to sums.
using SumRange = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    IndexRange, mlir::ValueRange)>;

/// A loop over `extent` positions that is cut into chains.
struct ChainLoop {
  /// For each sum the op that combines it; null for sums that are not cut. They
  /// hold for each group of as many sums.
  llvm::SmallVector<mlir::Operation *> combiners;
  /// The first value of a chain, for each sum that is cut.
  llvm::SmallVector<mlir::Value> neutrals;
  llvm::SmallVector<int64_t> lengths; ///< The lengths, from the longest chains.
  int64_t extent;
  SumRange sumRange;
};

/// Sums over all positions. Where chains are cut, each sum with chains starts
/// at its neutral element for each chain, and is then added.
llvm::SmallVector<mlir::Value>
sumChains(Emitter &emitter, const ChainLoop &loop, mlir::ValueRange sums);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_REDUCTIONS_H
