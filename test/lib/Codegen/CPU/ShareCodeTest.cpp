// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that differ in sizes alone compute by one code what each should.
#include "Harness.h"
#include "lib/Codegen/CPU/Sizes.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mpc::test;

/// The quotient that a CPU computes by a reciprocal.
static uint64_t quotient(uint64_t dividend, uint64_t divisor) {
  auto product = static_cast<unsigned __int128>(dividend + 1) *
                 mpc::cpu::reciprocalOf(divisor);
  return static_cast<uint64_t>(product >> 64);
}

// On both sides of a multiple is where a quotient would be missed; the largest
// dividend is the last whose successor's product with the divisor is below
// 2^64.
TEST(ShareCode, ReciprocalsAreExact) {
  for (uint64_t divisor : {1ull, 2ull, 3ull, 5ull, 7ull, 49ull, 64ull, 641ull,
                           65535ull, 65536ull, 4294967295ull, 4294967296ull}) {
    uint64_t last = UINT64_MAX / divisor - 1;
    uint64_t multiple = last / divisor * divisor;
    for (uint64_t dividend : {uint64_t(0), divisor - 1, divisor, divisor + 1,
                              multiple - 1, multiple, last - 1, last})
      if (dividend <= last)
        EXPECT_EQ(quotient(dividend, divisor), dividend / divisor)
            << dividend << " / " << divisor;
  }
}

namespace {

struct Shape {
  int64_t batch, channels, length;
};

} // namespace

/// Along lines of `length`: `%s` of the element `%a` and the channel's `%b`.
static std::string kernelOf(const Shape &shape, const std::string &name,
                            const std::string &body) {
  std::string channels = std::to_string(shape.channels);
  std::string tensor = std::to_string(shape.batch) + "x" + channels + "x" +
                       std::to_string(shape.length) + "xf32";
  return "kernel.func @" + name + "(%x: tensor<" + tensor + ">, %y: tensor<" +
         channels + "xf32>, %d: tensor<" + tensor + ">) -> tensor<" + tensor +
         "> {\n%r = linalg.generic {indexing_maps = [#ncl, #c, #ncl], "
         "iterator_types = [\"parallel\", \"parallel\", \"parallel\"]} ins(%x, "
         "%y : tensor<" +
         tensor + ">, tensor<" + channels + "xf32>) outs(%d : tensor<" +
         tensor + ">) {\n^bb0(%a: f32, %b: f32, %o: f32):\n" + body +
         "\nlinalg.yield %s : f32\n} -> tensor<" + tensor +
         ">\nkernel.return %r : tensor<" + tensor + ">\n}\n";
}

static constexpr const char *kMaps =
    "#ncl = affine_map<(n, c, l) -> (n, c, l)>\n"
    "#c = affine_map<(n, c, l) -> (c)>\n";

static void expectSums(const Kernels &kernels, const Shape &shape,
                       const std::string &name) {
  int64_t lines = shape.batch * shape.channels;
  std::vector<float> x = randoms(lines * shape.length);
  std::vector<float> y = randoms(shape.channels, -2, 2, 2);
  std::vector<float> got(x.size()), want(x.size());
  for (int64_t line = 0; line < lines; ++line)
    for (int64_t at = line * shape.length; at < (line + 1) * shape.length; ++at)
      want[at] = x[at] + y[line % shape.channels];
  kernels.run({x.data(), y.data(), got.data()}, name);
  EXPECT_EQ(got, want) << name;
}

// Lines of whole vectors and with the same tail have one code; others another.
TEST(ShareCode, KernelsOfManySizes) {
  const std::vector<Shape> shapes = {{2, 5, 24},  {3, 7, 16},   {5, 64, 40},
                                     {2, 3, 27},  {4, 6, 19},   {1, 9, 51},
                                     {7, 128, 8}, {2, 300, 128}};
  std::string text = kMaps;
  for (size_t i = 0; i < shapes.size(); ++i)
    text += kernelOf(shapes[i], "k" + std::to_string(i),
                     "%s = arith.addf %a, %b : f32");
  for (int64_t pieces : {1, 3}) {
    Kernels kernels(text, {.pieces = pieces});
    for (size_t i = 0; i < shapes.size(); ++i)
      expectSums(kernels, shapes[i], "k" + std::to_string(i));
  }
}

