// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a replay prints and which traces it refuses.
#include "runtime/LossScale/Replay.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace mpc::rt {
namespace {

std::string traceOf(std::string_view steps,
                    std::string_view head = R"("policy": "torch")") {
  return fmt::format(R"({{{}, "steps": [{}]}})", head, steps);
}

std::string run(const std::string &text, const ReplayOptions &options = {}) {
  Result<ReplayResult> result = replayTrace(text, options);
  return result.ok() ? result->lines : result.status().message();
}

TEST(Replay, PrintsOneLineForEachEntry) {
  EXPECT_EQ(
      run(traceOf(R"({"i": 7, "action": "step", "found_inf": true},
                     {"action": "save"})")),
      R"({"i": 7, "action": "step", "found_inf": true, "applied": false, )"
      R"("scale": 32768.0, "counter": 0, "inv_scale": 1.52587890625e-05, )"
      R"("applied_total": 0, "skipped_total": 1})"
      "\n"
      R"({"i": 1, "action": "save", "found_inf": null, "applied": null, )"
      R"("scale": 32768.0, "counter": 0, "applied_total": 0, )"
      R"("skipped_total": 1})"
      "\n");
}

// Features: I16.
TEST(Replay, ListsFlagsOfSeveralOptimizers) {
  const std::string lines =
      run(traceOf(R"({"action": "multi_step", "found_inf": [false, true]})"));
  EXPECT_NE(lines.find(R"("found_inf": [false, true], )"
                       R"("applied": [true, false], "scale": 32768.0)"),
            std::string::npos)
      << lines;
}

TEST(Replay, PrintsTheErrorOfThePolicyAndGoesOn) {
  Result<ReplayResult> result =
      replayTrace(traceOf(R"({"action": "step", "found_inf": true},
                 {"action": "step", "found_inf": false})",
                          R"("policy": "deepspeed",
                 "config": {"init_scale": 1, "delayed_shift": 1})"),
                  {});
  ASSERT_TRUE(result.ok());
  EXPECT_NE(result->lines.find(R"("error": "already at minimum")"),
            std::string::npos);
  EXPECT_NE(result->lines.find(R"("i": 1)"), std::string::npos);
}

TEST(Replay, RunsAnotherPolicyWithItsDefaults) {
  ReplayOptions options;
  options.policy = PolicyKind::Keras;
  options.overrides = {{Setting::GrowthInterval, 1}};
  const std::string lines =
      run(traceOf(R"({"action": "step", "found_inf": false})",
                  R"("policy": "torch", "config": {"init_scale": 4})"),
          options);
  EXPECT_NE(lines.find(R"("scale": 65536.0)"), std::string::npos) << lines;
}

TEST(Replay, KeepsTheConfigForTheFilesOwnPolicy) {
  ReplayOptions options;
  options.policy = PolicyKind::Torch;
  const std::string lines =
      run(traceOf(R"({"action": "step", "found_inf": true})",
                  R"("policy": "torch", "config": {"init_scale": 4})"),
          options);
  EXPECT_NE(lines.find(R"("scale": 2.0)"), std::string::npos) << lines;
}

TEST(Replay, FindsOverflowInMaximaWithoutFlag) {
  const std::string steps = R"({"action": "step", "grad_max_abs": [1, "inf"]},
                               {"action": "step", "amax": 1e39},
                               {"action": "step", "amax": 1})";
  Result<ReplayResult> result = replayTrace(traceOf(steps), {});
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->curve.size(), 3u);
  EXPECT_TRUE(result->curve[0].skipped);
  EXPECT_TRUE(result->curve[1].skipped); // inf in f32
  EXPECT_FALSE(result->curve[2].skipped);
}

// Features: X26.
TEST(Replay, SimulatesOverflowOfScaledMaxima) {
  ReplayOptions options;
  options.overflowAbove = 65504;
  const std::string steps =
      R"({"action": "step", "grad_max_abs": [1.5], "found_inf": false,
          "repeat": 2})";
  Result<ReplayResult> result = replayTrace(traceOf(steps), options);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->curve.size(), 2u);
  EXPECT_TRUE(result->curve[0].skipped);  // 1.5 * 65536
  EXPECT_FALSE(result->curve[1].skipped); // 1.5 * 32768
}

// Of f16 65504 is finite; only what is above it overflows.
TEST(Replay, TheBoundItselfIsNoOverflow) {
  for (auto [bound, skipped] :
       {std::pair(98304.0, false), {98303.99999999999, true}}) {
    ReplayOptions options;
    options.overflowAbove = bound;
    Result<ReplayResult> result = replayTrace(
        traceOf(R"({"action": "step", "grad_max_abs": [1.5]})"), options);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->curve[0].skipped, skipped) << bound; // 1.5 * 65536
  }
}

