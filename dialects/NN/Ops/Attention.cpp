// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and its gradient.
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/AttentionExpansion.h"
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Ops/Contraction.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

#define GET_OP_CLASSES
#include "dialects/NN/NNAttentionOps.cpp.inc"

//===----------------------------------------------------------------------===//
// What both share
//===----------------------------------------------------------------------===//

/// Checks that query, key and value have shapes that belong together.
template <typename Adaptor>
static LogicalResult checkFactors(std::optional<Location> loc,
                                  Adaptor adaptor) {
  auto query = rankedType(adaptor.getQuery());
  auto key = rankedType(adaptor.getKey());
  auto value = rankedType(adaptor.getValue());
  for (RankedTensorType type : {query, key, value})
    if (type.getRank() != 4)
      return emitOptionalError(loc, "query, key and value must have four axes: "
                                    "batch, heads, sequence, features");
  for (RankedTensorType type : {key, value})
    if (type.getElementType() != query.getElementType())
      return emitOptionalError(loc, "operands must have one element type");
  if (key.getShape().drop_back() != value.getShape().drop_back())
    return emitOptionalError(loc,
                             "key and value differ before their last axis");
  if (query.getDimSize(0) != key.getDimSize(0))
    return emitOptionalError(loc, "query has a batch of ", query.getDimSize(0),
                             ", key one of ", key.getDimSize(0));
  if (query.getDimSize(3) != key.getDimSize(3))
    return emitOptionalError(loc, "query has ", query.getDimSize(3),
                             " features, key has ", key.getDimSize(3));
  if (key.getDimSize(1) < 1 || query.getDimSize(1) % key.getDimSize(1) != 0)
    return emitOptionalError(loc, key.getDimSize(1),
                             " key heads do not divide ", query.getDimSize(1),
                             " query heads");
  if (key.getDimSize(2) < 1)
    return emitOptionalError(loc, "there must be a key");
  return success();
}

/// Checks the mask and the attributes.
template <typename Adaptor>
static LogicalResult checkMasks(std::optional<Location> loc, Adaptor adaptor) {
  ArrayRef<int64_t> query = shapeOf(adaptor.getQuery());
  int64_t sizes[] = {query[0], query[1], query[2],
                     shapeOf(adaptor.getKey())[2]};
  if (Value mask = adaptor.getMask()) {
    ArrayRef<int64_t> shape = shapeOf(mask);
    bool fits = shape.size() == 4;
    for (size_t axis = 0; fits && axis < 4; ++axis)
      fits = shape[axis] == 1 || shape[axis] == sizes[axis];
    if (!fits)
      return emitOptionalError(loc, "mask must be [", ArrayRef(sizes),
                               "], or 1 on an axis that it repeats");
  }
  if (!adaptor.getScale().isFinite())
    return emitOptionalError(loc, "scale must be finite");
  if (std::optional<APFloat> cap = adaptor.getSoftcap();
      cap && !(cap->isFinite() && !cap->isNegative() && !cap->isZero()))
    return emitOptionalError(loc, "softcap must be positive and finite");
  std::optional<uint64_t> window = adaptor.getWindow();
  if (window && (!adaptor.getCausal() || static_cast<int64_t>(*window) < 1))
    return emitOptionalError(
        loc, "a window must be causal and hold one key or more");
  return success();
}

/// The type of what is kept of a row: [b, h, t] of the compute type.
static RankedTensorType getRowType(RankedTensorType query) {
  return RankedTensorType::get(query.getShape().drop_back(),
                               getComputeType(query.getElementType()));
}

/// How many pairs of a query and a key there are for each head.
static int64_t countPairs(const AttentionForm &form) {
  int64_t queries = shapeOf(form.query)[2], keys = shapeOf(form.key)[2];
  if (!form.causal)
    return saturatedProduct({queries, keys});
  int64_t count = 0;
  for (int64_t query = 0; query < queries; ++query) {
    int64_t first =
        form.window ? std::max(query - *form.window, int64_t{-1}) + 1 : 0;
    count += std::max(std::min(query + 1, keys) - first, int64_t{0});
  }
  return count;
}

/// The pairs of all heads.
static int64_t countAllPairs(const AttentionForm &form) {
  return saturatedProduct(shapeOf(form.query).take_front(2), countPairs(form));
}

