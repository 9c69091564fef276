// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Builds ops of nn, and folds them at once.
#include "lib/Import/Build/TensorBuilder.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace mpc::build {

std::optional<Shape> broadcastShape(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Shape shape(a);
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t &size = shape[a.size() - 1 - i];
    int64_t other = b[b.size() - 1 - i];
    if (size != other && size != 1 && other != 1)
      return std::nullopt;
    if (size == 1)
      size = other;
  }
  return shape;
}

Error checkSize(ArrayRef<int64_t> shape) {
  if (countElements(shape) && shape.size() <= 64)
    return Error::success();
  return invalidModel("the result's shape " + shapeText(shape) +
                      " is negative or too large");
}

RankedTensorType TensorBuilder::tensorType(mlir::Type type,
                                           ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, type);
}

Operand TensorBuilder::fromValue(Value value) {
  auto type = llvm::cast<RankedTensorType>(value.getType());
  Operand operand;
  operand.type = type.getElementType();
  operand.shape = Shape(type.getShape());
  operand.value = value;
  operand.known = knownOf(value);
  return operand;
}

DenseElementsAttr TensorBuilder::knownOf(Value value) const {
  DenseElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) ? constant
                                                    : given_.lookup(value);
}

Operand TensorBuilder::given(Value input, DenseElementsAttr known) {
  if (known)
    given_[input] = known;
  return fromValue(input);
}

/// The bytes of a constant of `type`. Equal elements are stored once.
static size_t sizeOf(RankedTensorType type, bool isSplat) {
  return (isSplat ? 1 : type.getNumElements()) *
         nn::elementBytes(type.getElementType());
}

DenseElementsAttr TensorBuilder::foldGiven(Operation *op) {
  if (llvm::none_of(op->getOperands(),
                    [&](Value operand) { return given_.contains(operand); }))
    return {};
  SmallVector<mlir::Attribute> known;
  bool areSplats = true;
  for (Value operand : op->getOperands()) {
    DenseElementsAttr value = knownOf(operand);
    if (!value)
      return {};
    known.push_back(value);
    areSplats &= value.isSplat();
  }
  auto type = llvm::cast<RankedTensorType>(op->getResult(0).getType());
  if (sizeOf(type, areSplats) > budget_)
    return {};
  // A fold may change the op itself, so that a copy is folded.
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> results;
  bool isFolded = succeeded(copy->fold(known, results)) && results.size() == 1;
  DenseElementsAttr result;
  if (isFolded)
    if (auto attribute = dyn_cast<mlir::Attribute>(results.front()))
      result = dyn_cast<DenseElementsAttr>(attribute);
  copy->destroy();
  // Equal operands may give a result with different elements, as a pad does.
  return result && charge(sizeOf(type, result.isSplat())) ? result
                                                          : DenseElementsAttr();
}

bool TensorBuilder::charge(size_t bytes) {
  if (bytes > budget_)
    return false;
  budget_ -= bytes;
  return true;
}

Error TensorBuilder::budgetFault() {
  return invalidModel("the constants that this file's ops make pass 64 MiB");
}

Operand TensorBuilder::fold(Operation *op) {
  SmallVector<mlir::Attribute> known(op->getNumOperands());
  bool isAnyKnown = false, areSplats = true;
  for (auto [constant, operand] : zip_equal(known, op->getOperands())) {
    DenseElementsAttr attr;
    if (!matchPattern(operand, m_Constant(&attr)))
      continue;
    constant = attr;
    isAnyKnown = true;
    areSplats &= attr.isSplat();
  }
  Value result = op->getResult(0);
  if (DenseElementsAttr value = foldGiven(op))
    return given(result, value);
  auto type = llvm::cast<RankedTensorType>(result.getType());
  SmallVector<OpFoldResult> results;
  if (!isAnyKnown || sizeOf(type, areSplats) > budget_ ||
      failed(op->fold(known, results)) || results.size() != 1)
    return fromValue(result);
  if (auto value = dyn_cast<Value>(results.front())) {
    op->erase();
    return fromValue(value);
  }
  auto constant = llvm::cast<DenseElementsAttr>(
      llvm::cast<mlir::Attribute>(results.front()));
  if (!charge(sizeOf(type, constant.isSplat())))
    return fromValue(result);
  op->erase();
  return this->constant(constant);
}

