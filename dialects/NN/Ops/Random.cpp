// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers by Philox, and dropout.
#include "dialects/NN/Random.h"

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/Kernel/Philox.h"
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/Gradient.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

#include "dialects/NN/NNRandomInterface.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/NN/NNRandomOps.cpp.inc"

/// The bits of a counter's word that are the stream. Above them is the number
/// of the draw.
static constexpr int kStreamBits = 30;
static constexpr uint32_t kDraws = 4;

static Value word(ImplicitLocOpBuilder &b, uint32_t value) {
  return arith::ConstantIntOp::create(b, static_cast<int32_t>(value), 32);
}

static Value wide(ImplicitLocOpBuilder &b, uint64_t value) {
  return arith::ConstantIntOp::create(b, static_cast<int64_t>(value), 64);
}

static Value lowerHalf(ImplicitLocOpBuilder &b, Value x) {
  return arith::TruncIOp::create(b, b.getI32Type(), x);
}

static Value upperHalf(ImplicitLocOpBuilder &b, Value x) {
  return lowerHalf(b, arith::ShRUIOp::create(b, x, wide(b, 32)));
}

//===----------------------------------------------------------------------===//
// The inputs of a draw
//===----------------------------------------------------------------------===//

namespace {

/// The scalars from which the random numbers of an op follow, inside of its
/// body.
struct Draw {
  Value key, counter, batch;
  uint32_t number = 0; ///< Of the draws from one stream.
};

} // namespace

/// This element's position in row-major order in the axes of `shape` from
/// `first` on.
static Value emitPosition(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                          size_t first) {
  Value position = word(b, 0);
  for (auto [number, size] : llvm::enumerate(shape)) {
    Value index = arith::IndexCastOp::create(
        b, b.getI32Type(), linalg::IndexOp::create(b, first + number));
    position = arith::MulIOp::create(b, position, word(b, size));
    position = arith::AddIOp::create(b, position, index);
  }
  return position;
}

/// `first` + `place`, in two words.
static std::array<Value, 2> emitSum(ImplicitLocOpBuilder &b, Value first,
                                    Value place) {
  Value start = lowerHalf(b, first);
  Value low = arith::AddIOp::create(b, start, place);
  Value isCarried =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, low, start);
  Value carry = arith::ExtUIOp::create(b, b.getI32Type(), isCarried);
  return {low, arith::AddIOp::create(b, upperHalf(b, first), carry)};
}

/// The word of a block that belongs to the element in this column of a row of
/// `length` elements.
static Value selectWord(ImplicitLocOpBuilder &b, ResultRange words,
                        Value column, int64_t length) {
  Value chosen = words[0];
  if (length <= kernel::kRunLanes)
    return chosen;
  Value number = arith::RemUIOp::create(
      b, arith::DivUIOp::create(b, column, word(b, kernel::kRunLanes)),
      word(b, kernel::kRunWords));
  for (uint32_t other = 1; other < kernel::kRunWords; ++other) {
    if (other * kernel::kRunLanes >= length)
      break;
    Value isOther = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                          word(b, other));
    chosen = arith::SelectOp::create(b, isOther, words[other], chosen);
  }
  return chosen;
}

/// The random bits of this element of a tensor of `shape`.
static Value emitBits(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                      const Draw &draw) {
  auto [rows, length, joined] = kernel::getRandomRows(shape);
  size_t leading = shape.size() - joined;
  Value row = emitPosition(b, shape.take_front(leading), 0);
  Value column = emitPosition(b, shape.drop_front(leading), leading);
  int64_t runs = kernel::countRuns({1, length});
  Value run = arith::AddIOp::create(
      b, arith::MulIOp::create(b, row, word(b, runs)),
      arith::DivUIOp::create(b, column, word(b, kernel::kRunLength)));
  Value lane = arith::RemUIOp::create(b, column, word(b, kernel::kRunLanes));
  Value place = arith::AddIOp::create(
      b, arith::MulIOp::create(b, run, word(b, kernel::kRunLanes)), lane);
  Value first = arith::MulIOp::create(b, draw.batch,
                                      wide(b, rows * runs * kernel::kRunLanes));
  auto [low, high] = emitSum(b, first, place);
  Value stream = arith::OrIOp::create(b, upperHalf(b, draw.counter),
                                      word(b, draw.number << kStreamBits));
  SmallVector<Type> words(kernel::kRunWords, b.getI32Type());
  auto block = kernel::PhiloxOp::create(
      b, words, low, high, stream, lowerHalf(b, draw.counter),
      lowerHalf(b, draw.key), upperHalf(b, draw.key));
  return selectWord(b, block.getResults(), column, length);
}