/// The type of a tensor of scores.
static RankedTensorType getScoresType(Value query, Value key) {
  SmallVector<int64_t> shape(shapeOf(query));
  shape.back() = shapeOf(key)[2];
  return rankedType(query).clone(shape);
}

/// What dropout's numbers would take if they were kept: a byte for each.
template <typename Op>
static int64_t countDrawnBytes(Op op) {
  return getScoresType(op.getQuery(), op.getKey()).getNumElements();
}

template <typename Op>
static LogicalResult verifyDropout(Op op) {
  std::optional<APFloat> dropout = op.getDropout();
  if (!dropout)
    return op.getRandomKey().empty()
               ? success()
               : op.emitOpError("has a key but no dropout that draws by it");
  double ratio = dropout->convertToDouble();
  if (!(ratio >= 0.0 && ratio <= 1.0))
    return op.emitOpError("dropout must be from 0 to 1, not ") << ratio;
  return verifyKey(op, getScoresType(op.getQuery(), op.getKey()));
}

LogicalResult AttentionOp::verify() { return verifyDropout(*this); }

LogicalResult AttentionGradientOp::verify() { return verifyDropout(*this); }

int64_t AttentionOp::getDrawnBytes() { return countDrawnBytes(*this); }

int64_t AttentionGradientOp::getDrawnBytes() { return countDrawnBytes(*this); }

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            AttentionOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  if (failed(checkFactors(loc, adaptor)) || failed(checkMasks(loc, adaptor)))
    return failure();
  auto query = rankedType(adaptor.getQuery());
  SmallVector<int64_t> shape(query.getShape());
  shape.back() = shapeOf(adaptor.getValue()).back();
  inferred.append({query.clone(shape), getRowType(query), getRowType(query)});
  return success();
}

bool AttentionOp::hasOwnType(Value value) {
  return value == getMask() || value == getRowMax() || value == getRowSum();
}

int64_t AttentionOp::getMultiplyAdds() {
  int64_t features = shapeOf(getKey()).back() + shapeOf(getValue()).back();
  return saturatedProduct(features, countAllPairs(AttentionForm::of(*this)));
}

/// The mask's gradient. It takes a tensor of scores, which no kernel makes.
static Value gradientOfMask(AttentionBuilder &a, AttentionOp op, Value dOutput,
                            Value delta) {
  Value weights =
      a.weights(a.logits(a.scores()), op.getRowMax(), op.getRowSum());
  Value dLogits = a.gradientOfLogits(weights, dOutput, delta);
  return a.g.as(a.reduceTo(dLogits, op.getMask()), op.getMask());
}

// With P = softmax(logits) and dP = dO V^T, row by row:
// dLogits = P (dP - delta), where delta = sum(P dP) - rowSum dRowSum and
// sum(P dP) = sum(dO O). The maximum is a constant.
LogicalResult AttentionOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                    Gradients dIn) {
  if (!dOut[0] && !dOut[2])
    return success();
  AttentionBuilder a(b, getLoc(), AttentionForm::of(*this));
  GradientBuilder &g = a.g;
  Value dOutput = dOut[0] ? dOut[0] : g.splat(getOutput(), 0.0);
  Value delta = g.sum(g.mul(g.wide(dOutput), g.wide(getOutput())), 3);
  if (dOut[2])
    delta = g.sub(delta, g.mul(dOut[2], getRowSum()));
  auto gradient = AttentionGradientOp::create(
      b, getLoc(), getQuery(), getKey(), getValue(), getMask(), getRowMax(),
      getRowSum(), delta, dOutput, getRandomKey(), getScaleAttr(),
      getSoftcapAttr(), getCausalAttr(), getWindowAttr(), getDropoutAttr(),
      getStreamAttr());
  dIn[0] = gradient.getDQuery();
  dIn[1] = gradient.getDKey();
  dIn[2] = gradient.getDValue();
  if (getMask() && isa<FloatType>(rankedType(getMask()).getElementType()))
    dIn[3] = gradientOfMask(a, *this, dOutput, delta);
  return success();
}

//===----------------------------------------------------------------------===//
// AttentionGradientOp
//===----------------------------------------------------------------------===//