void TensorBuilder::discard(func::FuncOp function) {
  function->remove();
  function->dropAllReferences();
  discarded_.emplace_back(function);
}

Operand TensorBuilder::constant(DenseElementsAttr value) {
  return fromValue(
      nn::ConstantOp::create(builder_, location_, value.getType(), value));
}

Operand TensorBuilder::constant(mlir::Type type, ArrayRef<int64_t> shape,
                                ArrayRef<char> bytes) {
  return constant(nn::constantOfBytes(tensorType(type, shape), bytes));
}

Operand TensorBuilder::splat(mlir::Type type, ArrayRef<int64_t> shape,
                             double value) {
  return constant(nn::constantOfReals(tensorType(type, shape), value));
}

Operand TensorBuilder::splatLike(const Operand &like, double value) {
  return splat(like.type, like.shape, value);
}

Operand TensorBuilder::ints(ArrayRef<int64_t> values) {
  auto size = static_cast<int64_t>(values.size());
  return constant(nn::constantOfInts(tensorType(i64(), {size}), values));
}

/// The most coordinates that are stored as constants. More of them are computed
/// at run time.
static constexpr int64_t kMostCoordinates = 1 << 16;

Operand TensorBuilder::coordinates(ArrayRef<int64_t> shape, int64_t axis) {
  RankedTensorType type = tensorType(i64(), shape);
  if (type.getNumElements() > kMostCoordinates)
    return fromValue(nn::IotaOp::create(builder_, location_, type,
                                        static_cast<uint64_t>(axis)));
  std::vector<int64_t> values;
  int64_t inner = countElements(shape.drop_front(axis + 1)).value_or(0);
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i)
    values.push_back(i / inner % shape[axis]);
  return constant(nn::constantOfInts(type, values));
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Operand TensorBuilder::reshape(const Operand &input, ArrayRef<int64_t> shape) {
  if (input.shape == shape)
    return input;
  return fold(nn::ReshapeOp::create(
      builder_, location_, tensorType(input.type, shape), input.value));
}

Operand TensorBuilder::joinedFrom(const Operand &input, int64_t axis) {
  Shape joined(ArrayRef(input.shape).take_front(axis));
  joined.push_back(*countElements(ArrayRef(input.shape).drop_front(axis)));
  return reshape(input, joined);
}

Operand TensorBuilder::transpose(const Operand &input,
                                 ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, seq<int64_t>(0, input.rank())))
    return input;
  Shape shape;
  for (int64_t axis : permutation)
    shape.push_back(input.shape[axis]);
  return fold(nn::TransposeOp::create(builder_, location_,
                                      tensorType(input.type, shape),
                                      input.value, permutation));
}

Operand TensorBuilder::broadcast(const Operand &input, ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> axes) {
  if (input.shape == shape)
    return input;
  return fold(nn::BroadcastOp::create(
      builder_, location_, tensorType(input.type, shape), input.value, axes));
}

Operand TensorBuilder::broadcastTo(const Operand &input,
                                   ArrayRef<int64_t> shape) {
  int64_t first = static_cast<int64_t>(shape.size()) - input.rank();
  return broadcast(input, shape,
                   to_vector(seq<int64_t>(first, first + input.rank())));
}

Operand TensorBuilder::slice(const Operand &input, ArrayRef<int64_t> starts,
                             ArrayRef<int64_t> limits,
                             ArrayRef<int64_t> strides) {
  Shape shape;
  for (int64_t axis = 0; axis < input.rank(); ++axis) {
    int64_t extent = limits[axis] - starts[axis];
    shape.push_back(extent <= 0 ? 0 : (extent - 1) / strides[axis] + 1);
  }
  if (input.shape == shape)
    return input;
  return fold(nn::SliceOp::create(builder_, location_,
                                  tensorType(input.type, shape), input.value,
                                  starts, limits, strides));
}

