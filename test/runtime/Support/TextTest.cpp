// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What messages and numbers look like.
#include "runtime/Support/Text.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>

namespace mpc::rt {
namespace {

TEST(Text, EscapesWhatATerminalWouldActOn) {
  EXPECT_EQ(quote("a\x1b[2J\n\xff"), "'a\\x1b[2J\\x0a\\xff'");
  EXPECT_EQ(escape(std::string(300, 'x')), std::string(200, 'x') + "...");
}

TEST(Text, DecimalsReadBackToTheSameValue) {
  for (double value : {0.1, 1.0 / 3, 65536.0, 5e-324, 1.7976931348623157e308,
                       static_cast<double>(0.1f), -0.0}) {
    double back = std::strtod(shortestDecimal(value).c_str(), nullptr);
    EXPECT_EQ(back, value);
    EXPECT_EQ(std::signbit(back), std::signbit(value));
  }
  EXPECT_EQ(shortestDecimal(65536.0), "65536");
  EXPECT_EQ(shortestDecimal(0.1f), "0.1");
  EXPECT_EQ(shortestDecimal(double(INFINITY)), "inf");
  EXPECT_EQ(shortestDecimal(-INFINITY), "-inf");
  EXPECT_EQ(shortestDecimal(NAN), "nan");
  EXPECT_EQ(shortestDecimal(-NAN), "nan");
}

TEST(Text, ListsStopAtTwenty) {
  std::vector<std::string> items(23, "x");
  EXPECT_TRUE(joinSome(items).ends_with("x and 3 more"));
  EXPECT_EQ(joinSome({"a", "b"}), "a, b");
}

TEST(Text, SizesHaveAUnit) {
  EXPECT_EQ(formatBytes(17), "17 bytes");
  EXPECT_EQ(formatBytes(1536), "1.5 KiB");
  EXPECT_EQ(formatBytes(uint64_t(3) << 40), "3.0 TiB");
}

} // namespace
} // namespace mpc::rt
