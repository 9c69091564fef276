// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Into which rows a tensor is cut for its random bits.
#include "dialects/Kernel/Philox.h"

#include <gtest/gtest.h>
#include <tuple>

using namespace mpc::kernel;

namespace {

/// The rows, a row's length and the runs of all rows.
std::tuple<int64_t, int64_t, int64_t> cut(llvm::ArrayRef<int64_t> shape) {
  RandomRows rows = getRandomRows(shape);
  return {rows.rows, rows.length, countRuns(rows)};
}

TEST(RandomRows, ARowIsTheFewestLastAxesThatReachTheLengthOfARun) {
  EXPECT_EQ(cut({2, 3, 100}), std::tuple(6, 100, 12));
  EXPECT_EQ(cut({2, 5, 3, 64}), std::tuple(30, 64, 30));
  EXPECT_EQ(cut({2, 5, 7, 10}), std::tuple(10, 70, 20));
}

TEST(RandomRows, ARowOfASmallTensorIsASample) {
  EXPECT_EQ(cut({8, 3, 7}), std::tuple(8, 21, 8));
  EXPECT_EQ(cut({128, 1}), std::tuple(128, 1, 128));
}

TEST(RandomRows, TheFirstAxisIsNeverInARow) {
  EXPECT_EQ(cut({}), std::tuple(1, 1, 1));
  EXPECT_EQ(cut({1000}), std::tuple(1000, 1, 1000));
}

TEST(RandomRows, AnEmptyTensorHasNoElementInItsRows) {
  EXPECT_EQ(cut({0, 64}), std::tuple(0, 64, 0));
  EXPECT_EQ(cut({2, 0, 64}), std::tuple(0, 64, 0));
  EXPECT_EQ(cut({2, 3, 0}), std::tuple(2, 0, 0));
}

} // namespace
