// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What scalar ops give on a device, value by value, against their definitions:
// comparisons of each predicate with NaN, casts at ties and in the subnormals,
// integers at their ends. And sums that ask for more than their elements.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "test/lib/Codegen/CUDA/Emulated.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>
#include <functional>
#include <limits>

using namespace mpc;
using namespace mpc::test;
using mlir::arith::CmpFPredicate;
using mlir::arith::CmpIPredicate;

namespace {

/// A map over `count` elements with an input of each of `types`, and a result
/// of each of `results`, which `body` makes of %a0, %a1, .. as %r0, %r1, ..
std::string map(const std::vector<std::string> &types,
                const std::vector<std::string> &results, size_t count,
                const std::string &body) {
  auto list = [&](const char *format, const std::vector<std::string> &of) {
    std::string text;
    for (size_t i = 0; i < of.size(); ++i)
      text +=
          (i > 0 ? ", " : "") + llvm::formatv(format, i, of[i], count).str();
    return text;
  };
  std::vector<std::string> all(types);
  all.insert(all.end(), results.begin(), results.end());
  std::string outs = list("tensor<{2}x{1}>", results);
  return llvm::formatv(
             R"(
kernel.func @k({0}, {1}) -> ({2}) {{
  %r:{3} = linalg.generic {{indexing_maps = [{4}], iterator_types = ["parallel"]}
      ins({5} : {6}) outs({7} : {2}) {{
  ^bb0({8}, {9}):
    {10}
    linalg.yield {11} : {12}
  } -> ({2})
  kernel.return {13} : {2}
})",
             list("%x{0}: tensor<{2}x{1}>", types),
             list("%d{0}: tensor<{2}x{1}>", results), outs, results.size(),
             list("affine_map<(i) -> (i)>", all), list("%x{0}", types),
             list("tensor<{2}x{1}>", types), list("%d{0}", results),
             list("%a{0}: {1}", types), list("%o{0}: {1}", results), body,
             list("%r{0}", results), list("{1}", results),
             list("%r#{0}", results))
      .str();
}

/// The results of such a kernel.
Buffers compute(const std::string &text, Buffers inputs, size_t numResults,
                size_t bytes, Emission emission = {}) {
  size_t count = inputs.size();
  for (size_t i = 0; i < numResults; ++i)
    inputs.emplace_back(bytes, 0xee);
  std::vector<Emitted> kernels = emitAll(text, 80, emission);
  EXPECT_EQ(kernels.size(), 1u);
  Buffers after = runOnGpu(kernels.front(), inputs, {});
  return {after.begin() + count, after.end()};
}

/// Every pair of `numbers`.
template <typename T>
std::pair<std::vector<T>, std::vector<T>> pairs(const std::vector<T> &numbers) {
  std::pair<std::vector<T>, std::vector<T>> both;
  for (T first : numbers)
    for (T second : numbers) {
      both.first.push_back(first);
      both.second.push_back(second);
    }
  return both;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// By the predicate's bits: unordered 8, less 4, greater 2, equal 1, as
/// everybody numbers them.
bool holds(CmpFPredicate predicate, double a, double b) {
  bool isUnordered = std::isnan(a) || std::isnan(b);
  static const std::map<CmpFPredicate, int> kBits = {
      {CmpFPredicate::AlwaysFalse, 0}, {CmpFPredicate::OEQ, 1},
      {CmpFPredicate::OGT, 2},         {CmpFPredicate::OGE, 3},
      {CmpFPredicate::OLT, 4},         {CmpFPredicate::OLE, 5},
      {CmpFPredicate::ONE, 6},         {CmpFPredicate::ORD, 7},
      {CmpFPredicate::UNO, 8},         {CmpFPredicate::UEQ, 9},
      {CmpFPredicate::UGT, 10},        {CmpFPredicate::UGE, 11},
      {CmpFPredicate::ULT, 12},        {CmpFPredicate::ULE, 13},
      {CmpFPredicate::UNE, 14},        {CmpFPredicate::AlwaysTrue, 15}};
  int found = isUnordered ? 8 : a < b ? 4 : a > b ? 2 : 1;
  return (kBits.at(predicate) & found) != 0;
}

template <typename T>
void expectComparisons(const std::string &type, const std::vector<T> &numbers,
                       const std::function<double(T)> &valueOf) {
  auto [first, second] = pairs(numbers);
  constexpr int kPredicates = 16;
  std::string body;
  for (int p = 0; p < kPredicates; ++p)
    body += llvm::formatv(
        "%r{0} = arith.cmpf {1}, %a0, %a1 : {2}\n    ", p,
        mlir::arith::stringifyCmpFPredicate(static_cast<CmpFPredicate>(p)),
        type);
  std::vector<std::string> results(kPredicates, "i1");
  Buffers got =
      compute(map({type, type}, results, first.size(), body),
              {bytes(first), bytes(second)}, kPredicates, first.size());
  for (int p = 0; p < kPredicates; ++p)
    for (size_t i = 0; i < first.size(); ++i)
      EXPECT_EQ(int(got[p][i]),
                int(holds(static_cast<CmpFPredicate>(p), valueOf(first[i]),
                          valueOf(second[i]))))
          << type << " "
          << mlir::arith::stringifyCmpFPredicate(static_cast<CmpFPredicate>(p))
                 .str()
          << " of " << valueOf(first[i]) << " and " << valueOf(second[i]);
}

TEST(CudaValues, ComparisonsOfEachPredicate) {
  expectComparisons<float>("f32",
                           {NAN, -NAN, 0.f, -0.f, 1.f, -1.f, INFINITY,
                            -INFINITY, 1e-45f, -1e-45f, 1.0000001f},
                           [](float x) { return double(x); });
  expectComparisons<double>("f64",
                            {NAN, 0., -0., 1., 1 + 0x1p-52, -3., HUGE_VAL,
                             -HUGE_VAL, 5e-324, -5e-324},
                            [](double x) { return x; });
  expectComparisons<uint16_t>("f16",
                              {0x7e00, 0xfe00, 0x0000, 0x8000, 0x0001, 0x8001,
                               0x3c00, 0x3c01, 0xbc00, 0x7c00, 0xfc00},
                              [](uint16_t x) { return double(fromHalf(x)); });
  expectComparisons<uint16_t>("bf16",
                              {0x7fc0, 0xffc0, 0x0000, 0x8000, 0x0001, 0x3f80,
                               0x3f81, 0xbf80, 0x7f80, 0xff80},
                              [](uint16_t x) { return double(fromBFloat(x)); });
}

bool holds(CmpIPredicate predicate, const llvm::APInt &a,
           const llvm::APInt &b) {
  switch (predicate) {
  case CmpIPredicate::eq:
    return a == b;
  case CmpIPredicate::ne:
    return a != b;
  case CmpIPredicate::slt:
    return a.slt(b);
  case CmpIPredicate::sle:
    return a.sle(b);
  case CmpIPredicate::sgt:
    return a.sgt(b);
  case CmpIPredicate::sge:
    return a.sge(b);
  case CmpIPredicate::ult:
    return a.ult(b);
  case CmpIPredicate::ule:
    return a.ule(b);
  case CmpIPredicate::ugt:
    return a.ugt(b);
  case CmpIPredicate::uge:
    return a.uge(b);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// What an op of two integers gives; empty where it is not defined.
using Integers = std::function<std::optional<llvm::APInt>(const llvm::APInt &,
                                                          const llvm::APInt &)>;

const std::vector<std::pair<std::string, Integers>> &integerOps() {
  using llvm::APInt;
  using Result = std::optional<APInt>;
  auto divides = [](const APInt &a, const APInt &b, bool isSigned) {
    return !b.isZero() && !(isSigned && a.isMinSignedValue() && b.isAllOnes());
  };
  auto shifts = [](const APInt &a, const APInt &b) {
    return b.ult(a.getBitWidth());
  };
  static const std::vector<std::pair<std::string, Integers>> kOps = {
      {"addi", [](const APInt &a, const APInt &b) { return Result(a + b); }},
      {"subi", [](const APInt &a, const APInt &b) { return Result(a - b); }},
      {"muli", [](const APInt &a, const APInt &b) { return Result(a * b); }},
      {"andi", [](const APInt &a, const APInt &b) { return Result(a & b); }},
      {"ori", [](const APInt &a, const APInt &b) { return Result(a | b); }},
      {"xori", [](const APInt &a, const APInt &b) { return Result(a ^ b); }},
      {"maxsi",
       [](const APInt &a, const APInt &b) { return Result(a.sgt(b) ? a : b); }},
      {"minsi",
       [](const APInt &a, const APInt &b) { return Result(a.slt(b) ? a : b); }},
      {"maxui",
       [](const APInt &a, const APInt &b) { return Result(a.ugt(b) ? a : b); }},
      {"minui",
       [](const APInt &a, const APInt &b) { return Result(a.ult(b) ? a : b); }},
      {"divsi",
       [=](const APInt &a, const APInt &b) {
         return divides(a, b, true) ? Result(a.sdiv(b)) : Result();
       }},
      {"divui",
       [=](const APInt &a, const APInt &b) {
         return divides(a, b, false) ? Result(a.udiv(b)) : Result();
       }},
      {"remsi",
       [=](const APInt &a, const APInt &b) {
         return divides(a, b, true) ? Result(a.srem(b)) : Result();
       }},
      {"remui",
       [=](const APInt &a, const APInt &b) {
         return divides(a, b, false) ? Result(a.urem(b)) : Result();
       }},
      {"shli",
       [=](const APInt &a, const APInt &b) {
         return shifts(a, b) ? Result(a.shl(b)) : Result();
       }},
      {"shrui",
       [=](const APInt &a, const APInt &b) {
         return shifts(a, b) ? Result(a.lshr(b)) : Result();
       }},
      {"shrsi", [=](const APInt &a, const APInt &b) {
         return shifts(a, b) ? Result(a.ashr(b)) : Result();
       }}};
  return kOps;
}

llvm::APInt numberAt(const std::vector<uint8_t> &memory, size_t index,
                     unsigned bits) {
  uint64_t number = 0;
  std::memcpy(&number, memory.data() + index * bits / 8, bits / 8);
  return {bits, number};
}

template <typename T>
std::vector<T> ends() {
  using Limits = std::numeric_limits<T>;
  return {T(0),
          T(1),
          T(-1),
          T(2),
          T(7),
          T(-7),
          T(3),
          T(-3),
          Limits::min(),
          T(Limits::min() + 1),
          Limits::max(),
          T(Limits::max() - 1),
          T(Limits::max() / 3)};
}

template <typename T>
void expectIntegers() {
  constexpr unsigned kBits = sizeof(T) * 8;
  std::string type = "i" + std::to_string(kBits);
  auto [first, second] = pairs(ends<T>());
  Buffers inputs = {bytes(first), bytes(second)};
  auto at = [&](size_t input, size_t i) {
    return numberAt(inputs[input], i, kBits);
  };
  constexpr int kPredicates = 10;
  std::string comparisons, body;
  for (int p = 0; p < kPredicates; ++p)
    comparisons += llvm::formatv(
        "%r{0} = arith.cmpi {1}, %a0, %a1 : {2}\n    ", p,
        mlir::arith::stringifyCmpIPredicate(static_cast<CmpIPredicate>(p)),
        type);
  std::vector<std::string> truths(kPredicates, "i1");
  Buffers got = compute(map({type, type}, truths, first.size(), comparisons),
                        inputs, kPredicates, first.size());
  for (int p = 0; p < kPredicates; ++p)
    for (size_t i = 0; i < first.size(); ++i)
      EXPECT_EQ(bool(got[p][i]),
                holds(static_cast<CmpIPredicate>(p), at(0, i), at(1, i)))
          << type << " predicate " << p << " of " << int64_t(first[i])
          << " and " << int64_t(second[i]);
  for (auto [number, op] : llvm::enumerate(integerOps()))
    body += llvm::formatv("%r{0} = arith.{1} %a0, %a1 : {2}\n    ", number,
                          op.first, type);
  // Where an op is not defined nothing may be read off, and a host's division
  // would end the test.
  std::vector<T> a, b;
  for (size_t i = 0; i < first.size(); ++i)
    if (integerOps()[10].second(at(0, i), at(1, i))) {
      a.push_back(first[i]);
      b.push_back(second[i]);
    }
  inputs = {bytes(a), bytes(b)};
  std::vector<std::string> results(integerOps().size(), type);
  got = compute(map({type, type}, results, a.size(), body), inputs,
                results.size(), a.size() * sizeof(T));
  for (auto [number, op] : llvm::enumerate(integerOps()))
    for (size_t i = 0; i < a.size(); ++i)
      if (auto want = op.second(at(0, i), at(1, i)))
        EXPECT_EQ(numberAt(got[number], i, kBits), *want)
            << type << " " << op.first << " of " << int64_t(a[i]) << " and "
            << int64_t(b[i]);
}

TEST(CudaValues, Integers8) { expectIntegers<int8_t>(); }
TEST(CudaValues, Integers16) { expectIntegers<int16_t>(); }
TEST(CudaValues, Integers32) { expectIntegers<int32_t>(); }
TEST(CudaValues, Integers64) { expectIntegers<int64_t>(); }

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

const llvm::fltSemantics &semanticsOf(const std::string &type) {
  return type == "f64"   ? llvm::APFloat::IEEEdouble()
         : type == "f32" ? llvm::APFloat::IEEEsingle()
         : type == "f16" ? llvm::APFloat::IEEEhalf()
                         : llvm::APFloat::BFloat();
}

unsigned widthOf(const std::string &type) {
  return static_cast<unsigned>(
      std::stoi(type.substr(type.find_first_of("123468"))));
}

/// Numbers that lie on ties of `to`, and a little beside them, from the
/// subnormals up to what overflows.
std::vector<double> ties(const std::string &to) {
  const llvm::fltSemantics &semantics = semanticsOf(to);
  int digits = static_cast<int>(llvm::APFloat::semanticsPrecision(semantics));
  int least = llvm::APFloat::semanticsMinExponent(semantics) - digits + 1;
  int most = llvm::APFloat::semanticsMaxExponent(semantics);
  std::vector<double> numbers = {0., -0., HUGE_VAL, -HUGE_VAL};
  auto add = [&](double whole, int exponent) {
    // The last bit of what is left of f64 makes it no tie.
    for (double off : {0., 0x1p-40, -0x1p-40})
      for (double sign : {1., -1.})
        numbers.push_back(sign * std::ldexp(whole * (1 + off), exponent));
  };
  for (double whole : {0.5, 1., 1.5, 2.5, 3.5})
    add(whole, least);
  for (int exponent : {least + digits, 0, 5, most})
    for (double odd : {1., 2., 3.})
      add(1 + odd * std::ldexp(1., -digits), exponent);
  // Half a unit above the greatest number, where infinity begins.
  add(2 - std::ldexp(1., -digits), most);
  return numbers;
}

uint64_t rounded(double value, const std::string &to) {
  llvm::APFloat number(value);
  bool loses = false;
  number.convert(semanticsOf(to), llvm::APFloat::rmNearestTiesToEven, &loses);
  return number.bitcastToAPInt().getZExtValue();
}

// Rounding to f32 on the way is rounding twice.
TEST(CudaValues, TruncationsRoundOnce) {
  for (const std::string &to : {"f16", "bf16", "f32"}) {
    std::vector<double> numbers = ties(to);
    unsigned width = widthOf(to);
    Buffers got = compute(map({"f64"}, {to}, numbers.size(),
                              "%r0 = arith.truncf %a0 : f64 to " + to),
                          {bytes(numbers)}, 1, numbers.size() * width / 8);
    for (size_t i = 0; i < numbers.size(); ++i)
      EXPECT_EQ(numberAt(got[0], i, width).getZExtValue(),
                rounded(numbers[i], to))
          << to << " of " << llvm::formatv("{0:e17}", numbers[i]).str();
  }
  for (const std::string &to : {"f16", "bf16"}) {
    std::vector<float> numbers;
    for (double number : ties(to))
      numbers.push_back(static_cast<float>(number));
    Buffers got = compute(map({"f32"}, {to}, numbers.size(),
                              "%r0 = arith.truncf %a0 : f32 to " + to),
                          {bytes(numbers)}, 1, numbers.size() * 2);
    for (size_t i = 0; i < numbers.size(); ++i)
      EXPECT_EQ(numberAt(got[0], i, 16).getZExtValue(), rounded(numbers[i], to))
          << to << " of " << numbers[i];
  }
}

// Every number of 16 bits, the subnormals among them.
TEST(CudaValues, ExtensionsAreExact) {
  for (const std::string &from : {"f16", "bf16"}) {
    std::vector<uint16_t> numbers(1 << 16);
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<uint16_t>(i);
    Buffers got = compute(
        map({from}, {"f32", "f64"}, numbers.size(),
            "%r0 = arith.extf %a0 : " + from +
                " to f32\n    %r1 = arith.extf %a0 : " + from + " to f64"),
        {bytes(numbers)}, 2, numbers.size() * 8);
    for (size_t i = 0; i < numbers.size(); ++i) {
      double want =
          from == "f16" ? fromHalf(numbers[i]) : fromBFloat(numbers[i]);
      float single = values<float>(got[0])[0];
      std::memcpy(&single, got[0].data() + i * 4, 4);
      double wide = 0;
      std::memcpy(&wide, got[1].data() + i * 8, 8);
      bool isRight = std::isnan(want)
                         ? std::isnan(single) && std::isnan(wide)
                         : single == want && wide == want &&
                               std::signbit(single) == std::signbit(want) &&
                               std::signbit(wide) == std::signbit(want);
      ASSERT_TRUE(isRight) << from << " " << i << ": " << single << " " << wide;
    }
  }
}

/// Of an integer, by its bits.
uint64_t roundedOf(const llvm::APInt &number, bool isSigned,
                   const std::string &to) {
  llvm::APFloat value(semanticsOf(to));
  value.convertFromAPInt(number, isSigned, llvm::APFloat::rmNearestTiesToEven);
  return value.bitcastToAPInt().getZExtValue();
}

template <typename T>
void expectFloatsOfIntegers() {
  constexpr unsigned kBits = sizeof(T) * 8;
  std::string type = "i" + std::to_string(kBits);
  std::vector<T> numbers = ends<T>();
  // Ties of f32 and of f64 in each power of two that has any.
  for (unsigned shift = 24; shift + 1 < kBits; ++shift)
    for (int64_t off : {-1, 0, 1})
      for (int64_t unit : {shift - 24, shift - 53})
        if (unit >= 0 && unit < 40) {
          auto number = static_cast<T>((int64_t(1) << shift) +
                                       (int64_t(1) << unit) + off);
          numbers.push_back(number);
          numbers.push_back(static_cast<T>(-number));
        }
  std::string body;
  std::vector<std::string> results;
  for (const char *op : {"sitofp", "uitofp"})
    for (const char *to : {"f32", "f64"}) {
      body += llvm::formatv("%r{0} = arith.{1} %a0 : {2} to {3}\n    ",
                            results.size(), op, type, to);
      results.push_back(to);
    }
  Buffers got = compute(map({type}, results, numbers.size(), body),
                        {bytes(numbers)}, 4, numbers.size() * 8);
  for (size_t result = 0; result < 4; ++result)
    for (size_t i = 0; i < numbers.size(); ++i) {
      unsigned width = widthOf(results[result]);
      EXPECT_EQ(numberAt(got[result], i, width).getZExtValue(),
                roundedOf(llvm::APInt(kBits, uint64_t(numbers[i]), false, true),
                          result < 2, results[result]))
          << type << " " << int64_t(numbers[i]) << " " << results[result];
    }
}

TEST(CudaValues, FloatsOfIntegers) {
  expectFloatsOfIntegers<int8_t>();
  expectFloatsOfIntegers<int16_t>();
  expectFloatsOfIntegers<int32_t>();
  expectFloatsOfIntegers<int64_t>();
}

// Toward zero; what lies in the type, its ends among them.
TEST(CudaValues, IntegersOfFloats) {
  for (unsigned bits : {8u, 16u, 32u, 64u}) {
    std::string type = "i" + std::to_string(bits);
    double end = std::ldexp(1., static_cast<int>(bits) - 1);
    std::vector<double> numbers = {0.,   -0.,     0.99,    -0.99, 1.5,
                                   -1.5, 5e-324,  2.5,     100.4, -100.6,
                                   -end, end / 2, -end / 3};
    if (bits < 64)
      numbers.push_back(end - 0.5);
    Buffers got = compute(map({"f64"}, {type}, numbers.size(),
                              "%r0 = arith.fptosi %a0 : f64 to " + type),
                          {bytes(numbers)}, 1, numbers.size() * bits / 8);
    for (size_t i = 0; i < numbers.size(); ++i)
      EXPECT_EQ(numberAt(got[0], i, bits).getSExtValue(),
                static_cast<int64_t>(std::trunc(numbers[i])))
          << type << " of " << numbers[i];
  }
}

template <typename From, typename To>
void expectWidths(const std::vector<From> &numbers) {
  std::string from = "i" + std::to_string(sizeof(From) * 8);
  std::string to = "i" + std::to_string(sizeof(To) * 8);
  constexpr bool kIsWider = sizeof(To) > sizeof(From);
  std::string body =
      kIsWider ? llvm::formatv("%r0 = arith.extsi %a0 : {0} to {1}\n    "
                               "%r1 = arith.extui %a0 : {0} to {1}",
                               from, to)
                     .str()
               : llvm::formatv("%r0 = arith.trunci %a0 : {0} to {1}", from, to)
                     .str();
  std::vector<std::string> results(kIsWider ? 2 : 1, to);
  Buffers got =
      compute(map({from}, results, numbers.size(), body), {bytes(numbers)},
              results.size(), numbers.size() * sizeof(To));
  std::vector<To> first = values<To>(got[0]);
  for (size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(first[i], static_cast<To>(numbers[i])) << from << to << i;
    if (kIsWider)
      EXPECT_EQ(values<To>(got.back())[i],
                static_cast<To>(std::make_unsigned_t<From>(numbers[i])))
          << from << to << i;
  }
}

TEST(CudaValues, WidthsOfIntegers) {
  expectWidths<int8_t, int16_t>(ends<int8_t>());
  expectWidths<int8_t, int64_t>(ends<int8_t>());
  expectWidths<int16_t, int32_t>(ends<int16_t>());
  expectWidths<int32_t, int64_t>(ends<int32_t>());
  expectWidths<int64_t, int32_t>(ends<int64_t>());
  expectWidths<int32_t, int8_t>(ends<int32_t>());
}

//===----------------------------------------------------------------------===//
// Maxima and roundings
//===----------------------------------------------------------------------===//

bool isSame(double got, double want) {
  return std::isnan(want)
             ? std::isnan(got)
             : got == want && std::signbit(got) == std::signbit(want);
}

/// The greater: +0 above -0.
double greater(double a, double b) {
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

// NaN wins over a number by maximumf, and loses to it by maxnumf.
template <typename T>
void expectMaxima(const std::string &type) {
  auto [first, second] = pairs(
      std::vector<T>{T(NAN), T(-NAN), T(0.), T(-0.), T(1), T(-1), T(HUGE_VAL),
                     T(-HUGE_VAL), std::numeric_limits<T>::denorm_min(),
                     -std::numeric_limits<T>::denorm_min()});
  std::string body;
  std::vector<std::string> results;
  for (const char *op : {"maximumf", "minimumf", "maxnumf", "minnumf"}) {
    body += llvm::formatv("%r{0} = arith.{1} %a0, %a1 : {2}\n    ",
                          results.size(), op, type);
    results.push_back(type);
  }
  Buffers got =
      compute(map({type, type}, results, first.size(), body),
              {bytes(first), bytes(second)}, 4, first.size() * sizeof(T));
  for (size_t i = 0; i < first.size(); ++i) {
    double a = first[i], b = second[i];
    bool hasNaN = std::isnan(a) || std::isnan(b);
    double number = std::isnan(a) ? b : a;
    double most = hasNaN ? NAN : greater(a, b);
    double least = hasNaN ? NAN : -greater(-a, -b);
    auto at = [&](size_t result) { return double(values<T>(got[result])[i]); };
    EXPECT_PRED2(isSame, at(0), most) << a << " " << b;
    EXPECT_PRED2(isSame, at(1), least) << a << " " << b;
    // Of two zeros either may be the number.
    EXPECT_TRUE(hasNaN ? isSame(at(2), number) : at(2) == most)
        << a << " " << b << " " << at(2);
    EXPECT_TRUE(hasNaN ? isSame(at(3), number) : at(3) == least)
        << a << " " << b << " " << at(3);
  }
}

TEST(CudaValues, MaximaAndMinima) {
  expectMaxima<float>("f32");
  expectMaxima<double>("f64");
}

template <typename T>
void expectRoundings(const std::string &type) {
  std::vector<T> numbers = {T(0.5),
                            T(-0.5),
                            T(1.5),
                            T(2.5),
                            T(-2.5),
                            T(0.25),
                            T(-0.),
                            T(NAN),
                            T(-3.),
                            T(HUGE_VAL),
                            T(1e30),
                            T(-1.75),
                            std::numeric_limits<T>::denorm_min(),
                            -std::numeric_limits<T>::denorm_min()};
  std::string body;
  std::vector<std::string> results;
  for (const char *op : {"floor", "ceil", "roundeven", "absf"}) {
    body += llvm::formatv("%r{0} = math.{1} %a0 : {2}\n    ", results.size(),
                          op, type);
    results.push_back(type);
  }
  Buffers got = compute(map({type}, results, numbers.size(), body),
                        {bytes(numbers)}, 4, numbers.size() * sizeof(T));
  for (size_t i = 0; i < numbers.size(); ++i) {
    double x = numbers[i];
    double want[] = {std::floor(x), std::ceil(x), std::nearbyint(x),
                     std::fabs(x)};
    for (size_t result = 0; result < 4; ++result)
      EXPECT_PRED2(isSame, double(values<T>(got[result])[i]), want[result])
          << result << " of " << x;
  }
}

TEST(CudaValues, RoundingsToIntegers) {
  expectRoundings<float>("f32");
  expectRoundings<double>("f64");
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

// A sum over columns that asks for its row. Cut into slices, a row would be
// counted from the slice's first one.
TEST(CudaValues, ASumOfColumnsKnowsItsRow) {
  constexpr int kRows = 2048, kColumns = 40;
  std::string text = R"(
kernel.func @k(%x: tensor<2048x40xf32>, %d: tensor<40xf32>) -> tensor<40xf32> {
  %zero = arith.constant 0.0 : f32
  %none = linalg.fill ins(%zero : f32) outs(%d : tensor<40xf32>) -> tensor<40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<2048x40xf32>) outs(%none : tensor<40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<40xf32>
  kernel.return %r : tensor<40xf32>
})";
  Buffers buffers = {wholeNumbers(kRows * kColumns, 1, "f32"),
                     room<float>(kColumns)};
  std::vector<float> x = values<float>(buffers[0]);
  // Slices first, if that is how it is emitted: then their sum.
  std::vector<Emitted> kernels = emitAll(text, 80);
  Buffers after =
      runOnGpu(kernels.front(),
               {buffers[0], std::vector<uint8_t>(buffers[1].size() *
                                                 (kernels.size() > 1 ? 8 : 1))},
               {});
  if (kernels.size() > 1)
    after = runOnGpu(kernels[1], {after[1], buffers[1]}, {});
  std::vector<float> got = values<float>(after.back());
  for (int column = 0; column < kColumns; ++column) {
    double want = 0;
    for (int row = 0; row < kRows; ++row)
      want += double(x[row * kColumns + column]) * row;
    EXPECT_EQ(got[column], want) << column;
  }
}

// Functions of both factors that are not zero at zero, and a k that does not
// fill the last step, rows and columns that do not fill their tile: what lies
// outside must add nothing.
TEST(CudaValues, WhatLiesOutsideOfAFactorAddsNothing) {
  constexpr int kM = 40, kN = 24, kK = 51;
  std::string text = R"(
kernel.func @k(%a: tensor<40x51xf32>, %b: tensor<51x24xf32>, %d: tensor<40x24xf32>) -> tensor<40x24xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %none = linalg.fill ins(%zero : f32) outs(%d : tensor<40x24xf32>) -> tensor<40x24xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<40x51xf32>, tensor<51x24xf32>) outs(%none : tensor<40x24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.addf %x, %one : f32
    %1 = arith.subf %y, %one : f32
    %2 = math.fma %0, %1, %o : f32
    linalg.yield %2 : f32
  } -> tensor<40x24xf32>
  kernel.return %p : tensor<40x24xf32>
})";
  Buffers buffers = {wholeNumbers(kM * kK, 1, "f32"),
                     wholeNumbers(kK * kN, 2, "f32"), room<float>(kM * kN)};
  std::vector<float> a = values<float>(buffers[0]),
                     b = values<float>(buffers[1]);
  std::vector<Emitted> kernels = emitAll(text, 80);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].schedule.substr(0, 10), "#cuda.simt");
  std::vector<float> got = values<float>(runOnGpu(kernels[0], buffers, {})[2]);
  for (int m = 0; m < kM; ++m)
    for (int n = 0; n < kN; ++n) {
      double want = 0;
      for (int k = 0; k < kK; ++k)
        want += (double(a[m * kK + k]) + 1) * (double(b[k * kN + n]) - 1);
      ASSERT_EQ(got[m * kN + n], want) << m << " " << n;
    }
}

/// An f16 that is near `want`: its nearest one, or where a relative error of
/// 1e-5 leads to another that one.
void expectNearHalf(uint16_t bits, double want, const std::string &what) {
  double got = fromHalf(bits);
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(got)) << what << " is " << got;
    return;
  }
  double low = fromHalf(toHalf(want * (want < 0 ? 1 + 1e-5 : 1 - 1e-5)));
  double high = fromHalf(toHalf(want * (want < 0 ? 1 - 1e-5 : 1 + 1e-5)));
  EXPECT_TRUE(low <= got && got <= high)
      << what << " is " << got << ", not " << want;
}

