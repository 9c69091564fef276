// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Math functions over their whole range, against libm in a wider format; the
// stated bound of each in units of the last place. Scalars and vectors agree.
#include "Harness.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <functional>

using namespace mpc::test;

static std::string unary(const std::string &op, const std::string &type,
                         size_t n) {
  std::string t = "tensor<" + std::to_string(n) + "x" + type + ">";
  return "#i = affine_map<(i) -> (i)>\n"
         "kernel.func @k(%x: " +
         t + ", %d: " + t + ") -> " + t +
         " {\n"
         "  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = "
         "[\"parallel\"]} ins(%x : " +
         t + ") outs(%d : " + t +
         ") {\n"
         "  ^bb0(%a: " +
         type + ", %o: " + type +
         "):\n"
         "    %0 = math." +
         op + " %a : " + type +
         "\n"
         "    linalg.yield %0 : " +
         type +
         "\n"
         "  } -> " +
         t +
         "\n"
         "  kernel.return %r : " +
         t + "\n}\n";
}

template <typename T>
static std::vector<T> evaluate(const std::string &op, std::vector<T> x,
                               Config config = {}) {
  Kernels kernels(unary(op, sizeof(T) == 4 ? "f32" : "f64", x.size()), config);
  std::vector<T> y(x.size());
  kernels.run({x.data(), y.data()});
  return y;
}

/// Every sign, exponent and many mantissas; infinities and NaN among them.
static std::vector<float> allFloats() {
  std::vector<float> result;
  for (uint64_t bits = 0; bits < (1ull << 32); bits += 9973) {
    uint32_t pattern = static_cast<uint32_t>(bits);
    float value;
    std::memcpy(&value, &pattern, 4);
    result.push_back(value);
  }
  for (float value : {0.0f, -0.0f, HUGE_VALF, -HUGE_VALF, 1.0f, -1.0f, NAN})
    result.push_back(value);
  return result;
}

static std::vector<double> allDoubles(double low, double high) {
  std::vector<double> result;
  std::mt19937_64 engine(7);
  for (int i = 0; i < 100000; ++i) {
    uint64_t pattern = engine();
    double value;
    std::memcpy(&value, &pattern, 8);
    result.push_back(value);
  }
  for (double value : randoms<double>(200000, low, high))
    result.push_back(value);
  for (double value : {0.0, -0.0, HUGE_VAL, -HUGE_VAL, 1.0, -1.0})
    result.push_back(value);
  result.push_back(NAN);
  return result;
}

// libm in long double; ulps are of double.
static double ulpsOfDouble(double value, long double exact) {
  double rounded = static_cast<double>(exact);
  if (std::isnan(rounded) || std::isnan(value))
    return std::isnan(rounded) && std::isnan(value) ? 0 : HUGE_VAL;
  if (std::isinf(rounded) || std::isinf(value))
    return rounded == value ? 0 : HUGE_VAL;
  double size = std::fabs(rounded);
  double unit = std::nextafter(size, HUGE_VAL) - size;
  if (std::isinf(unit))
    unit = size - std::nextafter(size, 0);
  return static_cast<double>(fabsl(value - exact)) / unit;
}

namespace {

struct Function {
  const char *op;
  std::function<double(double)> single;
  std::function<long double(long double)> wide;
  double singleBound, doubleBound;
};

class Math : public testing::TestWithParam<Function> {};

} // namespace

TEST_P(Math, F32OverTheWholeRange) {
  const Function &function = GetParam();
  std::vector<float> x = allFloats(), y = evaluate(function.op, x);
  double worst = 0;
  float at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double error = ulps(y[i], function.single(x[i]));
    if (error > worst)
      std::tie(worst, at) = std::pair(error, x[i]);
  }
  EXPECT_LE(worst, function.singleBound) << function.op << " at " << at;
  RecordProperty("ulp", std::to_string(worst));
  if (getenv("MPC_TEST_PRINT"))
    printf("%s f32: %.3f ulp at %g\n", function.op, worst, at);
}

TEST_P(Math, F64OverTheWholeRange) {
  const Function &function = GetParam();
  std::vector<double> x = allDoubles(-8, 8), y = evaluate(function.op, x);
  double worst = 0, at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double error = ulpsOfDouble(y[i], function.wide(x[i]));
    if (error > worst)
      std::tie(worst, at) = std::pair(error, x[i]);
  }
  EXPECT_LE(worst, function.doubleBound) << function.op << " at " << at;
  if (getenv("MPC_TEST_PRINT"))
    printf("%s f64: %.3f ulp at %g\n", function.op, worst, at);
}

TEST_P(Math, ScalarsHaveTheBitsOfVectors) {
  std::vector<float> x = randoms(1003, -3, 3);
  std::vector<float> a = evaluate(GetParam().op, x);
  std::vector<float> b = evaluate(GetParam().op, x, {.naive = true});
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * 4), 0);
}

