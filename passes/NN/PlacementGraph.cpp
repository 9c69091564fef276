// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Placement of casts by minimum cut. The source's side runs in f32: it is the
// smallest possible one, so the low type wins every tie.
#include "passes/NN/PlacementGraph.h"

#include "passes/NN/MinimumCut.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mpc::nn;
using llvm::ArrayRef;
using llvm::SmallVector;
namespace json = llvm::json;

int64_t PlacementGraph::cost(ArrayRef<bool> isLow) const {
  int64_t sum = 0;
  for (auto [op, low] : llvm::zip_equal(ops, isLow))
    sum += low ? op.lowCost : op.f32Cost;
  for (const Value &value : values) {
    bool written = isLow[value.writer];
    if (llvm::any_of(value.readers,
                     [&](unsigned op) { return isLow[op] != written; }))
      sum += written ? value.widening : value.narrowing;
  }
  return sum;
}

/// An edge is paid where it leaves the f32 side.
static void addOp(MinimumCut &cut, const PlacementGraph::Op &op, unsigned node,
                  unsigned f32, unsigned low) {
  cut.addEdge(f32, node, op.canBeLow ? op.lowCost : MinimumCut::kInfinite);
  cut.addEdge(node, low, op.canBeF32 ? op.f32Cost : MinimumCut::kInfinite);
}

/// One node for each direction collects the readers, so that a cast is paid
/// once.
static void addValue(MinimumCut &cut, const PlacementGraph::Value &value) {
  unsigned widened = cut.addNode(), narrowed = cut.addNode();
  cut.addEdge(widened, value.writer, value.widening);
  cut.addEdge(value.writer, narrowed, value.narrowing);
  for (unsigned reader : value.readers) {
    cut.addEdge(reader, widened, MinimumCut::kInfinite);
    cut.addEdge(narrowed, reader, MinimumCut::kInfinite);
  }
}

SmallVector<bool> PlacementGraph::place() const {
  unsigned f32 = ops.size(), low = f32 + 1;
  MinimumCut cut(ops.size() + 2);
  for (auto [node, op] : llvm::enumerate(ops))
    addOp(cut, op, node, f32, low);
  for (const Value &value : values)
    addValue(cut, value);
  SmallVector<bool> isF32 = cut.solve(f32, low);
  return llvm::map_to_vector(ArrayRef(isF32).take_front(ops.size()),
                             [](bool side) { return !side; });
}

json::Object PlacementGraph::toJSON(ArrayRef<bool> isLow) const {
  json::Array nodes, edges;
  for (auto [op, low] : llvm::zip_equal(ops, isLow))
    nodes.push_back(json::Object{{"low_cost", op.lowCost},
                                 {"f32_cost", op.f32Cost},
                                 {"can_be_low", op.canBeLow},
                                 {"can_be_f32", op.canBeF32},
                                 {"is_low", low}});
  for (const Value &value : values)
    edges.push_back(json::Object{{"writer", value.writer},
                                 {"readers", json::Array(value.readers)},
                                 {"widening", value.widening},
                                 {"narrowing", value.narrowing}});
  return json::Object{{"ops", std::move(nodes)}, {"values", std::move(edges)}};
}