// Numbers that lanes are compared with.
TEST(ShareCode, KernelsOfManyNumbers) {
  const Shape shape = {2, 3, 24};
  const std::vector<int64_t> ends = {5, 9, 14, 20, 23};
  std::string text = kMaps;
  for (int64_t end : ends)
    text += kernelOf(shape, "k" + std::to_string(end),
                     "%l = linalg.index 2 : index\n%end = arith.constant " +
                         std::to_string(end) +
                         " : index\n%in = arith.cmpi ult, %l, %end : index\n"
                         "%s = arith.select %in, %a, %b : f32");
  Kernels kernels(text, {});
  std::vector<float> x = randoms(2 * 3 * 24), y = {-1, -2, -3};
  for (int64_t end : ends) {
    std::vector<float> got(x.size()), want(x);
    for (size_t at = 0; at < x.size(); ++at)
      if (static_cast<int64_t>(at % 24) >= end)
        want[at] = y[at / 24 % 3];
    kernels.run({x.data(), y.data(), got.data()}, "k" + std::to_string(end));
    EXPECT_EQ(got, want) << end;
  }
}

// What a predicate says of two numbers, as bits: unordered 8, less 4, greater
// 2, equal 1.
static const std::vector<std::pair<const char *, int>> kPredicates = {
    {"false", 0}, {"oeq", 1},  {"ogt", 2},  {"oge", 3},
    {"olt", 4},   {"ole", 5},  {"one", 6},  {"ord", 7},
    {"uno", 8},   {"ueq", 9},  {"ugt", 10}, {"uge", 11},
    {"ult", 12},  {"ule", 13}, {"une", 14}, {"true", 15}};

// Kernels that differ in an attribute of an op alone, not in what it is called
// or in its operands.
TEST(ShareCode, KernelsOfManyPredicates) {
  const Shape shape = {2, 3, 24};
  std::string text = kMaps;
  for (auto [name, bits] : kPredicates)
    text += kernelOf(shape, std::string("k_") + name,
                     std::string("%is = arith.cmpf ") + name +
                         ", %a, %b : f32\n%s = arith.select %is, %a, %b : f32");
  std::vector<float> x(2 * 3 * 24), y = {0.5f, -0.0f, NAN};
  const float numbers[] = {NAN, 0.5f, -0.0f, 0.0f, 1.0f, -INFINITY, 1e-45f};
  for (size_t at = 0; at < x.size(); ++at)
    x[at] = numbers[at * 5 % 7];
  for (int64_t lanes : {8, 16}) {
    Kernels kernels(text, {.lanes = lanes});
    for (auto [name, bits] : kPredicates) {
      std::vector<float> got(x.size()), want(x);
      for (size_t at = 0; at < x.size(); ++at) {
        float a = x[at], b = y[at / 24 % 3];
        int found = a != a || b != b ? 8 : a < b ? 4 : a > b ? 2 : 1;
        want[at] = (bits & found) != 0 ? a : b;
      }
      kernels.run({x.data(), y.data(), got.data()}, std::string("k_") + name);
      EXPECT_EQ(bytes(got), bytes(want)) << name;
    }
    if (mpc::cpu::getProcessor("host")->lanes < 16)
      break;
  }
}

