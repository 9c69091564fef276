// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The minimum cut of a network with integer capacities.
#ifndef MPC_PASSES_NN_MINIMUMCUT_H
#define MPC_PASSES_NN_MINIMUMCUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mpc::nn {

/// A directed network, and Dinic's maximum flow through it. A network may have
/// several minimum cuts. The result is the one with the fewest nodes on the
/// source's side, which is unique.
class MinimumCut {
public:
  /// More than all finite capacities together, and far from overflow.
  static constexpr int64_t kInfinite = int64_t{1} << 61;

  explicit MinimumCut(unsigned numNodes) : outgoing_(numNodes) {}

  unsigned addNode();
  /// `capacity` is not negative. Nothing is added where it is 0.
  void addEdge(unsigned from, unsigned to, int64_t capacity);

  /// Whether each node is on the source's side. Call it once.
  llvm::SmallVector<bool> solve(unsigned source, unsigned sink);

private:
  struct Edge {
    unsigned to;
    int64_t residual;
  };

  void findLevels(unsigned source);
  void blockFlow(unsigned source, unsigned sink);
  bool advance(unsigned node);
  void augment();

  /// Edge `e ^ 1` is the reverse of edge `e`.
  llvm::SmallVector<Edge> edges_;
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>> outgoing_;
  /// The distance of each node from the source in edges with a residual, -1
  /// where there is none; the next edge to try at each node; the path under
  /// construction.
  llvm::SmallVector<int> levels_;
  llvm::SmallVector<unsigned> nextEdges_, path_;
};

} // namespace mpc::nn

#endif // MPC_PASSES_NN_MINIMUMCUT_H
