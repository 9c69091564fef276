// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that order the elements along an axis.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// The position in its row that has each rank: the inverse of a permutation, in
/// which each number is written to its place.
Operand inverseOf(TensorBuilder &b, const Operand &ranks) {
  int64_t size = ranks.shape[1];
  mlir::Type type = size < 1 << 24 ? b.f32() : b.f64();
  Operand numbers = b.cast(b.coordinates(ranks.shape, 1), type);
  Operand places = b.fold(nn::ScatterAddOp::create(
      b.builder(), b.location(), b.tensorType(type, ranks.shape), numbers.value,
      ranks.value, /*axis=*/1, /*batch_dims=*/1));
  return b.cast(places, b.i64());
}

/// The first k elements along the axis in sorted order, and their positions.
/// They are sorted even where any order would do.
Error emitTopK(NodeImporter &node) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", -1), input.rank()));
  MPC_TRY_ASSIGN(auto counts, node.ints(1, "k"));
  int64_t size = input.shape[axis];
  if (counts.size() != 1 || counts[0] < 0 || counts[0] > size || input.isBool())
    return node.fail("takes " + Twine(counts.empty() ? 0 : counts[0]) +
                     " of an axis of " + Twine(size) + " elements of " +
                     toString(input.type));
  TensorBuilder &b = node.build;
  auto order = to_vector(seq<int64_t>(0, input.rank()));
  std::swap(order[axis], order.back());
  Operand last = b.transpose(input, order);
  int64_t rows = size == 0 ? 0 : *countElements(input.shape) / size;
  Operand flat = b.reshape(last, {rows, size});
  Operand ranks = b.fold(nn::RankOp::create(
      b.builder(), b.location(), b.tensorType(b.i64(), flat.shape), flat.value,
      node.intAttr("largest", 1) != 0));
  Operand places = b.sliceAxis(inverseOf(b, ranks), 1, 0, counts[0]);
  Shape shape = last.shape;
  shape.back() = counts[0];
  auto restore = [&](const Operand &x) {
    return b.transpose(b.reshape(x, shape), order);
  };
  node.result(0, restore(b.gather(flat, places, 1, 1)));
  node.result(1, restore(places));
  return Error::success();
}

const OpRule kRules[] = {
    {"TopK", 1, 1, 1, 2, "axis:i k:i", emitTopK, "", false, "k!"},
    {"TopK", 10, 2, 2, 2, "axis:i", emitTopK},
    {"TopK", 11, 2, 2, 2, "axis:i largest:i sorted:i", emitTopK},
};

} // namespace

ArrayRef<OpRule> sortingRules() { return kRules; }

} // namespace mpc::onnx