/// The bits of a number in [0, 1): its multiple of 2^-24.
static Value emitUnits(ImplicitLocOpBuilder &b, Value bits) {
  return arith::ShRUIOp::create(b, bits, word(b, 32 - kernel::kUniformBits));
}

static int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

LogicalResult mpc::nn::verifyKey(RandomInterface op, RankedTensorType type) {
  OperandRange key = op.getRandomKeyMutable();
  if (!key.empty() && (key.size() != 3 || rankOf(key[0]) != 0 ||
                       rankOf(key[1]) != 1 || rankOf(key[2]) != 0))
    return op->emitOpError("takes a key, a vector of counters and a batch, or "
                           "none of them");
  if (!key.empty() && op.getStream() >= shapeOf(key[1]).front())
    return op->emitOpError("draws from stream ")
           << op.getStream() << " of " << shapeOf(key[1]).front();
  if (op.getStream() >= uint32_t{1} << kStreamBits)
    return op->emitOpError("draws from stream ")
           << op.getStream() << "; 2^" << kStreamBits
           << " is the first too many";
  int64_t runs = kernel::countRuns(kernel::getRandomRows(type.getShape()));
  if (runs > (int64_t{1} << 32) / kernel::kRunLanes)
    return op->emitOpError("draws ") << runs
                                     << " runs of numbers; 2^28 are the "
                                        "most";
  return success();
}

SmallVector<Value> mpc::nn::readKey(OpBuilder &b, RandomInterface op,
                                    ValueRange key) {
  if (key.empty())
    return {};
  auto scalar = RankedTensorType::get({}, b.getI64Type());
  Value counter = mpc::kernel::ViewOp::create(b, op.getLoc(), scalar, key[1],
                                              op.getStream());
  return {key[0], counter, key[2]};
}

/// `tensors` and then `scalars`, as the inputs of a map over `type`.
static SmallVector<MappedTensor> mapped(OpBuilder &b, RankedTensorType type,
                                        ValueRange tensors,
                                        ValueRange scalars) {
  SmallVector<MappedTensor> inputs;
  for (Value tensor : tensors)
    inputs.push_back({tensor, b.getMultiDimIdentityMap(type.getRank())});
  for (Value scalar : scalars)
    inputs.push_back(
        {scalar, AffineMap::get(type.getRank(), 0, {}, b.getContext())});
  return inputs;
}

//===----------------------------------------------------------------------===//
// RandomCountersOp
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> RandomCountersOp::buildBody(OpBuilder &builder,
                                                          ValueRange operands) {
  auto type = getOutput().getType();
  return SmallVector<Value>{buildMap(
      builder, getLoc(), type, mapped(builder, type, {}, operands),
      [&](OpBuilder &n, Location l, ValueRange s) -> Value {
        ImplicitLocOpBuilder b(l, n);
        Value index = arith::IndexCastOp::create(b, b.getI64Type(),
                                                 linalg::IndexOp::create(b, 0));
        Value stream = arith::ShLIOp::create(b, index, wide(b, 32));
        Value step = arith::AndIOp::create(b, s[0], wide(b, 0xffffffff));
        return arith::OrIOp::create(b, stream, step);
      })};
}

//===----------------------------------------------------------------------===//
// RandomBitsOp
//===----------------------------------------------------------------------===//

LogicalResult RandomBitsOp::verify() {
  if (getDraw() >= kDraws)
    return emitOpError("has draw ")
           << getDraw() << "; a stream has draws 0 to " << kDraws - 1;
  return verifyKey(*this, getOutput().getType());
}

int64_t RandomBitsOp::getDrawnBytes() {
  return getOutput().getType().getNumElements() * int64_t{sizeof(int32_t)};
}

