// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of policies and settings, and which settings training refuses.
#include "runtime/LossScale/PolicyInfo.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace mpc::rt {
namespace {

// Features: E3.
TEST(PolicyNames, AcceptEveryDocumentedSpelling) {
  const std::pair<const char *, PolicyKind> names[] = {
      {"dynamic", PolicyKind::Dynamic},
      {"torch", PolicyKind::Torch},
      {"keras", PolicyKind::Keras},
      {"tf_keras", PolicyKind::Keras},
      {"keras3", PolicyKind::Keras3},
      {"backoff", PolicyKind::Backoff},
      {"Backoff", PolicyKind::Backoff},
      {"openseq2seq_backoff", PolicyKind::Backoff},
      {"LogMax", PolicyKind::LogMax},
      {"openseq2seq_logmax", PolicyKind::LogMax},
      {" logmax ", PolicyKind::LogMax},
      {"LogNormal", PolicyKind::LogNormal},
      {"deepspeed", PolicyKind::DeepSpeed},
      {"jmp", PolicyKind::Jmp},
      {"flax", PolicyKind::Flax},
      {"megatron", PolicyKind::Megatron},
      {"apex", PolicyKind::Apex},
      {"apex_hysteresis", PolicyKind::ApexHysteresis},
      {"apex-hysteresis", PolicyKind::ApexHysteresis},
      {"ort", PolicyKind::Ort},
      {"te_delayed", PolicyKind::TeDelayed},
      {"te-delayed", PolicyKind::TeDelayed},
      {"fixed", PolicyKind::Fixed},
      {"none", PolicyKind::None},
  };
  for (const auto &[name, kind] : names)
    EXPECT_EQ(findPolicy(name), kind) << name;
  EXPECT_EQ(findPolicy("dyn"), std::nullopt);
  EXPECT_EQ(findPolicy(""), std::nullopt);
}

// Features: E13.
TEST(PolicyNames, AreListedWhereOneIsUnknown) {
  Result<PolicyKind> kind = parsePolicy("--loss-scale", "dynamo");
  ASSERT_FALSE(kind.ok());
  EXPECT_EQ(kind.status().code(), StatusCode::Usage);
  EXPECT_EQ(kind.status().message(),
            "--loss-scale: unknown policy 'dynamo'; known are dynamic, torch, "
            "keras, keras-fixed, keras3, backoff, logmax, lognormal, "
            "deepspeed, jmp, flax, megatron, apex, apex-hysteresis, ort, "
            "te-delayed, fixed, none");
}

TEST(PolicyNames, AreUnique) {
  for (const PolicyInfo &policy : allPolicies()) {
    EXPECT_EQ(findPolicy(policy.name), policy.kind);
    for (std::string_view alias : policy.aliases)
      EXPECT_EQ(findPolicy(alias), policy.kind) << alias;
  }
}

TEST(SettingNames, MapFromFlagAndFromTheSystemsOwnKeys) {
  EXPECT_EQ(settingFlag(Setting::GrowthInterval), "--growth-interval");
  EXPECT_EQ(findSetting(policyInfo(PolicyKind::Keras), "dynamic_growth_steps"),
            Setting::GrowthInterval);
  EXPECT_EQ(findSetting(policyInfo(PolicyKind::Ort), "loss_scale"),
            Setting::InitScale);
  EXPECT_EQ(findSetting(policyInfo(PolicyKind::Torch), "growth_interval"),
            Setting::GrowthInterval);
  EXPECT_EQ(findSetting(policyInfo(PolicyKind::Torch), "min_scale"),
            std::nullopt);
}

// Training refuses such settings; replay runs what Apex runs.
TEST(InitialState, OfApexIsNotAboveItsCeiling) {
  Settings settings = settingsOf(PolicyKind::Apex);
  settings[Setting::MaxScale] = 100;
  EXPECT_EQ(initialState(PolicyKind::Apex, settings)[0], 100);
  settings[Setting::MaxScale] = 1e9;
  EXPECT_EQ(initialState(PolicyKind::Apex, settings)[0], 65536);
  Settings ort = settingsOf(PolicyKind::Ort);
  ort[Setting::MaxScale] = 100;
  EXPECT_EQ(initialState(PolicyKind::Ort, ort)[0], 65536);
}

struct Refused {
  PolicyKind policy;
  std::vector<SettingOverride> overrides;
  const char *message;
};

// Features: E6, E7, E11, E14.
TEST(TrainingSettings, RefuseWhatMakesNoSense) {
  const Refused cases[] = {
      {PolicyKind::Dynamic,
       {{Setting::GrowthFactor, 1}},
       "--growth-factor=1: must be finite and above 1"},
      {PolicyKind::Dynamic,
       {{Setting::GrowthFactor, INFINITY}},
       "--growth-factor=inf: must be finite and above 1"},
      {PolicyKind::Dynamic,
       {{Setting::BackoffFactor, 1}},
       "--backoff-factor=1: must be above 0 and below 1"},
      {PolicyKind::Torch,
       {{Setting::BackoffFactor, 0}},
       "--backoff-factor=0: must be above 0 and below 1"},
      {PolicyKind::Torch,
       {{Setting::BackoffFactor, -0.5}},
       "--backoff-factor=-0.5: must be above 0 and below 1"},
      {PolicyKind::Keras,
       {{Setting::GrowthInterval, 0}},
       "--growth-interval=0: must be an integer of at least 1"},
      {PolicyKind::Keras,
       {{Setting::GrowthInterval, 2.5}},
       "--growth-interval=2.5: must be an integer of at least 1"},
      {PolicyKind::Dynamic,
       {{Setting::InitScale, NAN}},
       "--init-scale: must be a number"},
      {PolicyKind::Dynamic,
       {{Setting::InitScale, 0}},
       "--init-scale=0: must be positive and finite in float32"},
      {PolicyKind::Dynamic,
       {{Setting::InitScale, INFINITY}},
       "--init-scale=inf: must be positive and finite in float32"},
      {PolicyKind::DeepSpeed,
       {{Setting::InitScale, 1e39}},
       "--init-scale=1e+39: must be positive and finite in float32"},
      {PolicyKind::Dynamic,
       {{Setting::InitScale, 1e-60}},
       "--init-scale=1e-60: must be positive and finite in float32"},
      {PolicyKind::Dynamic,
       {{Setting::MinScale, -1}},
       "--min-scale=-1: must be 0 or more and finite in float32"},
      {PolicyKind::Dynamic,
       {{Setting::MinScale, 8}, {Setting::MaxScale, 4}},
       "--min-scale=8: above --max-scale=4"},
      {PolicyKind::Dynamic,
       {{Setting::InitScale, 0x1p30}},
       "--init-scale=1073741824: above --max-scale=16777216"},
      {PolicyKind::Dynamic,
       {{Setting::MaxScale, 4}},
       "--init-scale=65536: above --max-scale=4"},
      {PolicyKind::Dynamic,
       {{Setting::InitScale, 2}, {Setting::MinScale, 8}},
       "--min-scale=8: above --init-scale=2"},
      {PolicyKind::Apex,
       {{Setting::InitScale, 0x1p30}},
       "--init-scale=1073741824: above --max-scale=16777216"},
      {PolicyKind::Dynamic,
       {{Setting::MaxSkipsInARow, -1}},
       "--max-skips=-1: must be an integer of at least 0"},
      {PolicyKind::DeepSpeed,
       {{Setting::ConsecutiveHysteresis, 2}},
       "--consecutive-hysteresis=2: must be 0 or 1"},
      {PolicyKind::LogMax,
       {{Setting::Beta1, 1}},
       "--scale-beta1=1: must be above 0 and below 1"},
      {PolicyKind::LogMax,
       {{Setting::OverflowStdDev, -1}},
       "--overflow-std-dev=-1: must be 0 or more and finite"},
      {PolicyKind::LogMax,
       {{Setting::LogMax, INFINITY}},
       "--log-max=inf: must be finite"},
      {PolicyKind::Fixed, {}, "--init-scale: policy 'fixed' needs a value"},
      {PolicyKind::Fixed,
       {{Setting::InitScale, 8}, {Setting::GrowthInterval, 5}},
       "--growth-interval: policy 'fixed' has no such setting"},
      {PolicyKind::None,
       {{Setting::InitScale, 8}},
       "--init-scale: policy 'none' has no such setting"},
      {PolicyKind::TeDelayed,
       {},
       "--loss-scale=te-delayed: this policy is for mpc-scale replay only"},
  };
  for (const Refused &refused : cases) {
    Result<Settings> settings =
        trainingSettings(refused.policy, refused.overrides);
    ASSERT_FALSE(settings.ok()) << refused.message;
    EXPECT_EQ(settings.status().code(), StatusCode::Usage);
    EXPECT_EQ(settings.status().message(), refused.message);
  }
}

TEST(TrainingSettings, AcceptEveryPolicysDefaults) {
  for (const PolicyInfo &policy : allPolicies()) {
    if (policy.replayOnly)
      continue;
    std::vector<SettingOverride> overrides;
    if (policy.kind == PolicyKind::Fixed ||
        policy.kind == PolicyKind::KerasFixed)
      overrides = {{Setting::InitScale, 128}};
    Result<Settings> settings = trainingSettings(policy.kind, overrides);
    EXPECT_TRUE(settings.ok()) << settings.status().message();
  }
}

TEST(TrainingSettings, BackoffStartsAtItsMaximum) {
  Result<Settings> settings =
      trainingSettings(PolicyKind::Backoff, {{{Setting::MaxScale, 1024}}});
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ((*settings)[Setting::InitScale], 1024);
}

} // namespace
} // namespace mpc::rt