Operand TensorBuilder::sliceAxis(const Operand &input, int64_t axis,
                                 int64_t start, int64_t limit) {
  SmallVector<int64_t> starts(input.rank(), 0), strides(input.rank(), 1);
  Shape limits(input.shape);
  starts[axis] = start;
  limits[axis] = limit;
  return slice(input, starts, limits, strides);
}

std::vector<Operand> TensorBuilder::split(const Operand &input, int64_t axis,
                                          ArrayRef<int64_t> sizes) {
  std::vector<Operand> parts;
  if (input.known || sizes.size() == 1) {
    int64_t start = 0;
    for (int64_t size : sizes) {
      parts.push_back(sliceAxis(input, axis, start, start + size));
      start += size;
    }
    return parts;
  }
  SmallVector<mlir::Type> types;
  for (int64_t size : sizes) {
    Shape shape(input.shape);
    shape[axis] = size;
    types.push_back(tensorType(input.type, shape));
  }
  auto op = nn::SplitOp::create(builder_, location_, types, input.value, axis);
  for (mlir::Value output : op.getOutputs())
    parts.push_back(fromValue(output));
  return parts;
}

Operand TensorBuilder::reverse(const Operand &input, ArrayRef<int64_t> axes) {
  return fold(nn::ReverseOp::create(builder_, location_,
                                    tensorType(input.type, input.shape),
                                    input.value, axes));
}

Operand TensorBuilder::concat(ArrayRef<Operand> inputs, int64_t axis) {
  if (inputs.size() == 1)
    return inputs.front();
  Shape shape = inputs.front().shape;
  for (const Operand &input : inputs.drop_front())
    shape[axis] += input.shape[axis];
  auto values =
      map_to_vector(inputs, [&](const Operand &in) { return in.value; });
  return fold(nn::ConcatOp::create(builder_, location_,
                                   tensorType(inputs.front().type, shape),
                                   values, static_cast<uint64_t>(axis)));
}

Operand TensorBuilder::pad(const Operand &input, ArrayRef<int64_t> low,
                           ArrayRef<int64_t> high, ArrayRef<int64_t> interior,
                           double padding) {
  Shape shape;
  bool change = false;
  for (int64_t axis = 0; axis < input.rank(); ++axis) {
    int64_t size = input.shape[axis];
    shape.push_back(size + low[axis] + high[axis] +
                    std::max<int64_t>(size - 1, 0) * interior[axis]);
    change |= low[axis] != 0 || high[axis] != 0 || interior[axis] != 0;
  }
  if (!change)
    return input;
  return fold(nn::PadOp::create(builder_, location_,
                                tensorType(input.type, shape), input.value, low,
                                high, interior, APFloat(padding)));
}

Operand TensorBuilder::gather(const Operand &input, const Operand &indices,
                              int64_t axis, int64_t batchDims,
                              std::optional<int64_t> frozen) {
  ArrayRef<int64_t> in = input.shape;
  // A single known index is a slice, whose gradient is a pad and not a scatter.
  if (indices.known && batchDims == 0 && indices.rank() == 0) {
    int64_t at = nn::intAt(indices.known, 0);
    Shape shape(in.take_front(axis));
    append_range(shape, in.drop_front(axis + 1));
    return reshape(sliceAxis(input, axis, at, at + 1), shape);
  }
  Shape shape(in.take_front(axis));
  append_range(shape, ArrayRef(indices.shape).drop_front(batchDims));
  append_range(shape, in.drop_front(axis + 1));
  return fold(nn::GatherOp::create(
      builder_, location_, tensorType(input.type, shape), input.value,
      indices.value, static_cast<uint64_t>(axis),
      static_cast<uint64_t>(batchDims),
      frozen ? builder_.getI64IntegerAttr(*frozen) : IntegerAttr()));
}