LogicalResult AttentionGradientOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc,
    AttentionGradientOp::Adaptor adaptor, SmallVectorImpl<Type> &inferred) {
  if (failed(checkFactors(loc, adaptor)) || failed(checkMasks(loc, adaptor)))
    return failure();
  auto query = rankedType(adaptor.getQuery());
  RankedTensorType row = getRowType(query);
  for (Value value :
       {adaptor.getRowMax(), adaptor.getRowSum(), adaptor.getDelta()})
    if (value.getType() != row)
      return emitOptionalError(loc, "row_max, row_sum and delta must be ", row);
  SmallVector<int64_t> shape(query.getShape());
  shape.back() = shapeOf(adaptor.getValue()).back();
  if (adaptor.getDOutput().getType() != query.clone(shape))
    return emitOptionalError(loc, "d_output must be ", query.clone(shape));
  inferred.append(
      {query, adaptor.getKey().getType(), adaptor.getValue().getType()});
  return success();
}

bool AttentionGradientOp::hasOwnType(Value value) {
  Value own[] = {getMask(), getRowMax(), getRowSum(), getDelta()};
  return llvm::is_contained(own, value);
}

int64_t AttentionGradientOp::getMultiplyAdds() {
  // Logits and dP are computed; of three sums two are over the features of a
  // key.
  int64_t features =
      3 * shapeOf(getKey()).back() + 2 * shapeOf(getValue()).back();
  return saturatedProduct(features, countAllPairs(AttentionForm::of(*this)));
}

namespace {

/// The cotangents of the values of a row of ops.
class Backward {
public:
  explicit Backward(OpBuilder &builder) : b_(builder) {}

  void add(Value value, Value cotangent) {
    if (!cotangent)
      return;
    GradientBuilder g(b_, value.getLoc());
    Value &sum = sums_[value];
    sum = sum ? g.as(g.add(g.wide(sum), g.wide(cotangent)), value) : cotangent;
  }

  /// Takes the cotangent of a value, which is null the next time.
  Value take(Value value) {
    Value sum = sums_.lookup(value);
    sums_.erase(value);
    return sum;
  }

  LogicalResult propagate(Operation *op) {
    SmallVector<Value> dOut, dIn(op->getNumOperands());
    for (Value result : op->getResults())
      dOut.push_back(sums_.lookup(result));
    if (dIn.empty() || llvm::none_of(dOut, [](Value d) { return d; }))
      return success();
    if (failed(cast<VJPOpInterface>(op).buildVJP(b_, dOut, dIn)))
      return failure();
    for (auto [operand, cotangent] : llvm::zip_equal(op->getOperands(), dIn))
      add(operand, cotangent);
    return success();
  }

private:
  OpBuilder &b_;
  DenseMap<Value, Value> sums_;
};

} // namespace