// Vectors of AVX-512 have instructions of their own. The whole range is in
// MathOfAVX512, since most functions have none.
TEST_P(Math, ScalarsHaveTheBitsOfVectorsOf16) {
  if (!__builtin_cpu_supports("avx512f"))
    GTEST_SKIP() << "needs AVX-512";
  std::vector<float> x = randoms(1003, -3, 3);
  std::vector<float> a = evaluate(GetParam().op, x, {.lanes = 16});
  std::vector<float> b = evaluate(GetParam().op, x, {.naive = true});
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * 4), 0);
}

// Results that are subnormal, or out of range, and NaN.
TEST(MathOfAVX512, PowersOfTwoScaleAsProductsDo) {
  if (!__builtin_cpu_supports("avx512f"))
    GTEST_SKIP() << "needs AVX-512";
  std::vector<float> x = allFloats();
  for (float step = 0; step < 1; step += 0x1p-12f)
    for (float from : {-152.0f, -150.0f, -127.0f, -126.0f, -104.0f, -88.0f,
                       -87.0f, 88.0f, 127.0f, 128.0f})
      x.push_back(from + step);
  for (const char *op : {"exp", "exp2", "tanh"}) {
    std::vector<float> a = evaluate(op, x, {.lanes = 16});
    std::vector<float> b = evaluate(op, x, {.lanes = 8});
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * 4), 0) << op;
  }
}

// -0 and 0 are equal, so that no distance tells them apart.
TEST_P(Math, ZerosHaveTheSignOfLibm) {
  const Function &function = GetParam();
  std::vector<float> single = evaluate<float>(function.op, {0.0f, -0.0f});
  std::vector<double> wide = evaluate<double>(function.op, {0.0, -0.0});
  for (int i = 0; i < 2; ++i) {
    double exact = function.single(i ? -0.0 : 0.0);
    if (std::isnan(exact))
      continue;
    bool isNegative = std::signbit(exact);
    EXPECT_EQ(std::signbit(single[i]), isNegative) << (i ? "-0" : "0");
    EXPECT_EQ(std::signbit(wide[i]), isNegative) << (i ? "-0, f64" : "0, f64");
  }
}

#define MPC_FUNCTION(op, name, ...)                                            \
  Function {                                                                   \
    op, [](double x) { return name(x); },                                      \
        [](long double x) { return name##l(x); }, __VA_ARGS__                  \
  }

INSTANTIATE_TEST_SUITE_P(
    All, Math,
    testing::Values(
        MPC_FUNCTION("exp", exp, 2, 2), MPC_FUNCTION("exp2", exp2, 2, 2),
        MPC_FUNCTION("log", log, 2, 2), MPC_FUNCTION("erf", erf, 2, 2),
        MPC_FUNCTION("tanh", tanh, 2, 2), MPC_FUNCTION("sin", sin, 1, 2),
        MPC_FUNCTION("cos", cos, 1, 2), MPC_FUNCTION("tan", tan, 1, 4),
        MPC_FUNCTION("atan", atan, 1, 2), MPC_FUNCTION("asin", asin, 1, 4),
        MPC_FUNCTION("acos", acos, 1, 4), MPC_FUNCTION("erfc", erfc, 1, 8),
        MPC_FUNCTION("expm1", expm1, 1, 8), MPC_FUNCTION("log1p", log1p, 1, 4),
        MPC_FUNCTION("log2", log2, 1, 4), MPC_FUNCTION("log10", log10, 1, 4),
        MPC_FUNCTION("cbrt", cbrt, 1, 4), MPC_FUNCTION("sinh", sinh, 1, 8),
        MPC_FUNCTION("cosh", cosh, 1, 8), MPC_FUNCTION("asinh", asinh, 1, 8),
        MPC_FUNCTION("acosh", acosh, 1, 8), MPC_FUNCTION("atanh", atanh, 1, 8),
        MPC_FUNCTION("round", round, 0, 0),
        MPC_FUNCTION("roundeven", nearbyint, 0, 0),
        MPC_FUNCTION("floor", floor, 0, 0)),
    [](const testing::TestParamInfo<Function> &info) { return info.param.op; });

static std::string binary(const std::string &op, const std::string &type,
                          size_t n) {
  std::string t = "tensor<" + std::to_string(n) + "x" + type + ">";
  return "#i = affine_map<(i) -> (i)>\n"
         "kernel.func @k(%x: " +
         t + ", %y: " + t + ", %d: " + t + ") -> " + t +
         " {\n"
         "  %r = linalg.generic {indexing_maps = [#i, #i, #i], "
         "iterator_types = [\"parallel\"]} ins(%x, %y : " +
         t + ", " + t + ") outs(%d : " + t +
         ") {\n"
         "  ^bb0(%a: " +
         type + ", %b: " + type + ", %o: " + type +
         "):\n"
         "    %0 = " +
         op + " %a, %b : " + type +
         "\n"
         "    linalg.yield %0 : " +
         type +
         "\n"
         "  } -> " +
         t +
         "\n"
         "  kernel.return %r : " +
         t + "\n}\n";
}

template <typename T>
static double worstBinary(const std::string &op, std::vector<T> x,
                          std::vector<T> y, double (*exact)(double, double)) {
  Kernels kernels(binary(op, sizeof(T) == 4 ? "f32" : "f64", x.size()));
  std::vector<T> d(x.size());
  kernels.run({x.data(), y.data(), d.data()});
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double error = ulps(d[i], exact(x[i], y[i]));
    if (error > worst && getenv("MPC_TEST_PRINT"))
      printf("%s(%g, %g) = %g: %g ulp\n", op.c_str(), x[i], y[i], d[i], error);
    worst = std::max(worst, error);
  }
  return worst;
}

