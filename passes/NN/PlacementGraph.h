// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The placement of casts as a problem without IR: which ops run in the low
/// type and which in f32, so that the ops and the casts between them cost
/// least.
#ifndef MPC_PASSES_NN_PLACEMENTGRAPH_H
#define MPC_PASSES_NN_PLACEMENTGRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"

#include <cstdint>

namespace mpc::nn {

/// Costs are not negative, and their sum stays below MinimumCut::kInfinite.
struct PlacementGraph {
  struct Op {
    int64_t lowCost = 0, f32Cost = 0;
    /// The types in which the op can run; at least one is true.
    bool canBeLow = true, canBeF32 = true;
  };
  /// A value that one op writes and others read. It is cast once in each
  /// direction, however many ops read it in the other type.
  struct Value {
    unsigned writer;
    llvm::SmallVector<unsigned, 4> readers;
    /// The cost of a cast where it is written low and read in f32.
    int64_t widening = 0;
    /// The cost of a cast where it is written in f32 and read low.
    int64_t narrowing = 0;
  };
  llvm::SmallVector<Op> ops;
  llvm::SmallVector<Value> values;

  /// The cost of the placement in which op i runs low where isLow[i]. The
  /// caller observes the ops' own limits.
  int64_t cost(llvm::ArrayRef<bool> isLow) const;

  /// The cheapest placement. Of several it is the one with the most ops in the
  /// low type, which is unique.
  llvm::SmallVector<bool> place() const;

  /// The graph and a placement of it, for independent checks.
  llvm::json::Object toJSON(llvm::ArrayRef<bool> isLow) const;
};

} // namespace mpc::nn

#endif // MPC_PASSES_NN_PLACEMENTGRAPH_H
