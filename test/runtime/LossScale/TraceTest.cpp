// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every recorded trace, bit for bit (LogMax within the file's tolerance).
#include "runtime/LossScale/Replay.h"

#include "test/runtime/FlushMode.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace mpc::rt {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// An output of the recorded run, and what a replay calls it.
struct Field {
  const char *recorded;
  const char *replayed;
  const char *tolerance = nullptr; ///< Its name in the file's `tolerance`.
};

constexpr Field kFields[] = {
    {"found_inf", "found_inf"},
    {"applied", "applied"},
    {"scale_after", "scale", "scale_rel"},
    {"counter_after", "counter"},
    {"raises", "error"},
    {"inv_scale", "inv_scale"},
    {"hysteresis_after", "hysteresis"},
    {"iter_after", "iter"},
    {"last_overflow_iter", "last_overflow_iter"},
    {"iterations_after", "iterations"},
    {"mu_after", "mu", "mu_abs"},
    {"sigma_after", "sigma", "sigma_abs"},
};

std::vector<std::string> traceNames() {
  std::vector<std::string> names;
  for (const auto &entry :
       fs::directory_iterator(MPC_TEST_INPUTS "/loss_scale/traces"))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string readTrace(const std::string &name) {
  std::ifstream file(MPC_TEST_INPUTS "/loss_scale/traces/" + name + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

double number(const json &value) {
  return value.is_string() ? std::stod(value.get<std::string>())
                           : value.get<double>();
}

bool isNumber(const json &value) {
  return value.is_number() || value == "inf" || value == "-inf" ||
         value == "nan";
}

bool agree(const json &wanted, const json &found, const Field &field,
           const json &tolerance) {
  if (!isNumber(wanted) || !isNumber(found))
    return wanted == found;
  const double a = number(wanted);
  const double b = number(found);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b))
    return true;
  if (!field.tolerance || tolerance.is_null())
    return false;
  const double allowed = tolerance[field.tolerance].get<double>();
  const bool relative = std::string(field.tolerance).ends_with("_rel");
  return std::abs(a - b) <= (relative ? allowed * std::abs(a) : allowed);
}

/// What a replay gets wrong, a line each.
std::vector<std::string> differences(const std::string &text,
                                     const ReplayOptions &options) {
  Result<ReplayResult> result = replayTrace(text, options);
  if (!result.ok())
    return {result.status().message()};
  const json trace = json::parse(text);
  const json tolerance = trace.value("tolerance", json());
  std::istringstream lines(result->lines);
  std::vector<std::string> wrong;
  std::string line;
  for (const json &step : trace["steps"]) {
    if (!std::getline(lines, line))
      return {"lines are missing"};
    const json found = json::parse(line);
    if (found["i"] != step["i"] || found["action"] != step["action"])
      wrong.push_back(line);
    for (const Field &field : kFields)
      if (step.contains(field.recorded) &&
          !agree(step[field.recorded], found.value(field.replayed, json()),
                 field, tolerance))
        wrong.push_back(std::string(field.recorded) + " of " + step.dump() +
                        " replayed as " + line);
    if (found.contains("error") && !step.contains("raises"))
      wrong.push_back("unexpected error: " + line);
  }
  if (std::getline(lines, line))
    wrong.push_back("one line too many: " + line);
  return wrong;
}

class Trace : public testing::TestWithParam<std::string> {};

// Features: E10, F1, F2, F3, F4, F5, F6, F8, F9, F13, H2, M2, M5, X25.
TEST_P(Trace, MatchesTheReference) {
  for (const std::string &wrong : differences(readTrace(GetParam()), {}))
    ADD_FAILURE() << wrong;
}

TEST_P(Trace, MatchesWhereSubnormalsAreFlushed) {
  if (!FlushMode::kSupported)
    GTEST_SKIP() << "this CPU's flush mode is not known to the test";
  const std::string text = readTrace(GetParam());
  std::vector<std::string> plain;
  Result<ReplayResult> expected = replayTrace(text, {});
  ASSERT_TRUE(expected.ok());
  Result<ReplayResult> flushed = [&] {
    [[maybe_unused]] FlushMode flush;
    return replayTrace(text, {});
  }();
  ASSERT_TRUE(flushed.ok());
  EXPECT_EQ(expected->lines, flushed->lines);
}

INSTANTIATE_TEST_SUITE_P(All, Trace, testing::ValuesIn(traceNames()),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Traces, AreAllThere) { EXPECT_EQ(traceNames().size(), 122u); }

/// Whether the scale grows in the recorded run by its first interval: only then
/// does a wrong one show.
bool grows(const json &trace) {
  for (const json &step : trace["steps"])
    if (step["action"] == "set")
      return false;
    else if (step.value("applied", json()) == true &&
             step.contains("scale_before") && step["action"] == "step" &&
             step.value("repeat", 1) == 1 &&
             number(step["scale_after"]) > number(step["scale_before"]))
      return true;
  return false;
}

// The comparison sees a planted error: growth one step late or early.
// Features: E5, F2.
TEST(Traces, AnIntervalThatIsOffByOneShows) {
  size_t checked = 0;
  for (const std::string &name : traceNames()) {
    const std::string text = readTrace(name);
    const json trace = json::parse(text);
    std::optional<PolicyKind> policy =
        findPolicy(trace["policy"].get<std::string>());
    ASSERT_TRUE(policy) << name;
    if (!policyInfo(*policy).reads(Setting::GrowthInterval) || !grows(trace))
      continue;
    double interval = settingsOf(*policy)[Setting::GrowthInterval];
    for (const auto &[key, value] : trace["config"].items())
      if (findSetting(policyInfo(*policy), key) == Setting::GrowthInterval)
        interval = value.get<double>();
    for (double planted : {interval - 1, interval + 1}) {
      if (planted == 0) // some test with `>=`
        continue;
      ReplayOptions options;
      options.overrides = {{Setting::GrowthInterval, planted}};
      EXPECT_FALSE(differences(text, options).empty())
          << name << " with an interval of " << planted;
    }
    ++checked;
  }
  EXPECT_GE(checked, 70u);
}

/// The traces of one policy must tell another policy from it, or they would
/// not hold the edges where the two differ.
void expectDistinguished(const std::string &prefix, PolicyKind other) {
  size_t different = 0;
  for (const std::string &name : traceNames()) {
    if (!name.starts_with(prefix))
      continue;
    json trace = json::parse(readTrace(name));
    trace["policy"] = policyInfo(other).name;
    ReplayOptions options;
    different += !differences(trace.dump(), options).empty();
  }
  EXPECT_GT(different, 0u) << prefix << " against " << policyInfo(other).name;
}

// Features: X25.
TEST(Traces, TellPoliciesApart) {
  expectDistinguished("tf_keras_", PolicyKind::Keras3);
  expectDistinguished("keras3_", PolicyKind::Keras);
  expectDistinguished("apex_hysteresis_", PolicyKind::Megatron);
  expectDistinguished("megatron_", PolicyKind::ApexHysteresis);
  expectDistinguished("jmp_", PolicyKind::Flax);
  expectDistinguished("flax_", PolicyKind::Jmp);
  expectDistinguished("openseq2seq_logmax_", PolicyKind::LogNormal);
  expectDistinguished("torch_", PolicyKind::Dynamic);
}

} // namespace
} // namespace mpc::rt
