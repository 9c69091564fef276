// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of constants, and the folds that are common to many ops.
#include "dialects/NN/Constants.h"

#include "dialects/NN/BodyBuilder.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

int64_t nn::toInteger(double value, Type type) {
  if (std::isnan(value))
    return 0;
  if (type && type.isUnsignedInteger(64) && value > 0)
    return static_cast<int64_t>(value < 0x1p64 ? static_cast<uint64_t>(value)
                                               : UINT64_MAX);
  if (value >= 9223372036854775808.0)
    return INT64_MAX;
  if (value <= -9223372036854775808.0)
    return INT64_MIN;
  return static_cast<int64_t>(value);
}

/// Whether elements of `type` are unsigned integers; i1 counts as unsigned.
static bool isUnsignedType(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

static APFloat converted(APFloat value, Type type) {
  bool lost = false;
  value.convert(cast<FloatType>(type).getFloatSemantics(),
                APFloat::rmNearestTiesToEven, &lost);
  return value;
}

int64_t nn::intAt(DenseElementsAttr constant, int64_t index) {
  Type type = constant.getElementType();
  if (isa<FloatType>(type))
    return toInteger(realAt(constant, index), Type());
  APInt value = constant.getValues<APInt>()[index];
  return isUnsignedType(type) ? static_cast<int64_t>(value.getZExtValue())
                              : value.getSExtValue();
}

double nn::realAt(DenseElementsAttr constant, int64_t index) {
  Type type = constant.getElementType();
  if (!isa<FloatType>(type))
    return constant.getValues<APInt>()[index].roundToDouble(
        !isUnsignedType(type));
  Type f64 = Float64Type::get(constant.getContext());
  return converted(constant.getValues<APFloat>()[index], f64).convertToDouble();
}

SmallVector<int64_t> nn::intsOf(DenseElementsAttr constant) {
  SmallVector<int64_t> values;
  for (int64_t i = 0, e = constant.getNumElements(); i < e; ++i)
    values.push_back(intAt(constant, i));
  return values;
}

Value nn::movedFrom(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!op->hasTrait<DataMovement>())
      break;
    value = op->getOperand(0);
  }
  return value;
}

