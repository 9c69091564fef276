// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on gradients and their parameters: penalties, LARC, averages.
#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/MapBuilder.h"
#include "dialects/Interfaces/Fp.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mpc;
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
static Fp signOf(Fp x) {
  Fp zero = x.constant(0.0);
  Fp positive = select(less(zero, x), x.constant(1.0), zero);
  return select(less(x, zero), x.constant(-1.0), positive);
}

FailureOr<Values> AddPenaltyOp::buildBody(OpBuilder &builder,
                                          ValueRange operands) {
  return buildNewMap(builder, getLoc(), shapeOf(getOutput()), operands,
                     [](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
                       Type f32 = b.getF32Type();
                       Fp gradient = Fp{&b, s[0]}.as(f32);
                       Fp weight = Fp{&b, s[1]}.as(f32);
                       Fp l1 = Fp{&b, s[2]}.as(f32), l2{&b, s[3]};
                       Fp doubled = (l2 + l2).as(f32);
                       Fp sum = fma(doubled, weight, gradient);
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
      lr = Fp{&b, s[5]}.as(b.getF64Type());
  }
  Fp parameter, gradient, eta, epsilon;
  /// The rate's min_update or weight_decay, which LARC's kind decides.
  Fp bound;
  std::optional<Fp> lr;
};

} // namespace

static Fp openSeq2SeqRate(const LarcNumbers &n) {
  Fp denominator = n.gradient + n.epsilon;
  if (n.lr)
    denominator = *n.lr * denominator;
  Fp rate = maximum(n.eta * n.parameter / denominator, n.bound);
  return n.lr ? minimum(rate, rate.constant(1.0)) : rate;
}

/// Selects `value` where neither norm is 0, else `otherwise`.
static Fp unlessZero(Fp parameter, Fp gradient, Fp value, double otherwise) {
  Value none = arith::OrIOp::create(*value.b, equal(parameter, 0.0),
                                    equal(gradient, 0.0));
  return select(none, value.constant(otherwise), value);
}

static Fp apexRate(const LarcNumbers &n) {
  Fp denominator = n.gradient + n.parameter * n.bound + n.epsilon;
  Fp rate = n.eta * n.parameter / denominator;
  if (n.lr)
    rate = minimum(rate / *n.lr, rate.constant(1.0));
  return unlessZero(n.parameter, n.gradient, rate, 1.0);
}

FailureOr<Values> LarcRateOp::buildBody(OpBuilder &builder,
                                        ValueRange operands) {
  return buildNewMap(builder, getLoc(), shapeOf(getRate()), operands,
                     [&](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
                       LarcNumbers numbers(*this, b, s);
                       Fp rate = getMinUpdate() ? openSeq2SeqRate(numbers)
                                                : apexRate(numbers);
                       return {rate.as(b.getF32Type()).value};
                     });
}

FailureOr<Values> LarcDecayOp::buildBody(OpBuilder &builder,
                                         ValueRange operands) {
  return buildNewMap(builder, getLoc(), shapeOf(getDecay()), operands,
                     [](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
                       Fp decay = unlessZero(Fp{&b, s[0]}, Fp{&b, s[1]},
                                             Fp{&b, s[2]}, 0.0);
                       return {decay.as(b.getF32Type()).value};
                     });
}

FailureOr<Values> AverageWeightOp::buildBody(OpBuilder &builder,
                                             ValueRange operands) {
  return buildScalars(builder, getLoc(), operands, builder.getF32Type(),
                      [](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
                        Fp rest = 1.0 - Fp{&b, s[0]};
                        Value first = equal(Fp{&b, s[1]}, 0.0);
                        Fp weight = select(first, rest.constant(1.0), rest);
                        return {weight.as(b.getF32Type()).value};
                      });
}

FailureOr<Values> AverageOp::buildBody(OpBuilder &builder,
                                       ValueRange operands) {
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange s) -> Values {
    Fp parameter = Fp{&b, s[0]}.as(b.getF32Type());
    Fp weight{&b, s[1]}, old{&b, s.back()};
    Fp moved = fma(weight, parameter - old, old);
    // The average starts as the parameter itself, and not as a number near it.
    Fp next = select(equal(weight, 1.0), parameter, moved);
    return {getSkip() ? select(s[2], old, next).value : next.value};
  };
  Values inputs(operands);
  // The body overwrites this operand, so it is no input.
  inputs.erase(inputs.begin() + 2);
  return buildMapInto(builder, getLoc(), shapeOf(getOutput()), inputs,
                      operands[2], body);
}