Operand TensorBuilder::shifted(const Operand &input, int64_t axis,
                               int64_t distance, double filler) {
  SmallVector<int64_t> low(input.rank(), 0), high = low, none = low;
  low[axis] = distance;
  high[axis] = -distance;
  return pad(input, low, high, none, filler);
}

// Products join in steps of 1, 2, 4, ..., so that each element has joined twice
// as many after each step (Hillis and Steele, 1986): their gradient is that of
// the steps, which needs no quotient.
Operand TensorBuilder::scan(Binary kind, const Operand &input, int64_t axis) {
  if (kind == Binary::Add)
    return fold(nn::CumsumOp::create(builder_, location_, input.value.getType(),
                                     input.value, axis,
                                     /*reverse=*/false));
  // Each product is rounded to 16 bits once, and not in every round.
  Operand x = input.isFloat() ? wide(input) : input;
  for (int64_t distance = 1; distance < x.shape[axis]; distance *= 2)
    x = binary(kind, x, shifted(x, axis, distance, 1.0));
  return cast(x, input.type);
}

Operand TensorBuilder::withoutGradient(const Operand &input) {
  if (!input.isFloat())
    return input;
  return fold(nn::StopGradientOp::create(builder_, location_, input.value));
}

Operand TensorBuilder::variable(const Operand &input) {
  return fromValue(nn::VariableOp::create(builder_, location_,
                                          input.value.getType(), input.value));
}

bool TensorBuilder::isVariable(const Operand &operand) {
  return operand.value && operand.value.getDefiningOp<nn::VariableOp>();
}

static SmallVector<Value> valuesOf(ArrayRef<Operand> operands) {
  return map_to_vector(operands, [](const Operand &x) { return x.value; });
}

std::vector<Operand> TensorBuilder::gradients(ArrayRef<Operand> values,
                                              ArrayRef<Operand> seeds,
                                              ArrayRef<Operand> wrt) {
  SmallVector<Value> variables = valuesOf(wrt);
  auto op =
      nn::GradOp::create(builder_, location_, ValueRange(variables).getTypes(),
                         valuesOf(values), valuesOf(seeds), variables);
  std::vector<Operand> results;
  for (Value gradient : op.getGradients())
    results.push_back(fromValue(gradient));
  return results;
}

//===----------------------------------------------------------------------===//
// Reductions, contractions, normalization
//===----------------------------------------------------------------------===//

static Shape without(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  Shape kept;
  for (auto [axis, size] : enumerate(shape))
    if (!is_contained(axes, static_cast<int64_t>(axis)))
      kept.push_back(size);
  return kept;
}

template <typename OpTy>
Operand TensorBuilder::reduce(const Operand &input, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return input;
  return fold(OpTy::create(builder_, location_,
                           tensorType(input.type, without(input.shape, axes)),
                           input.value, axes));
}

Operand TensorBuilder::reduceSum(const Operand &input, ArrayRef<int64_t> axes) {
  return reduce<nn::ReduceSumOp>(input, axes);
}

Operand TensorBuilder::reduceMax(const Operand &input, ArrayRef<int64_t> axes) {
  return reduce<nn::ReduceMaxOp>(input, axes);
}

Operand TensorBuilder::reduceMin(const Operand &input, ArrayRef<int64_t> axes) {
  return reversed(reduceMax(reversed(input), axes));
}

Operand TensorBuilder::reduceProd(const Operand &input,
                                  ArrayRef<int64_t> axes) {
  return reduce<nn::ReduceProdOp>(input, axes);
}

Operand TensorBuilder::reduceMean(const Operand &input,
                                  ArrayRef<int64_t> axes) {
  // In f16 the sum may overflow although the mean does not.
  double count = 1;
  for (int64_t axis : axes)
    count *= static_cast<double>(input.shape[axis]);
  Operand mean = binary(Binary::Div, reduceSum(wide(input), axes), count);
  return cast(mean, input.type);
}

