// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that choose, for each batch, where each step of the time axis goes:
/// caches that are updated in place, and reversal.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// [batch, ..., steps, ...] as [batch, steps, ...], and back.
class StepsFirst {
public:
  StepsFirst(TensorBuilder &b, int64_t rank, int64_t batchAxis,
             int64_t stepAxis)
      : b_(b), order_{batchAxis, stepAxis} {
    for (int64_t axis : seq<int64_t>(0, rank))
      if (axis != batchAxis && axis != stepAxis)
        order_.push_back(axis);
  }

  Operand apply(const Operand &input) { return b_.transpose(input, order_); }
  Operand undo(const Operand &input) {
    SmallVector<int64_t> back(order_.size());
    for (auto [to, from] : enumerate(order_))
      back[from] = static_cast<int64_t>(to);
    return b_.transpose(input, back);
  }

private:
  TensorBuilder &b_;
  SmallVector<int64_t> order_;
};

/// One integer for each batch, repeated for each of its steps, as int64.
Operand perStep(TensorBuilder &b, const Operand &numbers, int64_t steps) {
  return b.broadcast(b.cast(numbers, b.i64()), {numbers.shape[0], steps}, {0});
}

/// Checks that an update along `axis` fits in a cache.
Error checkUpdate(const NodeImporter &node, int64_t axis, StringRef mode) {
  MPC_TRY(node.requireSameType(1, 0));
  const Operand &cache = node.in(0), &update = node.in(1);
  if (axis == 0 || (mode != "linear" && mode != "circular"))
    return node.fail("attribute 'axis' is " + Twine(axis) + ", 'mode' '" +
                     printable(mode) + "'");
  Shape expected = cache.shape;
  if (update.rank() == cache.rank())
    expected[axis] = std::min(update.shape[axis], cache.shape[axis]);
  if (update.shape != expected)
    return node.fail("the update is " + shapeText(update.shape) +
                     ", the cache " + shapeText(cache.shape));
  if (!node.has(2))
    return Error::success();
  MPC_TRY(node.requireIndices(2));
  if (node.in(2).shape != Shape{cache.shape[0]})
    return node.fail("the write indices are " + shapeText(node.in(2).shape) +
                     ", expected " + Twine(cache.shape[0]));
  return Error::success();
}

/// Writes the steps of an update to a cache, from a position that each batch
/// has.
Error emitTensorScatter(NodeImporter &node) {
  const Operand &cache = node.in(0), &update = node.in(1);
  MPC_TRY_ASSIGN(int64_t axis,
                 node.axis(node.intAttr("axis", -2), cache.rank()));
  StringRef mode = node.stringAttr("mode", "linear");
  MPC_TRY(checkUpdate(node, axis, mode));
  TensorBuilder &b = node.build;
  int64_t batch = cache.shape[0], steps = cache.shape[axis];
  int64_t count = update.shape[axis];
  Operand step = b.coordinates({batch, steps}, 1), from = step;
  if (node.has(2))
    from = b.binary(Binary::Sub, step, perStep(b, node.in(2), steps));
  auto compare = [&](nn::CompareKind kind, int64_t number) {
    return b.compare(kind, from,
                     b.splatLike(from, static_cast<double>(number)));
  };
  if (mode == "circular")
    from =
        b.select(compare(nn::CompareKind::LT, 0),
                 b.binary(Binary::Add, from, static_cast<double>(steps)), from);
  Operand isBefore = compare(nn::CompareKind::LT, 0);
  Operand isBehind = compare(nn::CompareKind::GE, count);
  // The update's steps come after the cache's own.
  Operand written = b.binary(Binary::Add, from, static_cast<double>(steps));
  Operand source = b.select(isBefore, step, b.select(isBehind, step, written));
  StepsFirst layout(b, cache.rank(), 0, axis);
  Operand both = b.concat({layout.apply(cache), layout.apply(update)}, 1);
  node.result(0, layout.undo(b.gather(both, source, 1, 1)));
  return Error::success();
}

/// Reverses the first steps of each batch, up to its length.
Error emitReverseSequence(NodeImporter &node) {
  const Operand &input = node.in(0), &lengths = node.in(1);
  MPC_TRY(node.requireIndices(1));
  MPC_TRY_ASSIGN(int64_t batchAxis,
                 node.axis(node.intAttr("batch_axis", 1), input.rank()));
  MPC_TRY_ASSIGN(int64_t timeAxis,
                 node.axis(node.intAttr("time_axis", 0), input.rank()));
  int64_t steps = input.shape[timeAxis];
  if (batchAxis == timeAxis || lengths.shape != Shape{input.shape[batchAxis]})
    return node.fail("the lengths are " + shapeText(lengths.shape) +
                     ", the input " + shapeText(input.shape) +
                     " with its batch on axis " + Twine(batchAxis) +
                     " and its time on axis " + Twine(timeAxis));
  TensorBuilder &b = node.build;
  Operand step = b.coordinates({lengths.shape[0], steps}, 1);
  Operand mirrored =
      b.binary(Binary::Sub,
               b.binary(Binary::Sub, perStep(b, lengths, steps), 1.0), step);
  Operand isOwn =
      b.compare(nn::CompareKind::GE, mirrored, b.splatLike(mirrored, 0.0));
  StepsFirst layout(b, input.rank(), batchAxis, timeAxis);
  Operand result =
      b.gather(layout.apply(input), b.select(isOwn, mirrored, step), 1, 1);
  node.result(0, layout.undo(result));
  return Error::success();
}

} // namespace

ArrayRef<OpRule> timeStepRules() {
  static const OpRule rules[] = {
      {"ReverseSequence", 10, 2, 2, 1, "batch_axis:i time_axis:i",
       emitReverseSequence},
      {"TensorScatter", 24, 2, 3, 1, "axis:i mode:s", emitTensorScatter},
  };
  return rules;
}

} // namespace mpc::onnx