std::optional<APFloat> nn::splatOf(Value value) {
  DenseFPElementsAttr elements;
  if (!matchPattern(movedFrom(value), m_Constant(&elements)) ||
      !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APFloat>();
}

std::optional<double> nn::splatOf(DenseElementsAttr constant) {
  if (!constant || !constant.isSplat())
    return std::nullopt;
  return realAt(constant, 0);
}

DenseElementsAttr nn::constantOfReals(RankedTensorType type,
                                      ArrayRef<double> values) {
  Type element = type.getElementType();
  if (!isa<FloatType>(element))
    return constantOfInts(type, llvm::map_to_vector(values, [&](double value) {
                            return element.isInteger(1)
                                       ? value != 0.0
                                       : toInteger(value, element);
                          }));
  SmallVector<APFloat> rounded;
  for (double value : values)
    rounded.push_back(converted(APFloat(value), element));
  return DenseElementsAttr::get(type, rounded);
}

DenseElementsAttr nn::constantOfInts(RankedTensorType type,
                                     ArrayRef<int64_t> values) {
  SmallVector<APInt> wrapped;
  unsigned width = type.getElementTypeBitWidth();
  for (int64_t value : values) {
    uint64_t bits = width == 1 ? value != 0 : static_cast<uint64_t>(value);
    wrapped.push_back(APInt(64, bits).trunc(width));
  }
  return DenseElementsAttr::get(type, wrapped);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

size_t nn::elementBytes(Type elementType) {
  return std::max(elementType.getIntOrFloatBitWidth() / 8, 1u);
}

ElementBytes::ElementBytes(DenseElementsAttr constant)
    : size_(elementBytes(constant.getElementType())),
      isSplat_(constant.isSplat()), bytes_(constant.getRawData()) {
  if (!constant.getElementType().isInteger(1))
    return;
  for (bool bit : constant.getValues<bool>()) {
    bits_.push_back(bit);
    if (isSplat_)
      break;
  }
  bytes_ = bits_;
}

static bool isRepeated(ArrayRef<char> bytes, size_t size) {
  return bytes.size() > size &&
         std::equal(bytes.begin() + size, bytes.end(), bytes.begin());
}

DenseElementsAttr nn::constantOfBytes(RankedTensorType type,
                                      ArrayRef<char> bytes) {
  size_t size = elementBytes(type.getElementType());
  if (type.getNumElements() == 0)
    bytes = {};
  else if (isRepeated(bytes, size))
    bytes = bytes.take_front(size);
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  SmallVector<bool> bits(bytes.size());
  llvm::transform(bytes, bits.begin(), [](char bit) { return bit != 0; });
  return DenseElementsAttr::get(type, bits);
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

SmallVector<int64_t> nn::denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

DenseElementsAttr nn::foldStrided(DenseElementsAttr input,
                                  RankedTensorType type, int64_t base,
                                  ArrayRef<int64_t> strides) {
  if (input.isSplat())
    return input.resizeSplat(type);
  int64_t count = type.getNumElements();
  if (count > kMostFolded)
    return {};
  ElementBytes from(input);
  SmallVector<char> bytes(count * from.size());
  SmallVector<int64_t> index(type.getRank(), 0);
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(bytes.data() + i * from.size(), from.at(base), from.size());
    for (size_t axis = index.size(); axis-- > 0;) {
      base += strides[axis];
      if (++index[axis] < type.getDimSize(axis))
        break;
      base -= type.getDimSize(axis) * strides[axis];
      index[axis] = 0;
    }
  }
  return constantOfBytes(type, bytes);
}

namespace {

/// The scalar body of an op, ready to be evaluated by the folds of its ops.
class ScalarBody {
public:
  explicit ScalarBody(ScalarBodyOpInterface op) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointToEnd(&block_);
    for (Value operand : op->getOperands()) {
      Type type = getComputeType(getElementTypeOrSelf(operand));
      block_.addArgument(type, op->getLoc());
    }
    result_ = op.buildScalar(builder, op->getLoc(), block_.getArguments());
  }

  /// The result for operands in the compute type; null if it does not fold.
  Attribute evaluate(ArrayRef<Attribute> scalars) {
    llvm::SmallDenseMap<Value, Attribute, 16> known;
    for (auto [argument, scalar] :
         llvm::zip_equal(block_.getArguments(), scalars))
      known[argument] = scalar;
    for (Operation &op : block_)
      if (failed(evaluate(op, known)))
        return {};
    return known.lookup(result_);
  }

private:
  static LogicalResult
  evaluate(Operation &op, llvm::SmallDenseMap<Value, Attribute, 16> &known) {
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known.lookup(operand));
    SmallVector<OpFoldResult> results;
    if (failed(op.fold(operands, results)) || results.size() != 1)
      return failure();
    auto constant = dyn_cast<Attribute>(results.front());
    if (!constant)
      constant = known.lookup(cast<Value>(results.front()));
    known[op.getResult(0)] = constant;
    return success(constant != nullptr);
  }

  Block block_;
  Value result_;
};

} // namespace

/// Element `index` in the compute type.
static Attribute scalarAt(DenseElementsAttr constant, int64_t index) {
  Type type = getComputeType(constant.getElementType());
  if (!isa<FloatType>(type))
    return IntegerAttr::get(type, constant.getValues<APInt>()[index]);
  return FloatAttr::get(type,
                        converted(constant.getValues<APFloat>()[index], type));
}

/// `scalars` as one constant, each rounded to the element type.
static DenseElementsAttr constantOfScalars(RankedTensorType type,
                                           ArrayRef<Attribute> scalars) {
  Type element = type.getElementType();
  if (isa<FloatType>(element)) {
    SmallVector<APFloat> values;
    for (Attribute scalar : scalars)
      values.push_back(converted(cast<FloatAttr>(scalar).getValue(), element));
    return DenseElementsAttr::get(type, values);
  }
  SmallVector<APInt> values;
  for (Attribute scalar : scalars)
    values.push_back(cast<IntegerAttr>(scalar).getValue());
  return DenseElementsAttr::get(type, values);
}

DenseElementsAttr nn::foldScalarBody(ScalarBodyOpInterface op,
                                     ArrayRef<Attribute> operands) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  bool isReal = isa<FloatType>(type.getElementType());
  int64_t count = 1;
  SmallVector<DenseElementsAttr> inputs;
  for (Attribute operand : operands) {
    auto input = dyn_cast_or_null<DenseElementsAttr>(operand);
    if (!input)
      return {};
    if (!input.isSplat())
      count = input.getNumElements();
    isReal |= isa<FloatType>(input.getElementType());
    inputs.push_back(input);
  }
  if (count > (isReal ? kMostFoldedReals : kMostFolded))
    return {};
  ScalarBody body(op);
  SmallVector<Attribute> results, scalars(inputs.size());
  for (int64_t i = 0; i < count; ++i) {
    for (auto [scalar, input] : llvm::zip_equal(scalars, inputs))
      scalar = scalarAt(input, i);
    results.push_back(body.evaluate(scalars));
    if (!results.back())
      return {};
  }
  return constantOfScalars(type, results);
}
