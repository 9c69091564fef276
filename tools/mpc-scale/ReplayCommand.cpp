// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-scale replay: runs a loss-scale policy over a trace.
#include "tools/mpc-scale/Commands.h"

#include "runtime/LossScale/Replay.h"
#include "runtime/Support/File.h"
#include "runtime/Support/Output.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>

namespace mpc {
namespace {

using namespace rt;

struct ReplayFlags {
  std::string trace;
  std::string policy;
  std::string plot;
  std::array<std::string, kNumSettings> settings;
  std::string overflowAbove;
};

Result<double> parseNumber(const std::string &flag, const std::string &text) {
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0')
    return usageError(
        fmt::format("{}: expected a number, found '{}'", flag, text));
  return value;
}

Result<ReplayOptions> readFlags(const ReplayFlags &flags) {
  ReplayOptions options;
  if (!flags.policy.empty()) {
    MPC_ASSIGN_OR_RETURN(options.policy, parsePolicy("--policy", flags.policy));
  }
  for (size_t i = 0; i != kNumSettings; ++i) {
    if (flags.settings[i].empty())
      continue;
    const auto setting = static_cast<Setting>(i);
    MPC_ASSIGN_OR_RETURN(double value,
                         parseNumber(settingFlag(setting), flags.settings[i]));
    options.overrides.push_back({setting, value});
  }
  if (!flags.overflowAbove.empty()) {
    MPC_ASSIGN_OR_RETURN(options.overflowAbove,
                         parseNumber("--overflow-above", flags.overflowAbove));
  }
  return options;
}

Status replay(const ReplayFlags &flags) {
  MPC_ASSIGN_OR_RETURN(ReplayOptions options, readFlags(flags));
  MPC_ASSIGN_OR_RETURN(std::string text, readInput(flags.trace));
  Result<ReplayResult> result = replayTrace(text, options);
  if (!result.ok())
    return result.status().withContext(flags.trace);
  MPC_RETURN_IF_ERROR(writeOutput("-", result->lines));
  if (flags.plot.empty())
    return {};
  const std::string title =
      fmt::format("loss scale, {}", policyInfo(result->policy).name);
  return writeOutput(flags.plot, scaleCurveSvg(*result, title));
}

} // namespace

Command addReplayCommand(CLI::App &program) {
  auto flags = std::make_shared<ReplayFlags>();
  CLI::App *app = program.add_subcommand(
      "replay", "Run a loss-scale policy over recorded events or maxima of "
                "gradients;\nprints one JSON line for each entry.");
  app->add_option("TRACE", flags->trace,
                  "trace (mpc-loss-scale-trace/1), or - for stdin")
      ->required()
      ->group("Input");
  app->add_option("--policy", flags->policy,
                  "policy to run in place of the trace's own, with its "
                  "defaults: " +
                      knownPolicies())
      ->group("Loss scaling");
  for (size_t i = 0; i != kNumSettings; ++i) {
    const auto setting = static_cast<Setting>(i);
    app->add_option(settingFlag(setting), flags->settings[i],
                    std::string(settingHelp(setting)))
        ->type_name("NUMBER")
        ->group("Loss scaling");
  }
  app->add_option("--overflow-above", flags->overflowAbove,
                  "an entry with gradient maxima overflows where the largest "
                  "times the scale is above this (65504 for fp16)")
      ->type_name("NUMBER")
      ->group("Input");
  app->add_option("--plot", flags->plot, "draw the scale's curve as SVG")
      ->type_name("FILE.svg")
      ->group("Output");
  return {app, [flags] { return replay(*flags); }};
}

} // namespace mpc
