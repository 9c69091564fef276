// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The few scalar operations that a loss-scale policy may use, as expressions
/// over a builder. One builder computes numbers, another emits IR.
#ifndef MPC_RUNTIME_LOSSSCALE_SCALAREXPR_H
#define MPC_RUNTIME_LOSSSCALE_SCALAREXPR_H

#include <concepts>
#include <limits>

namespace mpc::rt {

/// The requirements of a builder. `Value` is an f64, `Bool` an i1. Arithmetic
/// is IEEE f64, rounded to nearest even. Comparisons are ordered: false on NaN.
/// `select` always evaluates both operands.
template <typename B>
concept ScalarBuilder =
    requires(B &b, typename B::Value x, typename B::Bool p, double c) {
      { b.constant(c) } -> std::same_as<typename B::Value>;
      { b.add(x, x) } -> std::same_as<typename B::Value>;
      { b.sub(x, x) } -> std::same_as<typename B::Value>;
      { b.mul(x, x) } -> std::same_as<typename B::Value>;
      { b.div(x, x) } -> std::same_as<typename B::Value>;
      { b.sqrt(x) } -> std::same_as<typename B::Value>;
      { b.roundToF32(x) } -> std::same_as<typename B::Value>;
      { b.lessThan(x, x) } -> std::same_as<typename B::Bool>;
      { b.lessEqual(x, x) } -> std::same_as<typename B::Bool>;
      { b.equal(x, x) } -> std::same_as<typename B::Bool>;
      { b.logicalAnd(p, p) } -> std::same_as<typename B::Bool>;
      { b.logicalOr(p, p) } -> std::same_as<typename B::Bool>;
      { b.logicalNot(p) } -> std::same_as<typename B::Bool>;
      { b.select(p, x, x) } -> std::same_as<typename B::Value>;
    };

/// A truth value under construction; `&`, `|` and `!` as in C++, without
/// short circuits.
template <ScalarBuilder B>
struct Flag {
  B *builder;
  typename B::Bool value;

  friend Flag operator&(Flag a, Flag b) {
    return {a.builder, a.builder->logicalAnd(a.value, b.value)};
  }
  friend Flag operator|(Flag a, Flag b) {
    return {a.builder, a.builder->logicalOr(a.value, b.value)};
  }
  friend Flag operator!(Flag a) {
    return {a.builder, a.builder->logicalNot(a.value)};
  }
};

/// An f64 under construction.
template <ScalarBuilder B>
struct Num {
  B *builder;
  typename B::Value value;

  [[nodiscard]] Num literal(double constant) const {
    return {builder, builder->constant(constant)};
  }

  friend Num operator+(Num a, Num b) {
    return {a.builder, a.builder->add(a.value, b.value)};
  }
  friend Num operator-(Num a, Num b) {
    return {a.builder, a.builder->sub(a.value, b.value)};
  }
  friend Num operator*(Num a, Num b) {
    return {a.builder, a.builder->mul(a.value, b.value)};
  }
  friend Num operator/(Num a, Num b) {
    return {a.builder, a.builder->div(a.value, b.value)};
  }
  friend Flag<B> operator<(Num a, Num b) {
    return {a.builder, a.builder->lessThan(a.value, b.value)};
  }
  friend Flag<B> operator<=(Num a, Num b) {
    return {a.builder, a.builder->lessEqual(a.value, b.value)};
  }
  friend Flag<B> operator==(Num a, Num b) {
    return {a.builder, a.builder->equal(a.value, b.value)};
  }