TEST(CudaValues, FunctionsOfSixteenBitsAreNear) {
  std::vector<float> numbers = {0.0f, INFINITY, -INFINITY,
                                NAN,  1e-30f,   -1e-30f};
  for (int i = -4000; i <= 4000; ++i)
    numbers.push_back(static_cast<float>(i) * 0.00371f);
  for (int exponent = -24; exponent <= 20; ++exponent)
    for (float sign : {1.0f, -1.0f})
      numbers.push_back(std::ldexp(1.37f * sign, exponent));
  std::vector<float> divisors;
  for (size_t i = 0; i < numbers.size(); ++i)
    divisors.push_back(numbers[(i * 977 + 5) % numbers.size()]);
  std::vector<std::string> results(4, "f16");
  std::string text = map({"f32", "f32"}, results, numbers.size(), R"(
    %0 = math.exp %a0 : f32
    %1 = math.tanh %a0 : f32
    %2 = math.erf %a0 : f32
    // A quotient is exact: rounded down, 6 / 3 must not be 1.
    %q = arith.divf %a0, %a1 : f32
    %3 = math.floor %q : f32
    %r0 = arith.truncf %0 : f32 to f16
    %r1 = arith.truncf %1 : f32 to f16
    %r2 = arith.truncf %2 : f32 to f16
    %r3 = arith.truncf %3 : f32 to f16)");
  std::string emitted = emitAll(text, 80, {.exact = false}).front().text;
  EXPECT_NE(emitted.find("mpc_near_tanh(", emitted.find("__global__")),
            std::string::npos);
  EXPECT_EQ(emitted.find("mpc_divide", emitted.find("__global__")),
            std::string::npos);
  // One result of f32 is enough for all to be exact.
  std::string wide = map({"f32"}, {"f16", "f32"}, 64, R"(
    %r1 = math.exp %a0 : f32
    %r0 = arith.truncf %r1 : f32 to f16)");
  wide = emitAll(wide, 80, {.exact = false}).front().text;
  EXPECT_EQ(wide.find("mpc_near_", wide.find("__global__")), std::string::npos);
  Buffers got = compute(text, {bytes(numbers), bytes(divisors)}, 4,
                        numbers.size() * 2, {.exact = false});
  for (size_t i = 0; i < numbers.size(); ++i) {
    double x = numbers[i];
    double want[] = {std::exp(x), std::tanh(x), std::erf(x),
                     std::floor(numbers[i] / divisors[i])};
    for (int function = 0; function < 4; ++function)
      expectNearHalf(values<uint16_t>(got[function])[i], want[function],
                     llvm::formatv("function {0} of {1}", function, x));
  }
}

} // namespace
