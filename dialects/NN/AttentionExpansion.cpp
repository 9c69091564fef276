// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention as products of matrices, and the softmax between them.
#include "dialects/NN/AttentionExpansion.h"

#include "dialects/NN/BodyBuilder.h"

#include <limits>

using namespace mlir;
using namespace mpc::nn;

template <typename Op>
static AttentionForm formOf(Op op) {
  AttentionForm form{op.getQuery(), op.getKey(), op.getValue(), op.getMask()};
  form.scale = op.getScale().convertToDouble();
  if (std::optional<APFloat> softcap = op.getSoftcap())
    form.softcap = softcap->convertToDouble();
  form.causal = op.getCausal();
  if (std::optional<uint64_t> window = op.getWindow())
    form.window = static_cast<int64_t>(*window);
  if (op.drops())
    form.dropout = op.getDropout();
  form.stream = op.getStream();
  form.randomKey = op.getRandomKey();
  return form;
}

AttentionForm AttentionForm::of(AttentionOp op) { return formOf(op); }

AttentionForm AttentionForm::of(AttentionGradientOp op) { return formOf(op); }

//===----------------------------------------------------------------------===//
// AttentionBuilder
//===----------------------------------------------------------------------===//

static constexpr double kLowest = -std::numeric_limits<double>::infinity();

AttentionBuilder::AttentionBuilder(OpBuilder &builder, Location loc,
                                   const AttentionForm &form)
    : g(builder, loc), form_(form), scores_(shapeOf(form.query)) {
  scores_.back() = shapeOf(form.key)[2];
}

/// The queries of all heads of a key head, one after the other: a matrix for
/// each key head.
Value AttentionBuilder::grouped(Value perQuery) {
  ArrayRef<int64_t> shape = shapeOf(perQuery);
  int64_t groups = shapeOf(form_.key)[1];
  int64_t queries = shape[1] / groups * shape[2];
  return g.reshape(perQuery, {shape[0], groups, queries, shape[3]});
}

Value AttentionBuilder::products(Value rows, Value others) {
  Value product = MatmulOp::create(g.b, g.loc, grouped(rows), others, Value(),
                                   false, /*transpose_rhs=*/true);
  return g.reshape(product, scores_);
}

Value AttentionBuilder::sumOverKeys(Value scores, Value others) {
  Value sum = MatmulOp::create(g.b, g.loc, grouped(scores), others, Value(),
                               false, false);
  SmallVector<int64_t> shape(scores_);
  shape.back() = shapeOf(others).back();
  return g.reshape(sum, shape);
}

Value AttentionBuilder::sumOverQueries(Value scores, Value rows) {
  return MatmulOp::create(g.b, g.loc, grouped(scores), grouped(rows), Value(),
                          /*transpose_lhs=*/true, false);
}

Value AttentionBuilder::repeat(Value row) {
  return g.broadcast(row, {0, 1, 2}, scores_);
}

/// `row`, and `to` where it is `from`.
Value AttentionBuilder::replaced(Value row, double from, double to) {
  Value isFrom = g.compare(CompareKind::EQ, row, g.splat(row, from));
  return g.select(isFrom, g.splat(row, to), row);
}

Value AttentionBuilder::hideUnless(Value visible, Value scores) {
  return g.select(visible, scores, g.splat(scores, kLowest));
}

/// Hides the keys behind a query, and those before its window.
Value AttentionBuilder::hideLater(Value scores) {
  auto type =
      RankedTensorType::get(ArrayRef(scores_).drop_front(2), g.b.getI32Type());
  Value query = IotaOp::create(g.b, g.loc, type, 0);
  Value key = IotaOp::create(g.b, g.loc, type, 1);
  auto hide = [&](CompareKind kind, Value lhs, Value rhs) {
    Value seen = g.compare(kind, lhs, rhs);
    scores = hideUnless(g.broadcast(seen, {2, 3}, scores_), scores);
  };
  hide(CompareKind::LE, key, query);
  if (form_.window)
    hide(CompareKind::LT, g.sub(query, key),
         g.splat(query, static_cast<double>(*form_.window)));
  return scores;
}

