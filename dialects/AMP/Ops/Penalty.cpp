// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on gradients and their parameters: penalties, LARC, averages.
#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Body.h"
#include "dialects/AMP/Scalar.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mpc::amp;

using Values = SmallVector<Value>;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// An elementwise body with one new f32 result.
static FailureOr<Values> buildNewMap(OpBuilder &builder, Location loc,
                                     ArrayRef<int64_t> shape,
                                     ValueRange operands, ScalarsFn fn) {
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, builder.getF32Type());
  return buildMapInto(builder, loc, shape, operands, empty, fn);
}

/// -1, 0 or 1; 0 for NaN.
static Scalar signOf(Scalar x) {
  Scalar zero = x.literal(0.0);
  Scalar positive = select(zero.isLessThan(x), x.literal(1.0), zero);
  return select(x.isLessThan(zero), x.literal(-1.0), positive);
}

FailureOr<Values> AddPenaltyOp::buildBody(OpBuilder &builder,
                                          ValueRange operands) {
  return buildNewMap(builder, getLoc(), shapeOf(getOutput()), operands,
                     [](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
                       Type f32 = b.getF32Type();
                       Scalar gradient = Scalar{&b, s[0]}.as(f32);
                       Scalar weight = Scalar{&b, s[1]}.as(f32);
                       Scalar l1 = Scalar{&b, s[2]}.as(f32), l2{&b, s[3]};
                       Scalar doubled = (l2 + l2).as(f32);
                       Scalar sum = multiplyAdd(doubled, weight, gradient);
                       return {(sum + l1 * signOf(weight)).value};
                     });
}

LogicalResult LarcRateOp::verify() {
  if (bool(getMinUpdate()) == bool(getWeightDecay()))
    return emitOpError("needs one of min_update and weight_decay");
  return success();
}

namespace {

/// The numbers of LARC's rate of one tensor, in f64.
struct LarcNumbers {
  LarcNumbers(LarcRateOp op, ImplicitLocOpBuilder &b, ValueRange s)
      : parameter{&b, s[0]}, gradient{&b, s[1]}, eta{&b, s[2]},
        epsilon{&b, s[3]}, bound{&b, s[4]} {
    if (op.getLr())
      lr = Scalar{&b, s[5]}.as(b.getF64Type());
  }
  Scalar parameter, gradient, eta, epsilon;
  Scalar bound; ///< min_update or weight_decay.
  std::optional<Scalar> lr;
};

} // namespace

static Scalar openSeq2SeqRate(const LarcNumbers &n) {
  Scalar denominator = n.gradient + n.epsilon;
  if (n.lr)
    denominator = *n.lr * denominator;
  Scalar rate = maximum(n.eta * n.parameter / denominator, n.bound);
  return n.lr ? minimum(rate, rate.literal(1.0)) : rate;
}

/// Selects `value` where neither norm is 0, else `otherwise`.
static Scalar unlessZero(Scalar parameter, Scalar gradient, Scalar value,
                         double otherwise) {
  Value none = arith::OrIOp::create(*value.b, parameter.isEqualTo(0.0),
                                    gradient.isEqualTo(0.0));
  return select(none, value.literal(otherwise), value);
}

static Scalar apexRate(const LarcNumbers &n) {
  Scalar denominator = n.gradient + n.parameter * n.bound + n.epsilon;
  Scalar rate = n.eta * n.parameter / denominator;
  if (n.lr)
    rate = minimum(rate / *n.lr, rate.literal(1.0));
  return unlessZero(n.parameter, n.gradient, rate, 1.0);
}

FailureOr<Values> LarcRateOp::buildBody(OpBuilder &builder,
                                        ValueRange operands) {
  return buildNewMap(builder, getLoc(), shapeOf(getRate()), operands,
                     [&](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
                       LarcNumbers numbers(*this, b, s);
                       Scalar rate = getMinUpdate() ? openSeq2SeqRate(numbers)
                                                    : apexRate(numbers);
                       return {rate.as(b.getF32Type()).value};
                     });
}

FailureOr<Values> LarcDecayOp::buildBody(OpBuilder &builder,
                                         ValueRange operands) {
  return buildNewMap(builder, getLoc(), shapeOf(getDecay()), operands,
                     [](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
                       Scalar decay =
                           unlessZero(Scalar{&b, s[0]}, Scalar{&b, s[1]},
                                      Scalar{&b, s[2]}, 0.0);
                       return {decay.as(b.getF32Type()).value};
                     });
}

FailureOr<Values> AverageWeightOp::buildBody(OpBuilder &builder,
                                             ValueRange operands) {
  return buildScalars(builder, getLoc(), operands, builder.getF32Type(),
                      [](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
                        Scalar rest = 1.0 - Scalar{&b, s[0]};
                        Value first = Scalar{&b, s[1]}.isEqualTo(0.0);
                        Scalar weight = select(first, rest.literal(1.0), rest);
                        return {weight.as(b.getF32Type()).value};
                      });
}

FailureOr<Values> AverageOp::buildBody(OpBuilder &builder,
                                       ValueRange operands) {
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
    Scalar parameter = Scalar{&b, s[0]}.as(b.getF32Type());
    Scalar weight{&b, s[1]}, old{&b, s.back()};
    Scalar moved = multiplyAdd(weight, parameter - old, old);
    // The average starts as the parameter itself, and not as a number near it.
    Scalar next = select(weight.isEqualTo(1.0), parameter, moved);
    return {getSkip() ? select(s[2], old, next).value : next.value};
  };
  Values inputs(operands);
  inputs.erase(inputs.begin() + 2); // Written over.
  return buildMapInto(builder, getLoc(), shapeOf(getOutput()), inputs,
                      operands[2], body);
}
