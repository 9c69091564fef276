// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an op follows that has no type of its own.
#include "passes/NN/FollowedType.h"

#include "dialects/Interfaces/NodeNames.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/NN/AutocastDecisions.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// What `value` repeats.
static Value repeated(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ReshapeOp, BroadcastOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The number that `value` is throughout. A cast of one is none: the model says
/// what type it has.
static std::optional<APFloat> numberOf(Value value) {
  DenseFPElementsAttr elements;
  if (!matchPattern(repeated(value), m_Constant(&elements)) ||
      !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APFloat>();
}

/// One number for all elements, known or not.
static bool isOneNumber(Value value) {
  auto rankOf = [](Value v) {
    return cast<RankedTensorType>(v.getType()).getRank();
  };
  return numberOf(value) || (rankOf(value) > 0 && rankOf(repeated(value)) == 0);
}

/// Whether `type` surely holds the one number of `value`, all digits of it.
static bool holds(Type type, Value value) {
  if (getElementTypeOrSelf(value) == type)
    return true;
  std::optional<APFloat> known = numberOf(value);
  if (!known)
    return false;
  APFloat number = *known;
  bool losesInfo;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
  return !losesInfo && !number.isDenormal();
}

static std::string textOf(const APFloat &number) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.4g", number.convertToDouble());
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

FollowedType mpc::nn::followedType(Operation *op) {
  SmallVector<Value> numbers, others;
  for (Value operand : op->getOperands())
    if (isCastable(getElementTypeOrSelf(operand)) && !hasOwnType(op, operand))
      (isOneNumber(operand) ? numbers : others).push_back(operand);
  FollowedType result;
  SmallVector<Value> &followed = others.empty() ? numbers : others;
  result.type = widestType(TypeRange(ValueRange(followed)));
  if (others.empty())
    numbers.clear();
  for (Value number : numbers)
    if (!holds(result.type, number))
      return {Float32Type::get(op->getContext()), number, result.type};
  for (Value operand : llvm::reverse(followed))
    if (getElementTypeOrSelf(operand) == result.type)
      result.from = operand;
  return result;
}

static bool becomesInfinite(APFloat number, const llvm::fltSemantics &low) {
  bool losesInfo;
  if (!number.isFinite())
    return false;
  number.convert(low, APFloat::rmNearestTiesToEven, &losesInfo);
  return !number.isFinite();
}

Value mpc::nn::findOverflow(Operation *op, Type low) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(low).getFloatSemantics();
  for (Value operand : op->getOperands()) {
    DenseFPElementsAttr elements;
    if (!isCastable(getElementTypeOrSelf(operand)) || hasOwnType(op, operand) ||
        !matchPattern(repeated(operand), m_Constant(&elements)))
      continue;
    if (elements.isSplat()
            ? becomesInfinite(elements.getSplatValue<APFloat>(), semantics)
            : llvm::any_of(elements.getValues<APFloat>(),
                           [&](const APFloat &n) {
                             return becomesInfinite(n, semantics);
                           }))
      return operand;
  }
  return {};
}

std::string mpc::nn::describeSource(Value value) {
  // A cast says nothing of itself; what it casts does.
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  Operation *op = value.getDefiningOp();
  if (!op)
    return "an input of the function";
  if (auto get = dyn_cast<GetOp>(op))
    return "parameter '" + get.getParameter().str() + "'";
  if (std::optional<APFloat> number = numberOf(value))
    return "the constant " + textOf(*number);
  if (isa_and_nonnull<ConstantOp>(repeated(value).getDefiningOp()))
    return "a constant of the model";
  StringRef node = getNodeName(op->getLoc());
  std::string kind = op->getName().stripDialect().str();
  return node.empty() ? kind : "'" + node.str() + "' (" + kind + ")";
}