Value AttentionBuilder::scores() {
  Value scores =
      g.scale(products(g.wide(form_.query), g.wide(form_.key)), form_.scale);
  if (!form_.softcap)
    return scores;
  Value part = g.scale(scores, 1 / *form_.softcap);
  return g.scale(TanhOp::create(g.b, g.loc, part.getType(), part),
                 *form_.softcap);
}

Value AttentionBuilder::logits(Value scores) {
  if (Value mask = form_.mask) {
    bool isBool = rankedType(mask).getElementType().isInteger(1);
    if (!isBool)
      mask = g.as(mask, scores);
    mask = g.broadcast(mask, {0, 1, 2, 3}, scores_);
    scores = isBool ? hideUnless(mask, scores) : g.add(scores, mask);
  }
  return form_.causal ? hideLater(scores) : scores;
}

// In a row without a key, the difference of two infinities would be NaN.
Value AttentionBuilder::exponentials(Value logits, Value rowMax) {
  Value shifted = g.sub(logits, repeat(replaced(rowMax, kLowest, 0.0)));
  return ExpOp::create(g.b, g.loc, shifted.getType(), shifted);
}

Value AttentionBuilder::weights(Value logits, Value rowMax, Value rowSum) {
  return g.div(exponentials(logits, rowMax),
               repeat(replaced(rowSum, 0.0, 1.0)));
}

Value AttentionBuilder::gradientOfLogits(Value weights, Value dOutput,
                                         Value delta) {
  Value dWeights = dropped(products(g.wide(dOutput), g.wide(form_.value)));
  return g.mul(weights, g.sub(dWeights, repeat(delta)));
}

// d (c tanh(x / c)) / dx = 1 - tanh(x / c)^2
Value AttentionBuilder::gradientOfProducts(Value scores, Value dLogits) {
  Value gradient = g.scale(dLogits, form_.scale);
  if (!form_.softcap)
    return gradient;
  Value part = g.scale(scores, 1 / *form_.softcap);
  Value slope = g.sub(g.splat(part, 1.0), g.mul(part, part));
  return g.mul(gradient, slope);
}

Value AttentionBuilder::dropped(Value scores) {
  if (!form_.dropout)
    return scores;
  return DropoutOp::create(g.b, g.loc, scores.getType(), scores,
                           form_.randomKey, *form_.dropout, form_.stream);
}

Value AttentionBuilder::reduceTo(Value scores, Value mask) {
  SmallVector<int64_t> axes;
  for (auto [axis, size] : llvm::enumerate(shapeOf(mask)))
    if (size != scores_[axis])
      axes.push_back(static_cast<int64_t>(axis));
  return g.reshape(g.sum(scores, axes), shapeOf(mask));
}

//===----------------------------------------------------------------------===//
// Whole ops
//===----------------------------------------------------------------------===//

SmallVector<Value> mpc::nn::expandAttention(OpBuilder &builder,
                                            AttentionOp op) {
  AttentionBuilder a(builder, op.getLoc(), AttentionForm::of(op));
  GradientBuilder &g = a.g;
  Value logits = a.logits(a.scores());
  Value rowMax = ReduceMaxOp::create(g.b, g.loc, logits, 3);
  Value rowSum = g.sum(a.exponentials(logits, rowMax), 3);
  Value weights = a.dropped(a.weights(logits, rowMax, rowSum));
  Value output = a.sumOverKeys(g.as(weights, op.getValue()), op.getValue());
  return {output, rowMax, rowSum};
}

SmallVector<Value> mpc::nn::expandAttention(OpBuilder &builder,
                                            AttentionGradientOp op) {
  AttentionBuilder a(builder, op.getLoc(), AttentionForm::of(op));
  GradientBuilder &g = a.g;
  Value scores = a.scores();
  Value weights = a.weights(a.logits(scores), op.getRowMax(), op.getRowSum());
  Value dLogits = a.gradientOfLogits(weights, op.getDOutput(), op.getDelta());
  Value dScores = g.as(a.gradientOfProducts(scores, dLogits), op.getQuery());
  return {a.sumOverKeys(dScores, op.getKey()),
          a.sumOverQueries(dScores, op.getQuery()),
          a.sumOverQueries(g.as(a.dropped(weights), op.getValue()),
                           op.getDOutput())};
}
