// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The type of an op that has no type of its own and follows its operands.
#include "passes/NN/FollowedType.h"

#include "dialects/Interfaces/NodeNames.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/ParameterNames.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/NN/AutocastDecisions.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// The order in which PyTorch lets operands decide a type.
enum class Priority { Tensor, Scalar, Number };

static Priority priorityOf(Value value) {
  auto rankOf = [](Value v) {
    return cast<RankedTensorType>(v.getType()).getRank();
  };
  if (splatOf(value))
    return Priority::Number;
  // An op on scalars alone treats them as its tensors.
  return rankOf(value) > 0 && rankOf(movedFrom(value)) == 0 ? Priority::Scalar
                                                            : Priority::Tensor;
}

/// Whether `type` certainly holds the one number of `value` exactly.
static bool holds(FloatType type, Value value) {
  if (getElementTypeOrSelf(value) == type)
    return true;
  std::optional<APFloat> known = splatOf(value);
  if (!known)
    return false;
  APFloat number = *known;
  bool losesInfo;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return !losesInfo;
}

StringRef mpc::nn::lossIn(const APFloat &value, FloatType type) {
  if (!value.isFiniteNonZero())
    return "";
  APFloat rounded = value;
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  if (!rounded.isFinite())
    return "infinite";
  if (rounded.isZero())
    return "0";
  return rounded.isDenormal() ? "subnormal" : "";
}

StringRef mpc::nn::poleIn(const APFloat &value, FloatType type) {
  APFloat rounded = value;
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  if (!losesInfo || !abs(rounded).isExactlyValue(1.0))
    return "";
  return rounded.isNegative() ? "-1" : "1";
}

std::string mpc::nn::textOf(const APFloat &number, unsigned digits) {
  constexpr unsigned kDigitsOfF32 = 9;
  double value = number.convertToDouble();
  std::string text;
  do {
    text = llvm::formatv("{0}", llvm::format("%.*g", digits, value)).str();
  } while (std::abs(value) != 1.0 && std::abs(std::stod(text)) == 1.0 &&
           ++digits <= kDigitsOfF32);
  return text;
}

Type mpc::nn::widestType(TypeRange types) {
  Type widest;
  for (Type type : types) {
    Type element = getElementTypeOrSelf(type);
    if (!isCastable(element))
      continue;
    if (!widest || widest == element)
      widest = element;
    else
      widest = Float32Type::get(element.getContext());
  }
  return widest;
}

Promotion::Promotion(Operation *op, ArrayRef<Value> operands, Numbers numbers)
    : op_(op), numbers_(numbers) {
  Priority first = Priority::Number;
  for (Value operand : operands)
    first = std::min(first, priorityOf(operand));
  for (Value operand : operands)
    (priorityOf(operand) == first ? deciding_ : numbersBeside_)
        .push_back(operand);
}

FollowedType Promotion::followedType() const {
  return followedType([](Value value) { return getElementTypeOrSelf(value); });
}

FollowedType Promotion::followedType(function_ref<Type(Value)> typeOf) const {
  FollowedType result;
  result.type = widestType(llvm::map_to_vector(deciding_, typeOf));
  if (numbers_ == Numbers::KeepRange)
    for (Value operand : numbersBeside_)
      if (std::optional<APFloat> number = splatOf(operand))
        if (StringRef loss = lossOf(*number, cast<FloatType>(result.type));
            !loss.empty())
          return {Float32Type::get(op_->getContext()), operand, loss};
  for (Value operand : llvm::reverse(deciding_))
    if (typeOf(operand) == result.type)
      result.from = operand;
  return result;
}

/// A number that an op carries is added or multiplied, and is no bound.
StringRef Promotion::lossOf(const APFloat &number, FloatType type) const {
  StringRef loss = lossIn(number, type);
  auto rule = dyn_cast<PrecisionOpInterface>(op_);
  bool isBound = rule && !rule.carriesNumbers();
  return loss.empty() && isBound ? poleIn(number, type) : loss;
}

bool Promotion::carries(Value number, FloatType type) const {
  auto rule = dyn_cast<PrecisionOpInterface>(op_);
  if (type.isF32() || !rule || !rule.carriesNumbers() ||
      !llvm::is_contained(numbersBeside_, number) || holds(type, number))
    return false;
  // 0 times a number that has become infinite is NaN, whatever a policy rounds.
  std::optional<APFloat> known = splatOf(number);
  return numbers_ != Numbers::Round ||
         (known && lossIn(*known, type) == "infinite");
}

Type Promotion::readType(Value operand, Type type) const {
  return carries(operand, cast<FloatType>(type))
             ? Type(Float32Type::get(op_->getContext()))
             : type;
}

Value mpc::nn::findOverflow(ArrayRef<Value> operands, FloatType low) {
  auto isLost = [&](const APFloat &number) {
    return lossIn(number, low) == "infinite";
  };
  for (Value operand : operands) {
    DenseFPElementsAttr elements;
    if (!matchPattern(movedFrom(operand), m_Constant(&elements)))
      continue;
    if (elements.isSplat()
            ? isLost(elements.getSplatValue<APFloat>())
            : llvm::any_of(elements.getValues<APFloat>(), isLost))
      return operand;
  }
  return {};
}

std::string mpc::nn::describeSource(Value value) {
  // A cast has no type of its own; its operand has.
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  Operation *op = value.getDefiningOp();
  if (!op)
    return "an input of the function";
  if (auto get = dyn_cast<GetOp>(op))
    return "parameter '" + nameOf(get.getParameter()) + "'";
  if (std::optional<APFloat> number = splatOf(value))
    return "the constant " + textOf(*number, 4);
  if (isa_and_nonnull<ConstantOp>(movedFrom(value).getDefiningOp()))
    return "a constant of the model";
  StringRef node = getNodeName(op->getLoc());
  std::string kind = op->getName().stripDialect().str();
  return node.empty() ? kind : "'" + node.str() + "' (" + kind + ")";
}
