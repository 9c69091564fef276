// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The placement of casts as a problem of its own, without IR: which ops run
/// in the low type and which in f32, so that the casts between them and the
/// ops themselves cost least.
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
    bool canBeLow = true, canBeF32 = true; ///< At least one.
  };
  /// What one op writes and others read. It is cast once for each direction,
  /// however many ops read it in the other type.
  struct Value {
    unsigned writer;
    llvm::SmallVector<unsigned, 4> readers;
    int64_t widening = 0;  ///< Written low, read in f32.
    int64_t narrowing = 0; ///< Written in f32, read low.
  };
  llvm::SmallVector<Op> ops;
  llvm::SmallVector<Value> values;

  /// What the placement costs where `isLow` says it of each op. The ops' own
  /// limits are the caller's.
  int64_t cost(llvm::ArrayRef<bool> isLow) const;

  /// The cheapest placement; of several the one with the most ops in the low
  /// type, which is unique.
  llvm::SmallVector<bool> place() const;

  /// The graph and a placement of it, for whoever wants to judge that.
  llvm::json::Object toJSON(llvm::ArrayRef<bool> isLow) const;
};

} // namespace mpc::nn

#endif // MPC_PASSES_NN_PLACEMENTGRAPH_H