Operand TensorBuilder::placeOfMaximum(const Operand &input, int64_t axis,
                                      bool last) {
  Shape unit = input.shape;
  unit[axis] = 1;
  Operand peak = reshape(reduceMax(input, {axis}), unit);
  peak = broadcastTo(peak, input.shape);
  Operand isPeak = compare(nn::CompareKind::EQ, input, peak);
  if (input.isFloat()) {
    // NaN does not equal itself.
    Operand isNaN = compare(nn::CompareKind::NE, input, input);
    isPeak = select(isNaN, isNaN, isPeak);
  }
  // The largest position that has the maximum. Positions are counted from the
  // end where the first one is wanted.
  Operand number = cast(coordinates(input.shape, axis), f32());
  auto top = static_cast<double>(input.shape[axis] - 1);
  if (!last)
    number = binary(Binary::Sub, splatLike(number, top), number);
  Operand found =
      reduceMax(select(isPeak, number, splatLike(number, -1.0)), {axis});
  if (!last)
    found = binary(Binary::Sub, splatLike(found, top), found);
  return reshape(found, unit);
}

Operand TensorBuilder::matmul(const Operand &lhs, const Operand &rhs,
                              bool transposeLhs, bool transposeRhs) {
  Shape shape(ArrayRef(lhs.shape).drop_back(2));
  shape.push_back(lhs.shape[lhs.rank() - (transposeLhs ? 1 : 2)]);
  shape.push_back(rhs.shape[rhs.rank() - (transposeRhs ? 2 : 1)]);
  return fold(nn::MatmulOp::create(
      builder_, location_, tensorType(lhs.type, shape), lhs.value, rhs.value,
      /*bias=*/Value(), transposeLhs, transposeRhs));
}

Operand TensorBuilder::asWritten(mlir::Type type, ArrayRef<int64_t> shape,
                                 llvm::function_ref<Operand()> compute) {
  auto region =
      nn::AutocastOp::create(builder_, location_, tensorType(type, shape),
                             /*enabled=*/false, mlir::TypeAttr());
  mlir::OpBuilder::InsertionGuard guard(builder_);
  builder_.createBlock(&region.getBody());
  nn::YieldOp::create(builder_, location_, compute().value);
  return fromValue(region.getResult(0));
}

Operand TensorBuilder::matmulAsWritten(const Operand &lhs, const Operand &rhs) {
  if (lhs.known && rhs.known)
    return matmul(lhs, rhs);
  Shape shape(lhs.shape);
  shape.back() = rhs.shape.back();
  return asWritten(lhs.type, shape, [&] { return matmul(lhs, rhs); });
}

Operand TensorBuilder::linear(const Operand &input, const Operand &weight,
                              const Operand *bias) {
  Shape shape(input.shape);
  shape.back() = weight.shape.front();
  Value in = input.value;
  Value w = weight.value;
  return fold(nn::LinearOp::create(builder_, location_,
                                   tensorType(input.type, shape), in, w,
                                   bias ? bias->value : Value()));
}

Operand TensorBuilder::softmax(const Operand &input, int64_t axis) {
  return fold(nn::SoftmaxOp::create(builder_, location_,
                                    tensorType(input.type, input.shape),
                                    input.value, static_cast<uint64_t>(axis)));
}

Operand TensorBuilder::logSoftmax(const Operand &input, int64_t axis) {
  return fold(nn::LogSoftmaxOp::create(
      builder_, location_, tensorType(input.type, input.shape), input.value,
      static_cast<uint64_t>(axis)));
}

Operand TensorBuilder::layerNorm(const Operand &input, const Operand *scale,
                                 const Operand *bias, int64_t axis,
                                 double epsilon) {
  Value in = input.value;
  Value gamma = scale ? scale->value : Value();
  Value beta = bias ? bias->value : Value();
  return fold(nn::LayerNormOp::create(
      builder_, location_, tensorType(input.type, input.shape), in, gamma, beta,
      static_cast<uint64_t>(axis), APFloat(epsilon)));
}

} // namespace mpc::build