TEST(Replay, RunsSettingsThatTrainingRefuses) {
  const std::string lines =
      run(traceOf(R"({"action": "step", "found_inf": true})",
                  R"("policy": "torch",
                     "config": {"backoff_factor": -0.5, "init_scale": 4})"));
  EXPECT_NE(lines.find(R"("scale": -2.0)"), std::string::npos) << lines;
}

TEST(Replay, RefusesBadTraces) {
  const std::pair<std::string, const char *> cases[] = {
      {"[1]", "expected a trace object, found a list"},
      {R"({"policy": "torch"})", "steps: expected a list, found null"},
      {R"({"schema": "x/2", "policy": "torch", "steps": []})",
       R"(schema: expected "mpc-loss-scale-trace/1", found "x/2")"},
      {traceOf("", R"("policy": "torch", "config": 3)"),
       "config: expected an object, found 3"},
      {traceOf("", R"("policy": "torch", "config": {"size": 3})"),
       "config: policy 'torch' has no \"size\""},
      {traceOf("", R"("policy": "torch", "config": {"init_scale": "big"})"),
       R"(config.init_scale: expected a number, found "big")"},
      {traceOf("", R"("x": 1)"), "the trace names no policy: give --policy"},
      {traceOf("", R"("policy": "fixed")"),
       "--init-scale: policy 'fixed' needs a value"},
      {traceOf("3"), "steps[0]: expected an object, found 3"},
      {traceOf("{}"), "steps[0]: action: expected a string, found null"},
      {traceOf(R"({"action": "jump"})"),
       "steps[0]: unknown action \"jump\"; known are step, multi_step, "
       "update_scale, step_then_update_scale, save, load, set"},
      {traceOf(R"({"action": "step"})"),
       "steps[0]: expected found_inf, grad_max_abs or amax"},
      {traceOf(R"({"action": "step", "found_inf": 1})"),
       "steps[0]: found_inf: expected true or false, found 1"},
      {traceOf(R"({"action": "step", "found_inf": [true, true]})"),
       "steps[0]: found_inf: a list is for multi_step"},
      {traceOf(R"({"action": "multi_step", "found_inf": true})"),
       "steps[0]: found_inf: expected one flag for each optimizer, found true"},
      {traceOf(R"({"action": "step", "found_inf": true, "repeat": 0})"),
       "steps[0]: repeat: expected an integer from 1 to 1000000000, found 0"},
      {traceOf(R"({"action": "step", "grad_max_abs": ["much"]})"),
       R"(steps[0]: grad_max_abs: expected a number, found "much")"},
      {traceOf(R"({"action": "update_scale"})"),
       "steps[0]: new_scale: expected a number, found null"},
      {traceOf(R"({"action": "save"}, {"action": "load"},
                  {"action": "set", "field": "size", "value": 1})"),
       R"(steps[2]: field: policy 'torch' has no setting "size")"},
      {traceOf(R"({"action": "load"})"),
       "steps[0]: load without a save before it"},
      {traceOf(R"({"action": "step", "found_inf": false})",
               R"("policy": "logmax")"),
       "steps[0]: policy 'logmax' needs grad_max_abs or amax"},
  };
  for (const auto &[text, message] : cases) {
    Result<ReplayResult> result = replayTrace(text, {});
    ASSERT_FALSE(result.ok()) << message;
    EXPECT_EQ(result.status().message(), message);
  }
}

TEST(Replay, MergesEqualStepsInTheCurve) {
  Result<ReplayResult> result = replayTrace(
      traceOf(R"({"action": "step", "found_inf": false, "repeat": 1999},
                 {"action": "step", "found_inf": true})"),
      {});
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->curve.size(), 2u);
  EXPECT_EQ(result->curve[0].steps, 1999);
  EXPECT_TRUE(result->curve[1].skipped);
}

TEST(Replay, SaysWhereATextIsNotJson) {
  const std::string message = run("{\n  \"policy\": }");
  EXPECT_TRUE(message.starts_with("not JSON: ")) << message;
  EXPECT_NE(message.find("line 2"), std::string::npos) << message;
  EXPECT_TRUE(run("").starts_with("not JSON: "));
  EXPECT_TRUE(run("{\"policy\": 1e999}").starts_with("not JSON: "));
}

TEST(Replay, SurvivesDeepNesting) {
  const std::string deep(1000000, '[');
  const std::string closed = deep + std::string(1000000, ']');
  EXPECT_EQ(run(closed), "expected a trace object, found a list");
  EXPECT_EQ(run(traceOf(R"({"action": "step", "amax": )" + closed + "}")),
            "steps[0]: amax: expected a number, found a list");
  EXPECT_TRUE(run(deep).starts_with("not JSON: "));
}

TEST(Replay, KeepsControlCharactersOfAFileFromTheTerminal) {
  const std::string message = run(traceOf(R"({"action": "\u001b[31m\u0085"})"));
  EXPECT_TRUE(message.starts_with(
      R"(steps[0]: unknown action "\u001b[31m\u0085"; known are)"))
      << message;
}

TEST(Replay, ListsKnownPoliciesWhereOneIsUnknown) {
  const std::string message = run(traceOf("", R"("policy": "unknown")"));
  EXPECT_TRUE(message.starts_with("policy: unknown policy \"unknown\"; known "
                                  "are dynamic, torch, "))
      << message;
}

// Features: X26.
TEST(ScaleCurve, DrawsStairsAndMarks) {
  ReplayResult result;
  result.curve = {{4, false, 1}, {4, true, 1}, {2, false, 1}};
  const std::string svg = scaleCurveSvg(result, "a < b & c");
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_NE(svg.find("runs of skipped steps (1)"), std::string::npos);
}

TEST(ScaleCurve, DrawsNothingWhereTheScaleIsNoNumber) {
  ReplayResult result;
  EXPECT_TRUE(scaleCurveSvg(result, "empty").ends_with("</svg>\n"));
  result.curve = {{0, false, 1}, {INFINITY, false, 1}, {NAN, true, 1}};
  const std::string svg = scaleCurveSvg(result, "none");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

} // namespace
} // namespace mpc::rt
