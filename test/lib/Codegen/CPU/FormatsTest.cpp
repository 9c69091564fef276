// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions to and from f16 and bf16, by scalars and by vectors: exact over
// all patterns, rounded once, NaN kept.
#include "Harness.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace mpc::test;

// `body` maps %a of type `from` to a value %r of type `to`.
static std::string convert(const std::string &body, const std::string &from,
                           const std::string &to, size_t n) {
  std::string x = "tensor<" + std::to_string(n) + "x" + from + ">";
  std::string d = "tensor<" + std::to_string(n) + "x" + to + ">";
  return "#i = affine_map<(i) -> (i)>\n"
         "kernel.func @k(%x: " +
         x + ", %d: " + d + ") -> " + d +
         " {\n"
         "  %t = linalg.generic {indexing_maps = [#i, #i], iterator_types = "
         "[\"parallel\"]} ins(%x : " +
         x + ") outs(%d : " + d +
         ") {\n"
         "  ^bb0(%a: " +
         from + ", %o: " + to + "):\n    " + body +
         "\n"
         "    linalg.yield %r : " +
         to + "\n  } -> " + d +
         "\n"
         "  kernel.return %t : " +
         d + "\n}\n";
}

template <typename To, typename From>
static std::vector<To> run(const std::string &body, const std::string &from,
                           const std::string &to, const std::vector<From> &x) {
  Buffers got = runAllWays(
      convert(body, from, to, x.size()),
      {bytes(x), std::vector<uint8_t>(x.size() * sizeof(To))}, "#cpu.map");
  return values<To>(got[1]);
}

static std::vector<uint16_t> allPatterns() {
  std::vector<uint16_t> result(65536);
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<uint16_t>(i);
  return result;
}

template <typename T>
static bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 ||
         (std::isnan(a) && std::isnan(b));
}

TEST(Formats, EveryPatternWidensExactly) {
  std::vector<uint16_t> x = allPatterns();
  for (bool half : {true, false}) {
    std::string from = half ? "f16" : "bf16";
    auto single =
        run<float>("%r = arith.extf %a : " + from + " to f32", from, "f32", x);
    auto wide =
        run<double>("%r = arith.extf %a : " + from + " to f64", from, "f64", x);
    for (size_t i = 0; i < x.size(); ++i) {
      float want = half ? fromHalf(x[i]) : fromBFloat(x[i]);
      ASSERT_TRUE(same(single[i], want)) << from << " " << i;
      ASSERT_TRUE(same<double>(wide[i], want)) << from << " " << i;
    }
  }
}

// Values around every representable number and every midpoint.
static std::vector<float> hardCases(bool half) {
  std::vector<float> result;
  for (uint32_t i = 0; i < 65536; i += half ? 1 : 7) {
    float value = half ? fromHalf(i) : fromBFloat(i);
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    uint32_t middle = bits + (half ? 0x1000 : 0x8000);
    for (uint32_t near :
         {bits, bits + 1, bits - 1, middle, middle + 1, middle - 1}) {
      float number;
      std::memcpy(&number, &near, 4);
      result.push_back(number);
    }
  }
  for (float value : {65503.f, 65519.99f, 65520.f, 65536.f, 1e-8f, 2.98e-8f,
                      5.96e-8f, 1e-40f, 3.4e38f, HUGE_VALF, -HUGE_VALF})
    result.insert(result.end(), {value, -value});
  return result;
}

TEST(Formats, SingleRoundsToNearestEven) {
  for (bool half : {true, false}) {
    std::string to = half ? "f16" : "bf16";
    std::vector<float> x = hardCases(half);
    auto got =
        run<uint16_t>("%r = arith.truncf %a : f32 to " + to, "f32", to, x);
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i])) {
        ASSERT_TRUE(std::isnan(half ? fromHalf(got[i]) : fromBFloat(got[i])));
        ASSERT_TRUE(half || got[i] == 0x7fc0);
        continue;
      }
      ASSERT_EQ(got[i], half ? toHalf(x[i]) : toBFloat(x[i])) << x[i];
    }
  }
}

// A rounding to f32 in between would make ties of what is none.
TEST(Formats, DoubleRoundsOnce) {
  for (bool half : {true, false}) {
    std::string to = half ? "f16" : "bf16";
    std::vector<double> x;
    for (float value : hardCases(half))
      for (double shift : {-0x1p-40, 0., 0x1p-40})
        x.push_back(value + value * shift);
    for (double value : {1e300, -1e300, 1e-300, 0x1p-150, 0.0, -0.0})
      x.push_back(value);
    x.push_back(NAN);
    auto got =
        run<uint16_t>("%r = arith.truncf %a : f64 to " + to, "f64", to, x);
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i])) {
        ASSERT_TRUE(std::isnan(half ? fromHalf(got[i]) : fromBFloat(got[i])));
        continue;
      }
      ASSERT_EQ(got[i], half ? toHalf(x[i]) : toBFloat(x[i])) << x[i];
    }
  }
}

// Arithmetic on 16 bits is done in f32 and rounded.
TEST(Formats, ArithmeticOnSixteenBits) {
  std::vector<uint16_t> x;
  for (float value : randoms(999, 0.01, 9))
    x.push_back(toBFloat(value));
  auto got = run<uint16_t>("%s = arith.addf %a, %a : bf16\n"
                           "%q = math.sqrt %a : bf16\n"
                           "%e = math.exp %q : bf16\n"
                           "%c = arith.cmpf ogt, %e, %s : bf16\n"
                           "%m = arith.maximumf %e, %s : bf16\n"
                           "%r = arith.select %c, %m, %s : bf16",
                           "bf16", "bf16", x);
  for (size_t i = 0; i < x.size(); ++i) {
    float a = fromBFloat(x[i]);
    float root = fromBFloat(toBFloat(std::sqrt(a)));
    float power = fromBFloat(toBFloat(std::exp(root)));
    ASSERT_EQ(fromBFloat(got[i]), std::max(power, a + a)) << a;
  }
}

TEST(Formats, IntegersToSixteenBitsRoundOnce) {
  std::vector<int32_t> x;
  for (float value : randoms(999, -2e9, 2e9))
    x.push_back(static_cast<int32_t>(value));
  for (int32_t value : {0, 1, -1, 65503, 65519, 65520, 16777217, 1 << 30})
    x.push_back(value);
  x.push_back((1 << 24) + (1 << 16) + 1);
  auto bfloat =
      run<uint16_t>("%r = arith.sitofp %a : i32 to bf16", "i32", "bf16", x);
  auto half =
      run<uint16_t>("%r = arith.sitofp %a : i32 to f16", "i32", "f16", x);
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(bfloat[i], toBFloat(x[i])) << x[i];
    ASSERT_EQ(half[i], toHalf(x[i])) << x[i];
  }
}
