// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is shown on a terminal and in a pipe.
#include "runtime/Train/Progress.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

struct Screen {
  std::string text;
  Terminal terminal(bool rewrites, bool colours) {
    return {[this](std::string_view part) { text += part; }, rewrites, colours};
  }
};

// Features: L13.
TEST(Progress, LinesInAPipe) {
  Screen screen;
  Progress progress(screen.terminal(false, false), 0, 100, 32);
  for (int64_t step = 1; step <= 100; ++step)
    progress.update({step, 0.5f, 1024, step > 60}, 0.01 * double(step));
  progress.finish(1);
  EXPECT_EQ(std::count(screen.text.begin(), screen.text.end(), '\n'), 11);
  EXPECT_TRUE(screen.text.starts_with(
      "step 1/100  loss 0.5  scale 1024  3200 samples/s  0:01 left\n"))
      << screen.text;
  EXPECT_TRUE(screen.text.ends_with("step 100/100  loss 0.5  scale 1024  "
                                    "skipped 1  3200 samples/s  in 0:01\n"));
  EXPECT_EQ(screen.text.find('\x1b'), std::string::npos);
  EXPECT_EQ(screen.text.find('\r'), std::string::npos);
}

TEST(Progress, SlowStepsGetALineEachTenSeconds) {
  Screen screen;
  Progress progress(screen.terminal(false, false), 0, 1'000'000, 1);
  for (int64_t step = 1; step <= 100; ++step)
    progress.update({step, 1, 1, 0}, 2.0 * double(step));
  EXPECT_EQ(std::count(screen.text.begin(), screen.text.end(), '\n'), 20);
}

TEST(Progress, ABarOnATerminal) {
  Screen screen;
  Progress progress(screen.terminal(true, false), 0, 10, 1);
  for (int64_t step = 1; step <= 10; ++step)
    progress.update({step, 1, 1, 0}, 0.0625 * double(step));
  progress.message("warning: x");
  progress.finish(0.625);
  // Steps 1, 3, 5, ... 9: at most ten times a second; then the message, then
  // the end.
  EXPECT_EQ(std::count(screen.text.begin(), screen.text.end(), '['), 2 * 7 - 1)
      << screen.text;
  EXPECT_NE(screen.text.find("\r\x1b[Kwarning: x\n"), std::string::npos);
  EXPECT_TRUE(screen.text.ends_with("in 0:01\n")) << screen.text;
  EXPECT_EQ(screen.text.find("\x1b[3"), std::string::npos);
}

TEST(Progress, ColoursOnlyWhereAllowed) {
  Screen screen;
  Progress progress(screen.terminal(true, true), 0, 10, 1);
  progress.update({1, 1, 1, 1}, 1);
  EXPECT_NE(screen.text.find("\x1b[33mskipped 1\x1b[0m"), std::string::npos);
}

TEST(Progress, Durations) {
  EXPECT_EQ(formatDuration(42), "0:42");
  EXPECT_EQ(formatDuration(3787), "1:03:07");
  EXPECT_EQ(formatDuration(2 * 86400 + 4 * 3600), "2d 4h");
  EXPECT_EQ(formatDuration(1.0 / 0.0), "?");
}

} // namespace
} // namespace mpc::rt
