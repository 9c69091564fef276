// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Forms that are functions which ONNX has no op for, by formulas that neither
/// overflow nor lose digits nor have a gradient of NaN.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace llvm;

namespace mpc::onnx {

using Kind = nn::CompareKind;

template <typename OpTy>
static Operand unaryOf(TensorBuilder &b, ArrayRef<Operand> arguments) {
  return b.unary<OpTy>(arguments[0]);
}

static Operand sincOf(TensorBuilder &b, ArrayRef<Operand> arguments) {
  const Operand &x = arguments[0];
  Operand isZero = b.compare(Kind::EQ, x, b.splatLike(x, 0));
  Operand angle = b.binary(Binary::Mul, x, std::numbers::pi);
  angle = b.select(isZero, b.splatLike(x, 1), angle);
  Operand ratio = b.binary(Binary::Div, b.unary<nn::SinOp>(angle), angle);
  return b.select(isZero, b.splatLike(x, 1), ratio);
}

/// Whether the sign of `x` is a minus, of zeros too.
static Operand isNegative(TensorBuilder &b, const Operand &x) {
  Operand zero = b.splatLike(x, 0);
  Operand isBelow = b.compare(Kind::LT, x, zero);
  Operand isZero = b.compare(Kind::EQ, x, zero);
  return b.select(isZero, b.compare(Kind::LT, b.reciprocal(x), zero), isBelow);
}

/// pi times `factor`, with the sign of `y`.
static Operand turn(TensorBuilder &b, const Operand &y, double factor) {
  double angle = factor * std::numbers::pi;
  return b.select(isNegative(b, y), b.splatLike(y, -angle),
                  b.splatLike(y, angle));
}

/// The smaller of the two is divided by the larger one: no quotient is
/// infinite. At (0, 0) it is of numbers.
static Operand atan2Of(TensorBuilder &b, ArrayRef<Operand> arguments) {
  const Operand &y = arguments[0], &x = arguments[1];
  Operand zero = b.splatLike(x, 0), one = b.splatLike(x, 1);
  Operand isSteep = b.compare(Kind::GT, b.abs(y), b.abs(x));
  Operand larger = b.select(isSteep, y, x);
  Operand isOrigin = b.compare(Kind::EQ, larger, zero);
  Operand ratio =
      b.binary(Binary::Div, b.select(isOrigin, zero, b.select(isSteep, x, y)),
               b.select(isOrigin, one, larger));
  Operand angle = b.unary<nn::AtanOp>(ratio);
  Operand steep = b.binary(Binary::Sub, turn(b, y, 0.5), angle);
  Operand behind = b.binary(Binary::Add, turn(b, y, 1), angle);
  return b.select(isSteep, steep, b.select(isNegative(b, x), behind, angle));
}

/// Of complex numbers, which are pairs along the last axis.
static Operand angleOf(TensorBuilder &b, ArrayRef<Operand> arguments) {
  const Operand &z = arguments[0];
  int64_t last = z.rank() - 1;
  auto part = [&](int64_t number) {
    return b.reshape(b.sliceAxis(z, last, number, number + 1),
                     ArrayRef(z.shape).drop_back());
  };
  return atan2Of(b, {part(1), part(0)});
}

/// max(x, y) + log(1 + exp(-|x - y|)), where equal infinities have no distance.
static Operand logAddExpOf(TensorBuilder &b, ArrayRef<Operand> arguments) {
  const Operand &x = arguments[0], &y = arguments[1];
  Operand distance = b.select(b.compare(Kind::EQ, x, y), b.splatLike(x, 0),
                              b.binary(Binary::Sub, x, y));
  Operand rest = b.unary<nn::SoftplusOp>(b.neg(b.abs(distance)));
  return b.binary(Binary::Add, b.binary(Binary::Max, x, y), rest);
}

static Operand logAddExp2Of(TensorBuilder &b, ArrayRef<Operand> arguments) {
  auto scaled = map_to_vector(arguments, [&](const Operand &x) {
    return b.binary(Binary::Mul, x, std::numbers::ln2);
  });
  return b.binary(Binary::Mul, logAddExpOf(b, scaled), std::numbers::log2e);
}

static Operand logSigmoidOf(TensorBuilder &b, ArrayRef<Operand> arguments) {
  return b.neg(b.unary<nn::SoftplusOp>(b.neg(arguments[0])));
}

/// x log(y), of a 1 where x is 0 and y has no finite logarithm.
static Operand xLogYOf(TensorBuilder &b, ArrayRef<Operand> arguments) {
  const Operand &x = arguments[0], &y = arguments[1];
  Operand no = b.splat(b.i1(), x.shape, 0);
  Operand isZero = b.compare(Kind::EQ, x, b.splatLike(x, 0));
  Operand isPositive = b.compare(Kind::GT, y, b.splatLike(y, 0));
  Operand isInfinite = b.compare(
      Kind::EQ, y, b.splatLike(y, std::numeric_limits<double>::infinity()));
  Operand isNumber = b.compare(Kind::EQ, y, y);
  Operand isFree = b.select(isPositive, isInfinite, isNumber);
  Operand base = b.select(b.select(isZero, isFree, no), b.splatLike(y, 1), y);
  return b.binary(Binary::Mul, x, b.log(base));
}

/// Of x >= 0, in t = 3 / (3 + x): t times a polynomial in 2t - 1, which was
/// fitted at the nodes of Chebyshev's polynomials against float64 values. Off
/// by 1.1e-12 at most, relative to the value.
static Operand scaledComplement(TensorBuilder &b, const Operand &x) {
  static constexpr double kCoefficients[] = {
      -8.7115529383181343e-08, -1.3589284887402772e-07, 8.5970221364188939e-07,
      1.307139065282944e-06,   -5.7897619242218908e-06, -9.9083764179416899e-06,
      3.5851868697865384e-05,  9.215173461489297e-05,   -0.00018277595304052241,
      -0.0010113243684737143,  -0.00040413625201782787, 0.0089424072040648391,
      0.039842586683028702,    0.10348908758347226,     0.19674278572345194,
      0.29446481771797461,     0.35800230236259856};
  Operand three = b.splatLike(x, 3);
  Operand t = b.binary(Binary::Div, three, b.binary(Binary::Add, x, 3));
  Operand s =
      b.binary(Binary::Sub, b.binary(Binary::Add, t, t), b.splatLike(x, 1));
  Operand sum = b.splatLike(x, kCoefficients[0]);
  for (double coefficient : ArrayRef(kCoefficients).drop_front())
    sum = b.binary(Binary::Add, b.binary(Binary::Mul, sum, s), coefficient);
  return b.binary(Binary::Mul, t, sum);
}

/// exp(x^2) (1 - erf(x)); of negative x, 2 exp(x^2) less that of -x. No
/// gradient comes from where it is infinite: of log_ndtr(x) this is not the
/// branch that counts.
static Operand erfcxOf(TensorBuilder &b, ArrayRef<Operand> arguments) {
  const Operand &x = arguments[0];
  Operand isNegative = b.compare(Kind::LT, x, b.splatLike(x, 0));
  // Unlike |x|, this has a slope at 0.
  Operand size = b.select(isNegative, b.neg(x), x);
  Operand positive = scaledComplement(b, size);
  double most =
      std::log(x.type == b.f64() ? std::numeric_limits<double>::max()
                                 : std::numeric_limits<float>::max()) -
      std::numbers::ln2;
  Operand zero = b.splatLike(x, 0);
  Operand square = b.binary(Binary::Mul, x, x);
  square = b.select(isNegative, square, zero);
  Operand isHeld = b.compare(Kind::LT, square, b.splatLike(x, most));
  Operand power = b.exp(b.select(isHeld, square, zero));
  Operand negative = b.select(
      isHeld,
      b.binary(Binary::Sub, b.binary(Binary::Add, power, power), positive),
      b.splatLike(x, std::numeric_limits<double>::infinity()));
  return b.select(isNegative, negative, positive);
}

/// Of floats, in f32 at least, rounded once.
template <Operand (*compute)(TensorBuilder &, ArrayRef<Operand>)>
static Error emitFormula(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY_ASSIGN(auto arguments, node.unifiedInputs());
  mlir::Type type = arguments.front().type;
  for (Operand &argument : arguments)
    argument = node.build.wide(argument);
  node.result(0, node.build.cast(compute(node.build, arguments), type));
  return Error::success();
}

/// log(z / (1 - z)), where z is x between eps and 1 - eps: eps is the one that
/// counts where they cross.
static Error emitLogit(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  std::optional<double> eps = node.setting<double>(setting::kEps);
  if (!eps)
    return node.fail("the record does not say which eps torch.logit() has");
  TensorBuilder &b = node.build;
  mlir::Type type = node.in(0).type;
  Operand x = b.wide(node.in(0));
  Operand low = b.splatLike(x, *eps), high = b.splatLike(x, 1 - *eps);
  Operand z = b.select(b.compare(Kind::GT, x, high), high, x);
  z = b.select(b.compare(Kind::LT, x, low), low, z);
  Operand rest = b.binary(Binary::Sub, b.splatLike(x, 1), z);
  node.result(0, b.cast(b.log(b.binary(Binary::Div, z, rest)), type));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// How many numbers a count of `x` has: up to the largest one that is known,
/// and at least as many as the call says.
static int64_t numberOfBins(const NodeImporter &node, const Operand &x) {
  int64_t bins = node.setting<int64_t>(setting::kMinLength).value_or(0);
  if (x.known)
    for (int64_t number : nn::intsOf(x.known))
      bins = std::max(bins, number + 1);
  return bins;
}

/// Numbers that have no bin fall into one behind all others.
static Error emitBinCount(NodeImporter &node) {
  MPC_TRY(node.requireIndices(0));
  TensorBuilder &b = node.build;
  const Operand &x = node.in(0);
  int64_t bins = numberOfBins(node, x);
  if (!x.known && bins == 0)
    return node.fail("how many numbers torch.bincount() counts depends on the "
                     "data, unless it is told by minlength");
  if (!x.known)
    node.note("counts the numbers below " + Twine(bins) +
              ", the minlength of torch.bincount()");
  Operand places = b.binary(Binary::Min, b.cast(x, b.i64()),
                            b.splat(b.i64(), x.shape, double(bins)));
  Operand counts = b.fold(nn::ScatterAddOp::create(
      b.builder(), b.location(), b.tensorType(b.i64(), {bins + 1}),
      b.splat(b.i64(), x.shape, 1).value, places.value, /*axis=*/0,
      /*batch_dims=*/0));
  node.result(0, b.sliceAxis(counts, 0, 0, bins));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Input 1, probabilities, where a row of input 0, a mask, is true anywhere,
/// and 0 in the other rows.
static Error emitRowsWithKeys(NodeImporter &node) {
  TensorBuilder &b = node.build;
  Operand mask = b.cast(node.in(0), b.i1());
  const Operand &probabilities = node.in(1);
  Shape column = mask.shape;
  if (!column.empty())
    column.back() = 1;
  Operand hasKey =
      mask.shape.empty()
          ? mask
          : b.reshape(b.reduceMax(mask, {mask.rank() - 1}), column);
  MPC_TRY_ASSIGN(hasKey,
                 node.broadcastTo(hasKey, probabilities.shape, "the mask"));
  node.result(0,
              b.select(hasKey, probabilities, b.splatLike(probabilities, 0)));
  return Error::success();
}

static const OpRule kForms[] = {
    {form::kAngle, 1, 1, 3, 1, "", emitFormula<angleOf>},
    {form::kAtan2, 1, 1, 3, 1, "", emitFormula<atan2Of>},
    {form::kBinCount, 1, 1, 3, 1, "", emitBinCount},
    {form::kErfcx, 1, 1, 3, 1, "", emitFormula<erfcxOf>},
    {form::kExpm1, 1, 1, 3, 1, "", emitFormula<unaryOf<nn::Expm1Op>>},
    {form::kLog1p, 1, 1, 3, 1, "", emitFormula<unaryOf<nn::Log1pOp>>},
    {form::kLogAddExp, 1, 1, 3, 1, "", emitFormula<logAddExpOf>},
    {form::kLogAddExp2, 1, 1, 3, 1, "", emitFormula<logAddExp2Of>},
    {form::kLogSigmoid, 1, 1, 3, 1, "", emitFormula<logSigmoidOf>},
    {form::kLogit, 1, 1, 3, 1, "", emitLogit},
    {form::kRowsWithKeys, 1, 1, 3, 1, "", emitRowsWithKeys},
    {form::kSinc, 1, 1, 3, 1, "", emitFormula<sincOf>},
    {form::kXLogY, 1, 1, 3, 1, "", emitFormula<xLogYOf>},
};

ArrayRef<OpRule> functionForms() { return kForms; }

} // namespace mpc::onnx
