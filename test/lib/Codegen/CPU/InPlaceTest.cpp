// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose destination is the memory of an input. kernel-plan-memory does
// that where every element is read, in program order, no later than it is
// written; every schedule has to keep to it.
#include "Harness.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace mpc::test;

// `scaled` waits for the sum of a row, `%next`, which comes after it, does not.
static const char *readBehindAReduction = R"mlir(
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
kernel.func @k(%x: tensor<6x21xf32>, %y: tensor<6x21xf32>, %d: tensor<6x21xf32>,
               %e: tensor<6x21xf32>) -> (tensor<6x21xf32>, tensor<6x21xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<6xf32>) -> tensor<6xf32>
  %sum = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<6x21xf32>) outs(%init : tensor<6xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %scaled = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<6x21xf32>, tensor<6xf32>) outs(%e : tensor<6x21xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<6x21xf32>
  %next = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<6x21xf32>) outs(%d : tensor<6x21xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %a : f32
    linalg.yield %t : f32
  } -> tensor<6x21xf32>
  kernel.return %next, %scaled : tensor<6x21xf32>, tensor<6x21xf32>
}
)mlir";

// `%sum` is made over `%doubled`, which must not be where `%x` still is.
static const char *readBehindAnEarlierMember = R"mlir(
#i = affine_map<(i) -> (i)>
kernel.func @k(%x: tensor<21xf32>, %y: tensor<21xf32>, %d: tensor<21xf32>) -> tensor<21xf32> {
  %empty = tensor.empty() : tensor<21xf32>
  %doubled = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%y : tensor<21xf32>) outs(%empty : tensor<21xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %a : f32
    linalg.yield %t : f32
  } -> tensor<21xf32>
  %sum = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<21xf32>) outs(%doubled : tensor<21xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<21xf32>
  kernel.return %sum : tensor<21xf32>
}
)mlir";

// A row so long that maps are computed again where they are needed: but not
// `%plus`, since `%next` is written over what it reads.
static const char *computedAgain = R"mlir(
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
kernel.func @k(%x: tensor<2x8200xf32>, %y: tensor<2x8200xf32>, %d: tensor<2x8200xf32>,
               %e: tensor<2x8200xf32>) -> (tensor<2x8200xf32>, tensor<2x8200xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2xf32>
  %wide = tensor.empty() : tensor<2x8200xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2xf32>) -> tensor<2xf32>
  %plus = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x8200xf32>) outs(%wide : tensor<2x8200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %t = arith.addf %a, %one : f32
    linalg.yield %t : f32
  } -> tensor<2x8200xf32>
  %sum = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<2x8200xf32>) outs(%init : tensor<2xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  %next = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x8200xf32>) outs(%d : tensor<2x8200xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %a : f32
    linalg.yield %t : f32
  } -> tensor<2x8200xf32>
  %scaled = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%plus, %sum : tensor<2x8200xf32>, tensor<2xf32>) outs(%e : tensor<2x8200xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<2x8200xf32>
  kernel.return %next, %scaled : tensor<2x8200xf32>, tensor<2x8200xf32>
}
)mlir";

/// Runs `text` on x, y and destinations of which the first is x itself.
static std::vector<std::vector<float>> runOver(const char *text, Config config,
                                               std::vector<float> x,
                                               std::vector<float> y,
                                               size_t results) {
  std::vector<float> second(x.size(), 1e9f);
  std::vector<void *> pointers = {x.data(), y.data(), x.data()};
  if (results == 2)
    pointers.push_back(second.data());
  Kernels(text, config).run(pointers);
  return {x, second};
}

static std::vector<Config> allConfigs() {
  std::vector<Config> configs;
  for (bool naive : {false, true})
    for (int64_t pieces : {1, 3}) {
      configs.push_back({});
      configs.back().naive = naive;
      configs.back().pieces = pieces;
    }
  return configs;
}

TEST(InPlace, AnInputReadInALaterPassIsNotWrittenBefore) {
  std::vector<float> x = randoms(6 * 21), y(6 * 21), next, scaled;
  for (size_t i = 0; i < y.size(); ++i)
    y[i] = float(i % 5); // Sums are exact in any order.
  for (size_t i = 0; i < x.size(); ++i) {
    float sum = 0;
    for (size_t n = i / 21 * 21; n < i / 21 * 21 + 21; ++n)
      sum += y[n];
    scaled.push_back(x[i] * sum);
    next.push_back(y[i] + y[i]);
  }
  for (Config config : allConfigs()) {
    auto got = runOver(readBehindAReduction, config, x, y, 2);
    EXPECT_EQ(got[0], next) << config.naive;
    EXPECT_EQ(got[1], scaled) << config.naive;
  }
}

TEST(InPlace, WhatIsWrittenOverIsNotComputedAgain) {
  const size_t row = 8200;
  std::vector<float> x = randoms(2 * row), y(2 * row), next, scaled;
  for (size_t i = 0; i < y.size(); ++i) {
    y[i] = float(i % 5); // Sums are exact in any order.
    next.push_back(x[i] + x[i]);
  }
  for (size_t i = 0; i < x.size(); ++i) {
    auto begin = y.begin() + static_cast<long>(i / row * row);
    scaled.push_back((x[i] + 1) * std::accumulate(begin, begin + row, 0.0f));
  }
  for (Config config : allConfigs()) {
    auto got = runOver(computedAgain, config, x, y, 2);
    EXPECT_EQ(got[0], next) << config.naive;
    EXPECT_EQ(got[1], scaled) << config.naive;
  }
}

TEST(InPlace, AnInputIsNotWrittenByWhatTheResultIsMadeOver) {
  std::vector<float> x = randoms(21), y = randoms(21, -2, 2, 7), want;
  for (size_t i = 0; i < x.size(); ++i)
    want.push_back(x[i] + (y[i] + y[i]));
  for (Config config : allConfigs())
    EXPECT_EQ(runOver(readBehindAnEarlierMember, config, x, y, 1)[0], want)
        << config.naive;
}
