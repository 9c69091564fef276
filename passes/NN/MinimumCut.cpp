// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dinic's algorithm, without recursion: a model's chains are long.
#include "passes/NN/MinimumCut.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <cassert>

using namespace mpc::nn;

unsigned MinimumCut::addNode() {
  outgoing.emplace_back();
  return outgoing.size() - 1;
}

void MinimumCut::addEdge(unsigned from, unsigned to, int64_t capacity) {
  assert(capacity >= 0 && "capacities are not negative");
  if (capacity == 0)
    return;
  outgoing[from].push_back(edges.size());
  edges.push_back({to, capacity});
  outgoing[to].push_back(edges.size());
  edges.push_back({from, 0});
}

llvm::SmallVector<bool> MinimumCut::solve(unsigned source, unsigned sink) {
  findLevels(source);
  while (levels[sink] >= 0) {
    blockFlow(source, sink);
    findLevels(source);
  }
  // What the source still reaches is in the source's side of every minimum
  // cut.
  return llvm::map_to_vector(levels, [](int level) { return level >= 0; });
}

void MinimumCut::findLevels(unsigned source) {
  levels.assign(outgoing.size(), -1);
  levels[source] = 0;
  llvm::SmallVector<unsigned> queue = {source};
  for (size_t i = 0; i < queue.size(); ++i)
    for (unsigned e : outgoing[queue[i]])
      if (edges[e].residual > 0 && levels[edges[e].to] < 0) {
        levels[edges[e].to] = levels[queue[i]] + 1;
        queue.push_back(edges[e].to);
      }
}

void MinimumCut::blockFlow(unsigned source, unsigned sink) {
  nextEdges.assign(outgoing.size(), 0);
  path.clear();
  while (true) {
    unsigned node = path.empty() ? source : edges[path.back()].to;
    if (node == sink) {
      augment();
      path.clear();
    } else if (!advance(node)) {
      if (path.empty())
        return;
      // No way on from here: whoever came here tries its next edge.
      levels[node] = -1;
      path.pop_back();
    }
  }
}

bool MinimumCut::advance(unsigned node) {
  for (unsigned &i = nextEdges[node]; i < outgoing[node].size(); ++i) {
    const Edge &edge = edges[outgoing[node][i]];
    if (edge.residual > 0 && levels[edge.to] == levels[node] + 1) {
      path.push_back(outgoing[node][i]);
      return true;
    }
  }
  return false;
}

void MinimumCut::augment() {
  int64_t flow = kInfinite;
  for (unsigned e : path)
    flow = std::min(flow, edges[e].residual);
  for (unsigned e : path) {
    edges[e].residual -= flow;
    edges[e ^ 1].residual += flow;
  }
}