TEST(ShareCode, KernelsOfManyIntegerPredicates) {
  const Shape shape = {2, 3, 24};
  // What holds of a place and the number -2: signed ones and unsigned ones.
  const std::vector<std::pair<const char *, bool (*)(int64_t)>> predicates = {
      {"eq", [](int64_t a) { return a == -2; }},
      {"ne", [](int64_t a) { return a != -2; }},
      {"slt", [](int64_t a) { return a < -2; }},
      {"sle", [](int64_t a) { return a <= -2; }},
      {"sgt", [](int64_t a) { return a > -2; }},
      {"sge", [](int64_t a) { return a >= -2; }},
      {"ult", [](int64_t a) { return uint64_t(a) < uint64_t(-2); }},
      {"ule", [](int64_t a) { return uint64_t(a) <= uint64_t(-2); }},
      {"ugt", [](int64_t a) { return uint64_t(a) > uint64_t(-2); }},
      {"uge", [](int64_t a) { return uint64_t(a) >= uint64_t(-2); }}};
  std::string text = kMaps;
  for (auto [name, holds] : predicates)
    text += kernelOf(shape, std::string("k_") + name,
                     std::string("%i = arith.fptosi %a : f32 to i32\n"
                                 "%two = arith.constant -2 : i32\n"
                                 "%is = arith.cmpi ") +
                         name +
                         ", %i, %two : i32\n"
                         "%s = arith.select %is, %a, %b : f32");
  Kernels kernels(text, {});
  std::vector<float> x(2 * 3 * 24), y = {10, 20, 30};
  for (size_t at = 0; at < x.size(); ++at)
    x[at] = static_cast<float>(at * 5 % 9) - 5;
  for (auto [name, holds] : predicates) {
    std::vector<float> got(x.size()), want(x);
    for (size_t at = 0; at < x.size(); ++at)
      want[at] = holds(static_cast<int64_t>(x[at])) ? x[at] : y[at / 24 % 3];
    kernels.run({x.data(), y.data(), got.data()}, std::string("k_") + name);
    EXPECT_EQ(got, want) << name;
  }
}

// The dimension that an index is of is an attribute as well.
TEST(ShareCode, KernelsOfManyIndices) {
  const Shape shape = {2, 3, 24};
  std::string text = kMaps;
  for (int dim = 0; dim < 3; ++dim)
    text += kernelOf(shape, "k" + std::to_string(dim),
                     "%l = linalg.index " + std::to_string(dim) +
                         " : index\n%i = arith.index_cast %l : index to i32\n"
                         "%f = arith.sitofp %i : i32 to f32\n"
                         "%s = arith.addf %a, %f : f32");
  Kernels kernels(text, {});
  std::vector<float> x = randoms(2 * 3 * 24), y = {1, 2, 3};
  for (int dim = 0; dim < 3; ++dim) {
    std::vector<float> got(x.size()), want(x);
    for (size_t at = 0; at < x.size(); ++at)
      want[at] += static_cast<float>(dim == 0   ? at / 72
                                     : dim == 1 ? at / 24 % 3
                                                : at % 24);
    kernels.run({x.data(), y.data(), got.data()}, "k" + std::to_string(dim));
    EXPECT_EQ(got, want) << dim;
  }
}

// Floats of each type are told by their bits. All numbers here are exact.
TEST(ShareCode, KernelsOfManyFloats) {
  const Shape shape = {2, 3, 24};
  const std::vector<std::string> factors = {"0.5", "1.5", "-2.0", "3.0", "0.0"};
  const std::vector<std::string> types = {"f16", "bf16", "f64", "f32"};
  std::string text = kMaps;
  for (size_t i = 0; i < factors.size(); ++i)
    for (const std::string &type : types) {
      std::string to = type == "f64" ? "arith.extf" : "arith.truncf";
      std::string from = type == "f64" ? "arith.truncf" : "arith.extf";
      bool isSame = type == "f32";
      text += kernelOf(
          shape, type + "_" + std::to_string(i),
          "%c = arith.constant " + factors[i] + " : " + type + "\n" +
              (isSame ? "%s = arith.mulf %a, %c : f32"
                      : "%n = " + to + " %a : f32 to " + type +
                            "\n%p = arith.mulf %n, %c : " + type +
                            "\n%s = " + from + " %p : " + type + " to f32"));
    }
  Kernels kernels(text, {});
  std::vector<float> x(2 * 3 * 24), y(3);
  for (size_t at = 0; at < x.size(); ++at)
    x[at] = static_cast<float>(at % 16);
  for (size_t i = 0; i < factors.size(); ++i)
    for (const std::string &type : types) {
      std::vector<float> got(x.size()), want(x.size());
      for (size_t at = 0; at < x.size(); ++at)
        want[at] = x[at] * std::stof(factors[i]);
      kernels.run({x.data(), y.data(), got.data()},
                  type + "_" + std::to_string(i));
      EXPECT_EQ(got, want) << type << " " << factors[i];
    }
}
