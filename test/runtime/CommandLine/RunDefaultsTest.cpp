// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of a run on two command lines, and flags that nobody knows.
#include "runtime/CommandLine/RunDefaults.h"
#include "runtime/CommandLine/NearestFlag.h"
#include "runtime/CommandLine/Tool.h"
#include "test/runtime/TempFolder.h"

#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

/// A command line with the flags of a run.
struct Line {
  explicit Line(std::vector<const char *> words) {
    words.insert(words.begin(), "tool");
    addRunFlags(app, flags);
    auto parsed = parseFlags(app, static_cast<int>(words.size()), words.data());
    EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  }

  RunDefaults given() {
    auto found = givenRunFlags(app, flags);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? *found : RunDefaults();
  }
  std::string apply(const RunDefaults &defaults) {
    return applyRunDefaults(defaults, app, flags.schedule).message();
  }

  RunFlags flags;
  CLI::App app;
};

TEST(RunDefaults, AreWhatWasGiven) {
  EXPECT_TRUE(Line({}).given().empty());
  RunDefaults given = Line({"--lr=1e-2", "--warmup-steps=3", "--steps=7",
                            "--seed", "5", "--replay=2", "--order=sequential"})
                          .given();
  EXPECT_EQ(given, (RunDefaults{{"--lr", "1e-2"},
                                {"--warmup-steps", "3"},
                                {"--steps", "7"},
                                {"--seed", "5"},
                                {"--replay", "2"},
                                {"--order", "sequential"}}));
  Line run({});
  EXPECT_EQ(run.apply(given), "");
  EXPECT_EQ(run.flags.schedule.lr, 1e-2);
  EXPECT_EQ(run.flags.schedule.warmupSteps, 3);
  EXPECT_EQ(run.flags.data.steps, 7);
  EXPECT_EQ(run.flags.data.data.seed, 5u);
  EXPECT_EQ(run.flags.replays, 2);
  EXPECT_EQ(run.flags.data.data.order, SampleOrder::Sequential);
}

TEST(RunDefaults, NeedNoOtherFile) {
  TempFolder folder;
  writeText(folder.path("points"), "0 1\n10 0.5 # half\n");
  std::string file = "--lr-points=" + folder.path("points");
  RunDefaults given = Line({"--lr-schedule=points", file.c_str()}).given();
  Line run({});
  EXPECT_EQ(run.apply(given), "");
  run.flags.schedule.lr = 8;
  EXPECT_EQ(run.flags.schedule.at(5), 6);
}

TEST(RunDefaults, GiveWayToTheCommandLine) {
  RunDefaults defaults =
      Line({"--lr=3", "--lr-schedule=step", "--lr-step-size=2",
            "--lr-gamma=0.25", "--steps=9"})
          .given();
  Line rate({"--lr=5", "--epochs=2"});
  EXPECT_EQ(rate.apply(defaults), "");
  EXPECT_EQ(rate.flags.schedule.at(1), 5);
  EXPECT_EQ(rate.flags.schedule.at(2), 1.25);
  EXPECT_EQ(rate.flags.data.steps, 0);
  // Of another schedule its own numbers alone count.
  Line other({"--lr-schedule=exponential"});
  EXPECT_EQ(other.apply(defaults), "");
  EXPECT_TRUE(other.flags.schedule.check().ok());
  EXPECT_EQ(other.flags.schedule.at(1), 0.75);
}

TEST(RunDefaults, ThatNoFileHasAreRefused) {
  Line run({});
  EXPECT_EQ(run.apply({{"--metrics", "rows.csv"}}),
            "'--metrics' is not a flag of a run");
  EXPECT_EQ(run.apply({{"--lr", "high"}}),
            "--lr: expected a finite number of at least 0, found 'high'");
  EXPECT_EQ(Line({"--lr-schedule=step"}).apply({{"--lr-step-size", "0"}}),
            "--lr-step-size: expected a whole number of at least 1, found '0'");
  Line wrong({"--lr-gamma=2"});
  EXPECT_FALSE(givenRunFlags(wrong.app, wrong.flags).ok());
}

TEST(NearestFlag, IsTheOneThatWasMeant) {
  const std::vector<std::string> known = {"--lr",           "--lr-schedule",
                                          "--warmup-steps", "--steps",
                                          "--seed",         "--checkpoint-dir"};
  for (auto [word, meant] : {std::pair("--warmup-step=3", "--warmup-steps"),
                             {"--warmup_steps", "--warmup-steps"},
                             {"--warmup", "--warmup-steps"},
                             {"--wramup-steps", "--warmup-steps"},
                             {"--lr-shedule=cosine", "--lr-schedule"},
                             {"-lr", "--lr"},
                             {"--LR", "--lr"},
                             {"--sede", "--seed"},
                             {"--setps", "--steps"},
                             {"--checkpoint", "--checkpoint-dir"},
                             {"--bogus", ""},
                             {"--", ""},
                             {"-x", ""},
                             {"steps", ""},
                             {"", ""}})
    EXPECT_EQ(nearestFlag(word, known), meant) << word;
  // Of two that are near the nearer one, whichever comes first; of two that are
  // as near the first.
  EXPECT_EQ(nearestFlag("--stepss", {"--steps", "--stops"}), "--steps");
  EXPECT_EQ(nearestFlag("--stepss", {"--stops", "--steps"}), "--steps");
  EXPECT_EQ(nearestFlag("--staps", {"--stops", "--steps"}), "--stops");
  EXPECT_EQ(nearestFlag("--staps", {"--steps", "--stops"}), "--steps");
}

} // namespace
} // namespace mpc::rt