// The VJPs of the ops that it expands to, in reverse order.
LogicalResult AttentionGradientOp::buildVJP(OpBuilder &b, Cotangents dOut,
                                            Gradients dIn) {
  SmallVector<Operation *> ops;
  Operation *last = b.getInsertionPoint() == b.getBlock()->begin()
                        ? nullptr
                        : &*std::prev(b.getInsertionPoint());
  SmallVector<Value> results = expandAttention(b, *this);
  Block::iterator first =
      last ? std::next(last->getIterator()) : b.getBlock()->begin();
  for (Operation &op : llvm::make_range(first, b.getInsertionPoint()))
    ops.push_back(&op);
  Backward backward(b);
  for (auto [result, cotangent] : llvm::zip_equal(results, dOut))
    backward.add(result, cotangent);
  for (Operation *op : llvm::reverse(ops))
    if (failed(backward.propagate(op)))
      return failure();
  // One value may be several operands; its cotangent is that of all.
  for (auto [operand, cotangent] : llvm::zip_equal(getOperands(), dIn))
    cotangent = backward.take(operand);
  return success();
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// The map from (batch, head, query, key) to a mask's indices.
static AffineMap maskMap(Builder &b, RankedTensorType mask) {
  SmallVector<AffineExpr> indices;
  for (auto [axis, size] : llvm::enumerate(mask.getShape()))
    indices.push_back(size == 1 ? b.getAffineConstantExpr(0)
                                : b.getAffineDimExpr(axis));
  return AffineMap::get(4, 0, indices, b.getContext());
}

/// From (batch, head, row, element) to the indices of a tensor with heads next
/// to each other, as a product reads it.
static AffineMap joinedMap(MLIRContext *context) {
  return AffineMap::getPermutationMap(ArrayRef<unsigned>{0, 2, 1, 3}, context);
}

/// The maps of what both ops read: queries, keys, values, and the mask, if
/// there is one.
static SmallVector<AffineMap> readMaps(Builder &b, Value mask) {
  SmallVector<AffineMap> maps(3, b.getMultiDimIdentityMap(4));
  if (mask)
    maps.push_back(maskMap(b, rankedType(mask)));
  return maps;
}

/// A destination with heads next to each other.
static Value joinedInit(OpBuilder &b, Location loc, RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  return tensor::EmptyOp::create(
      b, loc, ArrayRef<int64_t>{shape[0], shape[2], shape[1], shape[3]},
      type.getElementType());
}

/// `joined`, [batch, row, head, element], as [batch, head, row, element].
static Value splitHeads(OpBuilder &b, Location loc, Value joined,
                        RankedTensorType type) {
  return buildMap(b, loc, type, {{joined, joinedMap(b.getContext())}},
                  [](OpBuilder &, Location, ValueRange s) { return s[0]; });
}

static SmallVector<int64_t> sizesOf(Value query, Value key, Value value) {
  ArrayRef<int64_t> q = shapeOf(query), k = shapeOf(key);
  return {q[0], q[1], k[1], q[2], k[2], q[3], shapeOf(value)[3]};
}

/// The ratio of dropout, where it draws.
template <typename Op>
static FloatAttr getActiveDropout(Op op) {
  return op.drops() ? op.getDropoutAttr() : FloatAttr();
}

FailureOr<SmallVector<Value>> AttentionOp::buildBody(OpBuilder &b,
                                                     ValueRange operands) {
  Location loc = getLoc();
  auto output = rankedType(getOutput()), rows = rankedType(getRowMax());
  Value mask = getMask() ? operands[3] : Value();
  SmallVector<AffineMap> maps = readMaps(b, mask);
  SmallVector<Value> random =
      readKey(b, *this, operands.drop_front(maps.size()));
  AffineMap row = b.getMultiDimIdentityMap(3);
  maps.append(random.size(), AffineMap::get(b.getContext()));
  maps.append({joinedMap(b.getContext()), row, row});
  Value outputInit = joinedInit(b, loc, output);
  Value rowsInit =
      tensor::EmptyOp::create(b, loc, rows.getShape(), rows.getElementType());
  auto body = kernel::AttentionOp::create(
      b, loc, TypeRange{outputInit.getType(), rows, rows}, operands[0],
      operands[1], operands[2], mask, random, outputInit, rowsInit, rowsInit,
      b.getDenseI64ArrayAttr(sizesOf(getQuery(), getKey(), getValue())),
      getScaleAttr(), getSoftcapAttr(), getCausalAttr(), getWindowAttr(),
      getActiveDropout(*this), b.getAffineMapArrayAttr(maps));
  return SmallVector<Value>{splitHeads(b, loc, body.getOutput(), output),
                            body.getRowMax(), body.getRowSum()};
}

FailureOr<SmallVector<Value>>
AttentionGradientOp::buildBody(OpBuilder &b, ValueRange operands) {
  Location loc = getLoc();
  Value mask = getMask() ? operands[3] : Value();
  SmallVector<AffineMap> maps = readMaps(b, mask);
  ValueRange rest = operands.drop_front(maps.size());
  SmallVector<Value> random = readKey(b, *this, rest.drop_front(4));
  AffineMap rows = b.getMultiDimIdentityMap(3);
  AffineMap joined = joinedMap(b.getContext());
  maps.append({rows, rows, rows, b.getMultiDimIdentityMap(4)});
  maps.append(random.size(), AffineMap::get(b.getContext()));
  maps.append({joined, joined, joined});
  SmallVector<Value> inits;
  for (Value result : getResults())
    inits.push_back(joinedInit(b, loc, rankedType(result)));
  auto body = kernel::AttentionGradientOp::create(
      b, loc, TypeRange(ValueRange(inits)), operands[0], operands[1],
      operands[2], mask, rest[0], rest[1], rest[2], rest[3], random, inits[0],
      inits[1], inits[2],
      b.getDenseI64ArrayAttr(sizesOf(getQuery(), getKey(), getValue())),
      getScaleAttr(), getSoftcapAttr(), getCausalAttr(), getWindowAttr(),
      getActiveDropout(*this), b.getAffineMapArrayAttr(maps));
  SmallVector<Value> results;
  for (auto [value, result] : llvm::zip_equal(body.getResults(), getResults()))
    results.push_back(splitHeads(b, loc, value, rankedType(result)));
  return results;
}