TEST(MathBinary, Pow) {
  std::vector<float> x = randoms(10000, 0, 30), y = randoms(10000, -20, 20, 2);
  double inf = HUGE_VAL;
  for (double a : {0., -0., 1., -1., 2., -2., -3., inf, -inf, double(NAN)})
    for (double b : {0., 1., 2., 3., -1., -2., 0.5, inf, -inf, double(NAN)}) {
      if (a == 0 && std::signbit(a))
        continue; // The sign of -0 is lost.
      x.push_back(a);
      y.push_back(b);
    }
  EXPECT_LE(worstBinary<float>("math.powf", x, y, std::pow), 1);
  // The error grows with the result's exponent: 1e-13 at its worst.
  std::vector<double> wide(x.begin(), x.end()), power(y.begin(), y.end());
  EXPECT_LE(worstBinary<double>("math.powf", wide, power, std::pow), 100);
}

template <typename T, typename N>
static std::vector<T> integerPower(std::vector<T> x, std::vector<N> n) {
  std::string text = R"mlir(
#i = affine_map<(i) -> (i)>
kernel.func @k(%x: tensor<$nx$t>, %n: tensor<$nx$i>, %d: tensor<$nx$t>) -> tensor<$nx$t> {
  %r = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
      ins(%x, %n : tensor<$nx$t>, tensor<$nx$i>) outs(%d : tensor<$nx$t>) {
  ^bb0(%a: $t, %b: $i, %o: $t):
    %0 = math.fpowi %a, %b : $t, $i
    linalg.yield %0 : $t
  } -> tensor<$nx$t>
  kernel.return %r : tensor<$nx$t>
}
)mlir";
  auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, from.size(), to);
  };
  replace("$n", std::to_string(x.size()));
  replace("$t", sizeof(T) == 4 ? "f32" : "f64");
  replace("$i", sizeof(N) == 4 ? "i32" : "i64");
  std::vector<T> d(x.size());
  Kernels(text).run({x.data(), n.data(), d.data()});
  return d;
}

// Against long double; an exponent that no f32 holds keeps its last bit.
TEST(MathBinary, IntegerPower) {
  std::vector<float> x = randoms(10000, -3, 3);
  std::vector<int32_t> n;
  for (float y : randoms(10000, -20, 20, 2))
    n.push_back(static_cast<int32_t>(y));
  float inf = HUGE_VALF;
  for (float a : {0.f, -0.f, 1.f, -1.f, 2.f, -2.f, inf, -inf, NAN})
    for (int32_t b : {0, 1, 2, 3, -1, -2, 16777217, -16777217, INT32_MIN}) {
      x.push_back(a);
      n.push_back(b);
    }
  std::vector<float> y = integerPower(x, n);
  for (size_t i = 0; i < x.size(); ++i) {
    float exact = static_cast<float>(powl(x[i], n[i]));
    EXPECT_LE(ulps(y[i], exact), 1) << x[i] << "^" << n[i] << " = " << y[i];
    if (!std::isnan(exact))
      EXPECT_EQ(std::signbit(y[i]), std::signbit(exact)) << x[i] << "^" << n[i];
  }
  std::vector<double> wide = integerPower<double, int64_t>(
      {-1, -1, -2, 3}, {(1ll << 53) + 1, 4, 3, -1});
  EXPECT_EQ(wide[0], -1);
  EXPECT_EQ(wide[1], 1);
  EXPECT_NEAR(wide[2], -8, 1e-13);
  EXPECT_NEAR(wide[3], 1. / 3, 1e-15);
}

TEST(MathBinary, Atan2) {
  std::vector<float> x = randoms(10000), y = randoms(10000, -2, 2, 2);
  for (double a : {0., -0., 1., -1., HUGE_VAL, -HUGE_VAL})
    for (double b : {0., -0., 1., -1., HUGE_VAL, -HUGE_VAL}) {
      x.push_back(a);
      y.push_back(b);
    }
  EXPECT_LE(worstBinary<float>("math.atan2", x, y, std::atan2), 2);
}

TEST(MathBinary, RemainderIsExact) {
  std::vector<float> x = randoms(10000, -1e6, 1e6);
  std::vector<float> y = randoms(10000, -9, 9, 2);
  for (double a : {5., -5., 6., 0., 1e30, HUGE_VAL})
    for (double b : {3., -3., 2., HUGE_VAL, 0.}) {
      x.push_back(a == 1e30 ? 3e6 : a);
      y.push_back(b);
    }
  EXPECT_EQ(worstBinary<float>("arith.remf", x, y, std::fmod), 0);
  std::vector<double> wide(x.begin(), x.end()), other(y.begin(), y.end());
  EXPECT_EQ(worstBinary<double>("arith.remf", wide, other, std::fmod), 0);
}
