// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dinic's algorithm, without recursion, because a model's chains are long.
#include "passes/NN/MinimumCut.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <cassert>

using namespace mpc::nn;

unsigned MinimumCut::addNode() {
  outgoing_.emplace_back();
  return outgoing_.size() - 1;
}

void MinimumCut::addEdge(unsigned from, unsigned to, int64_t capacity) {
  assert(capacity >= 0 && "capacities are not negative");
  if (capacity == 0)
    return;
  outgoing_[from].push_back(edges_.size());
  edges_.push_back({to, capacity});
  outgoing_[to].push_back(edges_.size());
  edges_.push_back({from, 0});
}

llvm::SmallVector<bool> MinimumCut::solve(unsigned source, unsigned sink) {
  findLevels(source);
  while (levels_[sink] >= 0) {
    blockFlow(source, sink);
    findLevels(source);
  }
  // The nodes that the source still reaches are on the source's side of every
  // minimum cut.
  return llvm::map_to_vector(levels_, [](int level) { return level >= 0; });
}

void MinimumCut::findLevels(unsigned source) {
  levels_.assign(outgoing_.size(), -1);
  levels_[source] = 0;
  llvm::SmallVector<unsigned> queue = {source};
  for (size_t i = 0; i < queue.size(); ++i)
    for (unsigned e : outgoing_[queue[i]])
      if (edges_[e].residual > 0 && levels_[edges_[e].to] < 0) {
        levels_[edges_[e].to] = levels_[queue[i]] + 1;
        queue.push_back(edges_[e].to);
      }
}

void MinimumCut::blockFlow(unsigned source, unsigned sink) {
  nextEdges_.assign(outgoing_.size(), 0);
  path_.clear();
  while (true) {
    unsigned node = path_.empty() ? source : edges_[path_.back()].to;
    if (node == sink) {
      augment();
      path_.clear();
    } else if (!advance(node)) {
      if (path_.empty())
        return;
      // This node is a dead end: the one before it tries its next edge.
      levels_[node] = -1;
      path_.pop_back();
    }
  }
}

bool MinimumCut::advance(unsigned node) {
  for (unsigned &i = nextEdges_[node]; i < outgoing_[node].size(); ++i) {
    const Edge &edge = edges_[outgoing_[node][i]];
    if (edge.residual > 0 && levels_[edge.to] == levels_[node] + 1) {
      path_.push_back(outgoing_[node][i]);
      return true;
    }
  }
  return false;
}

void MinimumCut::augment() {
  int64_t flow = kInfinite;
  for (unsigned e : path_)
    flow = std::min(flow, edges_[e].residual);
  for (unsigned e : path_) {
    edges_[e].residual -= flow;
    edges_[e ^ 1].residual += flow;
  }
}