  friend Num operator+(Num a, double b) { return a + a.literal(b); }
  friend Num operator-(Num a, double b) { return a - a.literal(b); }
  friend Num operator*(Num a, double b) { return a * a.literal(b); }
  friend Num operator-(double a, Num b) { return b.literal(a) - b; }
  friend Num operator/(double a, Num b) { return b.literal(a) / b; }
  friend Flag<B> operator<(Num a, double b) { return a < a.literal(b); }
  friend Flag<B> operator<=(Num a, double b) { return a <= a.literal(b); }
  friend Flag<B> operator==(Num a, double b) { return a == a.literal(b); }
};

template <ScalarBuilder B>
Num<B> select(Flag<B> condition, Num<B> ifTrue, Num<B> ifFalse) {
  return {condition.builder, condition.builder->select(
                                 condition.value, ifTrue.value, ifFalse.value)};
}
template <ScalarBuilder B>
Num<B> select(Flag<B> condition, double ifTrue, Num<B> ifFalse) {
  return select(condition, ifFalse.literal(ifTrue), ifFalse);
}
template <ScalarBuilder B>
Num<B> select(Flag<B> condition, Num<B> ifTrue, double ifFalse) {
  return select(condition, ifTrue, ifTrue.literal(ifFalse));
}

/// Rounds to f32 once. An f32 operation equals the f64 operation followed by
/// this rounding, for + - * / and sqrt, because 53 >= 2 * 24 + 2 (Figueroa
/// 1995).
template <ScalarBuilder B>
Num<B> f32(Num<B> x) {
  return {x.builder, x.builder->roundToF32(x.value)};
}

template <ScalarBuilder B>
Num<B> squareRoot(Num<B> x) {
  return {x.builder, x.builder->sqrt(x.value)};
}

/// Neither inf nor NaN.
template <ScalarBuilder B>
Flag<B> isFinite(Num<B> x) {
  // inf - inf and NaN - NaN are NaN.
  return x - x == 0.0; // NOLINT(misc-redundant-expression)
}

/// `x`, or `floor` where it is larger. NaN stays NaN.
template <ScalarBuilder B>
Num<B> atLeast(Num<B> x, Num<B> floor) {
  return select(x < floor, floor, x);
}

/// `x`, or `ceiling` where it is smaller. NaN stays NaN.
template <ScalarBuilder B>
Num<B> atMost(Num<B> x, Num<B> ceiling) {
  return select(ceiling < x, ceiling, x);
}

/// The largest integer that is not above `x`, for |x| < 2^51.
template <ScalarBuilder B>
Num<B> floorOf(Num<B> x) {
  // 1.5 * 2^52: a sum of this size has a unit of 1, so adding rounds to an
  // integer.
  constexpr double kIntegerUnit = 6755399441055744.0;
  Num<B> nearest = (x + kIntegerUnit) - kIntegerUnit;
  return select(x < nearest, nearest - 1.0, nearest);
}

/// The remainder of integers, with the sign of `divisor`; `x` itself where
/// `divisor` is 0.
template <ScalarBuilder B>
Num<B> moduloOf(Num<B> x, Num<B> divisor) {
  Flag<B> defined = !(divisor == 0.0);
  Num<B> safe = select(defined, divisor, 1.0);
  return select(defined, x - floorOf(x / safe) * safe, x);
}

/// 2^exponent for a literal, exact within the normal range.
constexpr double powerOfTwo(int exponent) {
  double result = 1.0;
  for (; exponent > 0; --exponent)
    result *= 2.0;
  for (; exponent < 0; ++exponent)
    result *= 0.5;
  return result;
}

/// log2 for f32 values widened to f64 (subnormal f32 included): within 2 ulp of
/// f64, exact for powers of two; -inf for 0, inf for inf, NaN below 0.
template <ScalarBuilder B>
Num<B> log2Of(Num<B> x) {
  Num<B> m = x;
  Num<B> exponent = x.literal(0.0);
  for (int k = 128; k >= 1; k /= 2) { // into [1, 2)
    Flag<B> large = x.literal(powerOfTwo(k)) <= m;
    m = select(large, m * powerOfTwo(-k), m);
    exponent = select(large, exponent + k, exponent);
    Flag<B> small = m < powerOfTwo(1 - k);
    m = select(small, m * powerOfTwo(k), m);
    exponent = select(small, exponent - k, exponent);
  }
  Flag<B> upper = x.literal(1.4142135623730951) < m; // into [0.7, 1.41]
  m = select(upper, m * 0.5, m);
  exponent = select(upper, exponent + 1.0, exponent);
  // log2(m) = 2/ln(2) * (z + z^3/3 + z^5/5 + ...), z = (m - 1) / (m + 1)
  Num<B> z = (m - 1.0) / (m + 1.0);
  Num<B> square = z * z;
  Num<B> series = x.literal(1.0 / 25.0);
  for (int term = 23; term >= 1; term -= 2)
    series = series * square + 1.0 / term;
  constexpr double kTwoOverLn2 = 2.8853900817779268;
  Num<B> result = exponent + z * series * kTwoOverLn2;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  result = select(x == kInf, kInf, result);
  result = select(x == 0.0, -kInf, result);
  Flag<B> defined = x.literal(0.0) <= x;
  return select(defined, result, std::numeric_limits<double>::quiet_NaN());
}

/// 2^x within 2 ulp of f64, exact for integers. |x| beyond 1000 counts as 1000,
/// far outside f32; NaN stays NaN.
template <ScalarBuilder B>
Num<B> exp2Of(Num<B> x) {
  Flag<B> negative = x < 0.0;
  Num<B> rest = atMost(select(negative, 0.0 - x, x), x.literal(1000.0));
  Num<B> power = x.literal(1.0);
  for (int k = 512; k >= 1; k /= 2) {
    Flag<B> has = x.literal(static_cast<double>(k)) <= rest;
    rest = select(has, rest - k, rest);
    power = select(has, power * powerOfTwo(k), power);
  }
  // 2^rest = sum of (rest * ln 2)^n / n! for rest in [0, 1)
  Num<B> scaled = rest * 0.6931471805599453;
  Num<B> series = x.literal(1.0);
  for (int n = 19; n >= 1; --n)
    series = scaled * series * (1.0 / n) + 1.0;
  Num<B> result = series * power;
  return select(negative, 1.0 / result, result);
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_LOSSSCALE_SCALAREXPR_H
