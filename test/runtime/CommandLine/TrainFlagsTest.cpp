// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flags, their errors, --help, and exit codes.
#include "runtime/CommandLine/TrainFlags.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/CommandLine/Validators.h"
#include "test/runtime/TempFolder.h"

#include <gtest/gtest.h>
#include <new>
#include <stdexcept>

namespace mpc::rt {
namespace {

struct Flags {
  DataFlags data;
  OutputFlags output;
  Schedule schedule;
  RunnerOptions runner;
  std::string model;
};

void addAll(CLI::App &app, Flags &flags) {
  app.add_option("MODEL", flags.model, "A compiled program")->required();
  addDataFlags(app, flags.data);
  addOutputFlags(app, flags.output);
  addScheduleFlags(app, flags.schedule);
  addThreadFlag(app, flags.runner);
}

/// The message for a command line, or "" and the flags.
std::string parse(std::vector<const char *> arguments, Flags &flags) {
  arguments.insert(arguments.begin(), "mpc-run");
  CLI::App app;
  addAll(app, flags);
  Result<std::string> result =
      parseFlags(app, static_cast<int>(arguments.size()), arguments.data());
  if (result.ok())
    return *result;
  EXPECT_EQ(result.status().code(), StatusCode::Usage);
  std::string message = result.status().message();
  std::string hint = " (--help lists the flags)";
  EXPECT_TRUE(message.ends_with(hint));
  return message.substr(0, message.size() - hint.size());
}

TEST(TrainFlags, SetWhatTheyName) {
  Flags flags;
  ASSERT_EQ(parse({"step.mpc",
                   "--data=d",
                   "--init",
                   "i",
                   "--batch-size=32",
                   "--steps=10",
                   "--seed=18446744073709551615",
                   "--order=sequential",
                   "--metrics=m",
                   "--plot=p",
                   "--checkpoint-dir=c",
                   "--checkpoint-every=5",
                   "--resume",
                   "--json",
                   "--explain",
                   "--nan-report",
                   "--lr=0.5",
                   "--lr-schedule=cosine",
                   "--warmup-steps=3",
                   "--threads=2"},
                  flags),
            "--seed: expected a whole number of at least 0, found "
            "'18446744073709551615'");
  ASSERT_EQ(parse({"step.mpc",
                   "--data=d",
                   "--init",
                   "i",
                   "--batch-size=32",
                   "--steps=10",
                   "--seed=7",
                   "--order=sequential",
                   "--metrics=m",
                   "--plot=p",
                   "--checkpoint-dir=c",
                   "--checkpoint-every=5",
                   "--resume",
                   "--json",
                   "--explain",
                   "--nan-report",
                   "--lr=0.5",
                   "--lr-schedule=cosine",
                   "--warmup-steps=3",
                   "--threads=2"},
                  flags),
            "");
  EXPECT_EQ(flags.model, "step.mpc");
  EXPECT_EQ(flags.data.data.files, std::vector<std::string>{"d"});
  EXPECT_EQ(flags.data.init, "i");
  EXPECT_EQ(flags.data.batchSize, 32);
  EXPECT_EQ(flags.data.data.seed, 7u);
  EXPECT_EQ(flags.data.data.order, SampleOrder::Sequential);
  EXPECT_EQ(flags.output.explain, "-");
  EXPECT_EQ(flags.output.nanReport, "stderr");
  EXPECT_EQ(flags.runner.threads, 2);
  TrainOptions options =
      toTrainOptions(flags.data, flags.output, flags.schedule);
  EXPECT_EQ(options.steps, 10);
  EXPECT_EQ(options.metrics, "m");
  EXPECT_EQ(options.plot, "p");
  EXPECT_EQ(options.checkpointDir, "c");
  EXPECT_EQ(options.checkpointEvery, 5);
  EXPECT_TRUE(options.resume && options.json);
  EXPECT_EQ(options.schedule.lr, 0.5);
  EXPECT_EQ(options.schedule.kind, ScheduleKind::Cosine);
  EXPECT_EQ(options.schedule.warmupSteps, 3);
}

TEST(TrainFlags, ExplainTakesAFileByEqualsOnly) {
  Flags flags;
  ASSERT_EQ(parse({"--data=d", "--explain", "step.mpc"}, flags), "");
  EXPECT_EQ(flags.model, "step.mpc");
  EXPECT_EQ(flags.output.explain, "-");
  ASSERT_EQ(parse({"--data=d", "--explain=e.html", "step.mpc"}, flags), "");
  EXPECT_EQ(flags.output.explain, "e.html");
}

TEST(TrainFlags, OutOfRangeNamesTheFlag) {
  auto faultOf = [](const char *flag) {
    Flags flags;
    return parse({"step.mpc", "--data=d", flag}, flags);
  };
  for (const char *value :
       {"0", "-3", "1.5", "nan", "", "99999999999999999999", "1x"})
    for (const char *flag : {"--batch-size", "--steps", "--checkpoint-every"})
      EXPECT_EQ(faultOf((std::string(flag) + "=" + value).c_str()).find(flag),
                0u)
          << flag << value;
  for (const char *value : {"0", "-1", "nan", "inf", "x"})
    EXPECT_EQ(faultOf((std::string("--epochs=") + value).c_str()),
              std::string("--epochs: expected a finite number above 0, found "
                          "'") +
                  value + "'");
  for (const char *value : {"-1e-3", "nan", "inf"})
    EXPECT_EQ(faultOf((std::string("--lr=") + value).c_str()),
              std::string("--lr: expected a finite number of at least 0, "
                          "found '") +
                  value + "'");
  EXPECT_EQ(faultOf("--lr=0"), "");
  EXPECT_EQ(faultOf("--order=random"),
            "--order: expected one of shuffle, sequential, found 'random'");
  EXPECT_EQ(faultOf("--lr-schedule=sawtooth"),
            "--lr-schedule: expected one of constant, cosine, linear, step, "
            "multistep, exponential, polynomial, one-cycle, cosine-restarts, "
            "inverse-sqrt, points, found 'sawtooth'");
  EXPECT_EQ(faultOf("--lr-power=-1"),
            "--lr-power: expected a number of at least 0, found '-1'");
  EXPECT_EQ(faultOf("--threads=10000"), "--threads: expected at most 9999");
}

TEST(TrainFlags, EachScheduleAndParameterIsAFlag) {
  TempFolder folder;
  writeText(folder.path("points"), "0 1\n10 0.5 # half\n");
  for (const ScheduleInfo &info : scheduleTable()) {
    Flags flags;
    std::string flag = "--lr-schedule=" + std::string(info.name);
    EXPECT_EQ(parse({"m", "--data=d", flag.c_str()}, flags), "");
    EXPECT_EQ(flags.schedule.kind, info.kind);
  }
  for (const ScheduleParameterInfo &info : scheduleParameterTable()) {
    Flags flags;
    std::string flag = std::string(info.flag) + "=";
    flag += info.type == std::string("FILE") ? folder.path("points") : "1";
    EXPECT_EQ(parse({"m", "--data=d", flag.c_str()}, flags), "");
    EXPECT_TRUE(flags.schedule.parameters.contains(info.parameter)) << flag;
    EXPECT_TRUE(isScheduleFlag(info.flag));
  }
  Flags flags;
  std::string nowhere = "--lr-points=" + folder.path("nowhere");
  EXPECT_NE(parse({"m", "--data=d", nowhere.c_str()}, flags).find("nowhere: "),
            std::string::npos);
  EXPECT_TRUE(isScheduleFlag("--lr") && isScheduleFlag("--warmup-steps"));
  EXPECT_FALSE(isScheduleFlag("--larc"));
}

TEST(TrainFlags, WrongCombinations) {
  Flags flags;
  EXPECT_EQ(parse({"step.mpc"}, flags), "--data is required");
  EXPECT_EQ(parse({"--data=d"}, flags), "MODEL is required");
  EXPECT_EQ(parse({"m", "--data=d", "--steps=1", "--epochs=1"}, flags),
            "--steps excludes --epochs");
  EXPECT_EQ(parse({"m", "--data=d", "--resume"}, flags),
            "--resume requires --checkpoint-dir");
  EXPECT_EQ(parse({"m", "--data=d", "--eval-every=2"}, flags),
            "--eval-every requires --eval-data");
  EXPECT_EQ(parse({"m", "--data=d", "--eval-weights=averages"}, flags),
            "--eval-weights requires --eval-data");
  EXPECT_EQ(
      parse({"m", "--data=d", "--eval-data=e", "--eval-weights=ema"}, flags),
      "--eval-weights: expected one of trained, averages, found 'ema'");
  EXPECT_EQ(parse({"m", "--data=d", "--keep-best=loss"}, flags),
            "--keep-best requires --eval-data");
  EXPECT_EQ(parse({"m", "--data=d", "--eval-data=e", "--stop-after=2"}, flags),
            "--stop-after requires --eval-every");
  EXPECT_EQ(parse({"m", "--data=d", "--bogus"}, flags),
            "The following argument was not expected: --bogus");
}

/// Runs a tool with its standard output and error captured.
struct ToolRun {
  int code;
  std::string output, error;
};
ToolRun runWith(std::vector<const char *> arguments,
                std::function<Result<int>()> body) {
  arguments.insert(arguments.begin(), "mpc-run");
  auto flags = std::make_shared<Flags>();
  Tool tool{"mpc-run", "Trains a compiled program.",
            [flags](CLI::App &app) { addAll(app, *flags); }, std::move(body)};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  int code =
      runTool(tool, static_cast<int>(arguments.size()), arguments.data());
  return {code, testing::internal::GetCapturedStdout(),
          testing::internal::GetCapturedStderr()};
}

TEST(Tool, ExitCodesAndMessages) {
  auto codeOf = [](std::function<Result<int>()> body, const char *error) {
    ToolRun run = runWith({"m", "--data=d"}, std::move(body));
    EXPECT_EQ(run.error, error);
    EXPECT_EQ(run.output, "");
    return run.code;
  };
  EXPECT_EQ(codeOf([] { return 0; }, ""), 0);
  EXPECT_EQ(codeOf([] { return 130; }, ""), 130);
  EXPECT_EQ(codeOf([] { return invalidInput("x"); }, "mpc-run: error: x\n"), 1);
  EXPECT_EQ(codeOf([] { return environmentError("x"); }, "mpc-run: error: x\n"),
            3);
  EXPECT_EQ(codeOf([] { return diverged("x"); }, "mpc-run: error: x\n"), 5);
  EXPECT_EQ(codeOf([]() -> Result<int> { throw std::bad_alloc(); },
                   "mpc-run: error: out of memory\n"),
            3);
  EXPECT_EQ(codeOf([]() -> Result<int> { throw std::runtime_error("x"); },
                   "mpc-run: error: a bug in mpc: x\n"),
            70);
  ToolRun usage = runWith({"m", "--bogus"}, [] { return 0; });
  EXPECT_EQ(usage.code, 2);
  EXPECT_TRUE(usage.error.starts_with("mpc-run: error: "));
}

TEST(Tool, HelpIsGrouped) {
  ToolRun run = runWith({"--help"}, [] { return 1; });
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.output.starts_with(
      "usage: mpc-run MODEL [FLAG...]\n\nTrains a compiled program.\n"))
      << run.output;
  size_t last = 0;
  for (const char *title : {"\nInput:\n", "\nOptimizer:\n", "\nTarget:\n",
                            "\nOutput:\n", "\nDebugging:\n"}) {
    size_t at = run.output.find(title);
    ASSERT_NE(at, std::string::npos) << title << run.output;
    EXPECT_GT(at, last);
    last = at;
  }
  EXPECT_NE(run.output.find("  --batch-size=N                Samples of a "),
            std::string::npos)
      << run.output;
  EXPECT_NE(run.output.find("  --explain[=FILE] "), std::string::npos);
  EXPECT_EQ(run.output.find("\nPrecision:\n"), std::string::npos);
}

TEST(Tool, Version) {
  EXPECT_EQ(runWith({"--version"}, [] { return 1; }).output, "mpc-run 0.1.0\n");
}

} // namespace
} // namespace mpc::rt