FailureOr<SmallVector<Value>> RandomBitsOp::buildBody(OpBuilder &builder,
                                                      ValueRange operands) {
  if (operands.empty())
    return emitOpError(
        "has no key to draw by: give it key, counters and batch");
  auto type = getOutput().getType();
  SmallVector<Value> scalars = readKey(builder, *this, operands);
  return SmallVector<Value>{buildMap(
      builder, getLoc(), type, mapped(builder, type, {}, scalars),
      [&](OpBuilder &n, Location l, ValueRange s) {
        ImplicitLocOpBuilder b(l, n);
        return emitBits(b, type.getShape(), {s[0], s[1], s[2], getDraw()});
      })};
}

//===----------------------------------------------------------------------===//
// UniformOp
//===----------------------------------------------------------------------===//

Value UniformOp::buildScalar(OpBuilder &builder, Location loc, ValueRange s) {
  ImplicitLocOpBuilder b(loc, builder);
  Value units = arith::SIToFPOp::create(b, b.getF32Type(), emitUnits(b, s[0]));
  Value unit = buildScalarConstant(b, loc, b.getF32Type(),
                                   std::ldexp(1.0, -kernel::kUniformBits));
  return arith::MulFOp::create(b, units, unit);
}

//===----------------------------------------------------------------------===//
// DropoutOp
//===----------------------------------------------------------------------===//

LogicalResult DropoutOp::verify() {
  double ratio = getRatio().convertToDouble();
  if (!(ratio >= 0.0 && ratio <= 1.0))
    return emitOpError("ratio must be from 0 to 1, not ") << ratio;
  return verifyKey(*this, getInput().getType());
}

bool DropoutOp::isTrainingForm() { return !getRandomKey().empty(); }

/// The op stays as it is: its key decides whether it drops elements.
mpc::TrainingOpInterface DropoutOp::toTrainingForm(OpBuilder &) {
  return *this;
}

SmallVector<mpc::RunningState> DropoutOp::getRunningState() { return {}; }

int64_t DropoutOp::getDrawnBytes() {
  return getInput().getType().getNumElements();
}

// d dropout(x) = mask / (1 - ratio) dx, by the same mask
LogicalResult DropoutOp::buildVJP(OpBuilder &builder,
                                  ArrayRef<Value> cotangents,
                                  MutableArrayRef<Value> operandCotangents) {
  if (cotangents[0])
    operandCotangents[0] = DropoutOp::create(
        builder, getLoc(), cotangents[0].getType(), cotangents[0],
        getRandomKey(), getRatio(), getStream());
  return success();
}

/// 1 / (1 - ratio) where the element is kept, else 0.
static Value emitFactor(ImplicitLocOpBuilder &b, Value bits, double kept,
                        Type type) {
  auto least = static_cast<uint32_t>(
      std::nearbyint(std::ldexp(kept, kernel::kUniformBits)));
  Value isKept = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                       emitUnits(b, bits), word(b, least));
  // The factor is a number of f32, even where the elements are f64.
  auto factor = static_cast<float>(kept > 0.0 ? 1.0 / kept : 0.0);
  return arith::SelectOp::create(
      b, isKept, buildScalarConstant(b, b.getLoc(), type, factor),
      buildScalarConstant(b, b.getLoc(), type, 0.0));
}

FailureOr<SmallVector<Value>> DropoutOp::buildBody(OpBuilder &builder,
                                                   ValueRange operands) {
  auto type = getOutput().getType();
  auto scale = [&](OpBuilder &n, Location l, ValueRange s) -> Value {
    if (s.size() == 1)
      return s[0];
    ImplicitLocOpBuilder b(l, n);
    Value x = widen(b, l, s[0]);
    Value bits = emitBits(b, type.getShape(), {s[1], s[2], s[3]});
    Value factor =
        emitFactor(b, bits, 1.0 - getRatio().convertToDouble(), x.getType());
    return narrow(b, l, arith::MulFOp::create(b, x, factor),
                  type.getElementType());
  };
  SmallVector<Value> scalars = readKey(builder, *this, operands.drop_front());
  return SmallVector<Value>{
      buildMap(builder, getLoc(), type,
               mapped(builder, type, operands.take_front(), scalars), scale)};
}
