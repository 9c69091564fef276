// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cut against every placement there is, on random graphs without IR.
#include "passes/NN/PlacementGraph.h"
#include "passes/NN/MinimumCut.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <array>
#include <random>

using namespace mpc::nn;
using llvm::SmallVector;

namespace {

using Random = std::mt19937;

int64_t below(Random &random, int64_t limit) { return random() % limit; }

PlacementGraph makeGraph(Random &random) {
  PlacementGraph graph;
  unsigned numOps = 2 + below(random, 9);
  for (unsigned i = 0; i < numOps; ++i) {
    // Small costs, many of them zero or equal: ties are the hard part.
    PlacementGraph::Op op{below(random, 4), below(random, 6)};
    int64_t pin = below(random, 4);
    op.canBeLow = pin != 0;
    op.canBeF32 = pin != 1;
    graph.ops.push_back(op);
    PlacementGraph::Value value{i, {}, below(random, 7), below(random, 7)};
    graph.values.push_back(value);
    for (unsigned reader = i + 1; reader < numOps; ++reader)
      if (below(random, 3) == 0)
        graph.values.back().readers.push_back(reader);
  }
  return graph;
}

bool allows(const PlacementGraph &graph, llvm::ArrayRef<bool> isLow) {
  for (auto [op, low] : llvm::zip(graph.ops, isLow))
    if (low ? !op.canBeLow : !op.canBeF32)
      return false;
  return true;
}

/// The cost from its definition, sharing nothing with PlacementGraph::cost.
int64_t definedCost(const PlacementGraph &graph, llvm::ArrayRef<bool> isLow) {
  int64_t sum = 0;
  for (size_t i = 0; i < graph.ops.size(); ++i)
    sum += isLow[i] ? graph.ops[i].lowCost : graph.ops[i].f32Cost;
  for (const PlacementGraph::Value &value : graph.values) {
    bool widened = false, narrowed = false;
    for (unsigned reader : value.readers) {
      widened |= isLow[value.writer] && !isLow[reader];
      narrowed |= !isLow[value.writer] && isLow[reader];
    }
    sum += (widened ? value.widening : 0) + (narrowed ? value.narrowing : 0);
  }
  return sum;
}

struct Best {
  int64_t cost = INT64_MAX;
  SmallVector<bool> lowest; ///< Low where any cheapest placement is.
};

Best search(const PlacementGraph &graph) {
  Best best;
  size_t numOps = graph.ops.size();
  for (unsigned bits = 0; bits < 1u << numOps; ++bits) {
    SmallVector<bool> isLow;
    for (size_t i = 0; i < numOps; ++i)
      isLow.push_back(bits >> i & 1);
    if (!allows(graph, isLow))
      continue;
    int64_t cost = definedCost(graph, isLow);
    if (cost < best.cost)
      best = {cost, SmallVector<bool>(numOps, false)};
    if (cost == best.cost)
      for (size_t i = 0; i < numOps; ++i)
        best.lowest[i] |= isLow[i];
  }
  return best;
}

TEST(PlacementGraphTest, IsCheapestAndLowestOfAll) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    PlacementGraph graph = makeGraph(random);
    SmallVector<bool> placed = graph.place();
    ASSERT_TRUE(allows(graph, placed)) << "graph " << i;
    Best best = search(graph);
    ASSERT_EQ(definedCost(graph, placed), best.cost) << "graph " << i;
    ASSERT_EQ(graph.cost(placed), best.cost) << "graph " << i;
    ASSERT_EQ(placed, best.lowest) << "graph " << i;
  }
}

TEST(PlacementGraphTest, OrderOfOpsDoesNotMatter) {
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    PlacementGraph graph = makeGraph(random), permuted;
    SmallVector<unsigned> place;
    for (unsigned op = 0; op < graph.ops.size(); ++op)
      place.push_back(op);
    std::shuffle(place.begin(), place.end(), random);
    permuted.ops.resize(graph.ops.size());
    for (auto [op, to] : llvm::zip(graph.ops, place))
      permuted.ops[to] = op;
    for (PlacementGraph::Value value : llvm::reverse(graph.values)) {
      value.writer = place[value.writer];
      for (unsigned &reader : value.readers)
        reader = place[reader];
      permuted.values.push_back(value);
    }
    SmallVector<bool> first = graph.place(), second = permuted.place();
    for (auto [low, to] : llvm::zip(first, place))
      ASSERT_EQ(low, second[to]) << "graph " << i;
  }
}

// Without the node that collects a value's readers every reader would pay.
TEST(PlacementGraphTest, ACastIsPaidOnceForAllReaders) {
  PlacementGraph graph;
  graph.ops.push_back({3, 0, true, true});
  for (int i = 0; i < 3; ++i)
    graph.ops.push_back({0, 0, true, false});
  graph.values.push_back({0, {1, 2, 3}, 0, 2});
  // 2 for one narrowing against 3 for a low op.
  EXPECT_FALSE(graph.place()[0]);
}

TEST(PlacementGraphTest, LowWinsTies) {
  PlacementGraph graph;
  graph.ops.push_back({1, 1, true, true});
  EXPECT_TRUE(graph.place()[0]);
}

// A chain as long as a deep model's: no recursion, no quadratic time.
TEST(PlacementGraphTest, LongChain) {
  PlacementGraph graph;
  constexpr unsigned kLength = 20000;
  for (unsigned i = 0; i < kLength; ++i) {
    graph.ops.push_back({1, 2, true, true});
    if (i + 1 < kLength)
      graph.values.push_back({i, {i + 1}, 6, 6});
  }
  graph.ops.front().canBeLow = graph.ops.back().canBeLow = false;
  SmallVector<bool> placed = graph.place();
  EXPECT_TRUE(placed[kLength / 2]);
  EXPECT_EQ(graph.cost(placed), (kLength - 2) + 2 * 2 + 2 * 6);
}

TEST(MinimumCutTest, KnownNetwork) {
  // Cormen et al., Introduction to Algorithms, figure 26.1: the flow is 23 and
  // the cut next to the source is {s, v1, v2, v4}.
  MinimumCut cut(6);
  const std::array<unsigned, 3> edges[] = {{0, 1, 16}, {0, 2, 13}, {1, 3, 12},
                                           {2, 1, 4},  {3, 2, 9},  {2, 4, 14},
                                           {4, 3, 7},  {3, 5, 20}, {4, 5, 4}};
  for (auto [from, to, capacity] : edges)
    cut.addEdge(from, to, capacity);
  EXPECT_EQ(cut.solve(0, 5),
            (SmallVector<bool>{true, true, true, false, true, false}));
}

} // namespace
