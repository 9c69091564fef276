// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of policies: names, keys, defaults and rules.
#include "runtime/LossScale/PolicyInfo.h"

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

namespace mpc::rt {
namespace {

using S = Setting;
using Defaults = std::span<const SettingOverride>;
using Keys = std::span<const ConfigKey>;
using Names = std::span<const std::string_view>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kFloatMax = std::numeric_limits<float>::max();
constexpr double kFloatMin = std::numeric_limits<float>::min();

// --- defaults, names and keys of each policy -------------------------------

constexpr SettingOverride kDynamicDefaults[] = {
    {S::InitScale, 65536},     {S::GrowthFactor, 2},   {S::BackoffFactor, 0.5},
    {S::GrowthInterval, 2000}, {S::MinScale, 0x1p-14}, {S::MaxScale, 0x1p24},
    {S::MaxSkipsInARow, 50},
};

constexpr std::string_view kTorchNames[] = {"pytorch", "grad_scaler"};
constexpr SettingOverride kTorchDefaults[] = {
    {S::InitScale, 65536},
    {S::GrowthFactor, 2},
    {S::BackoffFactor, 0.5},
    {S::GrowthInterval, 2000},
};

constexpr std::string_view kKerasNames[] = {"tf_keras"};
constexpr SettingOverride kKerasDefaults[] = {
    {S::InitScale, 32768},     {S::GrowthFactor, 2}, {S::BackoffFactor, 0.5},
    {S::GrowthInterval, 2000}, {S::MinScale, 1},
};
constexpr ConfigKey kKerasKeys[] = {
    {"initial_scale", S::InitScale},
    {"dynamic_growth_steps", S::GrowthInterval},
};

constexpr std::string_view kKerasFixedNames[] = {"tf_keras_fixed"};
constexpr SettingOverride kFixedDefaults[] = {{S::InitScale, kNaN}};

constexpr SettingOverride kKeras3Defaults[] = {
    {S::InitScale, 32768},
    {S::GrowthFactor, 2},
    {S::BackoffFactor, 0.5},
    {S::GrowthInterval, 2000},
};

constexpr std::string_view kBackoffNames[] = {"openseq2seq_backoff"};
constexpr SettingOverride kBackoffDefaults[] = {
    {S::InitScale, kNaN}, // starts at MaxScale
    {S::GrowthFactor, 2}, {S::GrowthInterval, 2000},
    {S::MinScale, 1},     {S::MaxScale, 16384},
};
constexpr ConfigKey kBackoffKeys[] = {
    {"scale_min", S::MinScale},
    {"scale_max", S::MaxScale},
    {"step_factor", S::GrowthFactor},
    {"step_window", S::GrowthInterval},
};

constexpr std::string_view kLogMaxNames[] = {"openseq2seq_logmax"};
constexpr SettingOverride kLogMaxDefaults[] = {
    {S::InitScale, 1},         {S::MinScale, 1}, {S::MaxScale, 16384},
    {S::LogMax, 16},           {S::Beta1, 0.99}, {S::Beta2, 0.999},
    {S::OverflowStdDev, 3.09},
};
constexpr SettingOverride kLogNormalDefaults[] = {
    {S::InitScale, 1},         {S::MinScale, 1}, {S::MaxScale, 0x1p24},
    {S::LogMax, 16},           {S::Beta1, 0.99}, {S::Beta2, 0.999},
    {S::OverflowStdDev, 3.09},
};
constexpr ConfigKey kLogMaxKeys[] = {
    {"scale_min", S::MinScale},
    {"scale_max", S::MaxScale},
    {"beta1", S::Beta1},
    {"beta2", S::Beta2},
};

constexpr SettingOverride kDeepSpeedDefaults[] = {
    {S::InitScale, 65536},     {S::GrowthFactor, 2},
    {S::GrowthInterval, 1000}, {S::MinScale, 1},
    {S::Hysteresis, 2},        {S::ConsecutiveHysteresis, 0},
    {S::RaiseAtMinScale, 1},
};
constexpr ConfigKey kDeepSpeedKeys[] = {
    {"scale_window", S::GrowthInterval},
    {"loss_scale_window", S::GrowthInterval},
    {"delayed_shift", S::Hysteresis},
    {"min_loss_scale", S::MinScale},
    {"scale_factor", S::GrowthFactor},
    {"raise_error_at_min_scale", S::RaiseAtMinScale},
};

constexpr SettingOverride kJmpDefaults[] = {
    {S::InitScale, 32768},
    {S::GrowthFactor, 2},
    {S::GrowthInterval, 2000},
    {S::MinScale, 1},
};
constexpr ConfigKey kJmpKeys[] = {
    {"init", S::InitScale},          {"loss_scale", S::InitScale},
    {"interval", S::GrowthInterval}, {"period", S::GrowthInterval},
    {"factor", S::GrowthFactor},     {"min_loss_scale", S::MinScale},
};

constexpr SettingOverride kFlaxDefaults[] = {
    {S::InitScale, 65536},    {S::GrowthFactor, 2},
    {S::BackoffFactor, 0.5},  {S::GrowthInterval, 2000},
    {S::MinScale, kFloatMin}, {S::MaxScale, kFloatMax},
};
constexpr ConfigKey kFlaxKeys[] = {
    {"init", S::InitScale},
    {"scale", S::InitScale},
    {"interval", S::GrowthInterval},
    {"minimum_scale", S::MinScale},
};

constexpr SettingOverride kMegatronDefaults[] = {
    {S::InitScale, 0x1p32},    {S::GrowthFactor, 2}, {S::BackoffFactor, 0.5},
    {S::GrowthInterval, 1000}, {S::MinScale, 1},     {S::Hysteresis, 2},
};
constexpr ConfigKey kMegatronKeys[] = {
    {"initial_scale", S::InitScale},
    {"initial_loss_scale", S::InitScale},
    {"min_loss_scale", S::MinScale},
    {"loss_scale_window", S::GrowthInterval},
};

constexpr SettingOverride kApexDefaults[] = {
    {S::InitScale, 65536}, {S::GrowthFactor, 2},  {S::GrowthInterval, 2000},
    {S::MinScale, 0},      {S::MaxScale, 0x1p24},
};
constexpr ConfigKey kApexKeys[] = {
    {"scale_factor", S::GrowthFactor},
    {"scale_window", S::GrowthInterval},
    {"min_loss_scale", S::MinScale},
    {"max_loss_scale", S::MaxScale},
};

constexpr SettingOverride kApexHysteresisDefaults[] = {
    {S::InitScale, 65536},     {S::GrowthFactor, 2}, {S::BackoffFactor, 0.5},
    {S::GrowthInterval, 2000}, {S::Hysteresis, 1},
};

constexpr std::string_view kOrtNames[] = {"onnxruntime"};
constexpr SettingOverride kOrtDefaults[] = {
    {S::InitScale, 65536}, {S::GrowthFactor, 2},  {S::GrowthInterval, 2000},
    {S::MinScale, 1},      {S::MaxScale, 0x1p24},
};
constexpr ConfigKey kOrtKeys[] = {
    {"loss_scale", S::InitScale},
    {"up_scale_window", S::GrowthInterval},
    {"min_loss_scale", S::MinScale},
    {"max_loss_scale", S::MaxScale},
};

constexpr SettingOverride kTeDelayedDefaults[] = {
    {S::InitScale, 1},        {S::Fp8Max, 448},   {S::Margin, 0},
    {S::HistoryLength, 1024}, {S::MostRecent, 0},
};
constexpr ConfigKey kTeDelayedKeys[] = {
    {"amax_history_len", S::HistoryLength},
    {"amax_compute_algo", S::MostRecent},
};

// --- the table -------------------------------------------------------------

constexpr PolicyInfo kPolicies[] = {
    {.kind = PolicyKind::Dynamic,
     .name = "dynamic",
     .system = "PyTorch's rule with a floor, a cap and a named error",
     .aliases = {},
     .defaults = kDynamicDefaults,
     .configKeys = {},
     .check = CheckPoint::Unscaled},
    {.kind = PolicyKind::Torch,
     .name = "torch",
     .system = "torch.amp.GradScaler",
     .aliases = kTorchNames,
     .defaults = kTorchDefaults,
     .configKeys = {}},
    {.kind = PolicyKind::Keras,
     .name = "keras",
     .system = "tf_keras.mixed_precision.LossScaleOptimizer",
     .aliases = kKerasNames,
     .defaults = kKerasDefaults,
     .configKeys = kKerasKeys,
     .check = CheckPoint::Unscaled,
     .iterationsCountSkips = true},
    {.kind = PolicyKind::KerasFixed,
     .name = "keras-fixed",
     .system = "tf_keras.mixed_precision.LossScaleOptimizer, dynamic=False",
     .aliases = kKerasFixedNames,
     .defaults = kFixedDefaults,
     .configKeys = kKerasKeys,
     .check = CheckPoint::Never,
     .hasCounter = false,
     .iterationsCountSkips = true,
     .lowersScale = false},
    {.kind = PolicyKind::Keras3,
     .name = "keras3",
     .system = "keras.optimizers.LossScaleOptimizer",
     .aliases = {},
     .defaults = kKeras3Defaults,
     .configKeys = kKerasKeys},
    {.kind = PolicyKind::Backoff,
     .name = "backoff",
     .system = "OpenSeq2Seq Backoff",
     .aliases = kBackoffNames,
     .defaults = kBackoffDefaults,
     .configKeys = kBackoffKeys,
     .check = CheckPoint::AfterClip},
    {.kind = PolicyKind::LogMax,
     .name = "logmax",
     .system = "OpenSeq2Seq LogMax",
     .aliases = kLogMaxNames,
     .defaults = kLogMaxDefaults,
     .configKeys = kLogMaxKeys,
     .check = CheckPoint::AfterClip,
     .hasCounter = false,
     .needsGradMaxAbs = true},
    {.kind = PolicyKind::LogNormal,
     .name = "lognormal",
     .system = "OpenSeq2Seq LogMax, mended",
     .aliases = {},
     .defaults = kLogNormalDefaults,
     .configKeys = kLogMaxKeys,
     .check = CheckPoint::Unscaled,
     .hasCounter = false,
     .needsGradMaxAbs = true},
    {.kind = PolicyKind::DeepSpeed,
     .name = "deepspeed",
     .system = "DeepSpeed DynamicLossScaler",
     .aliases = {},
     .defaults = kDeepSpeedDefaults,
     .configKeys = kDeepSpeedKeys,
     .update = UpdatePoint::BeforeUnscale,
     .scaleIsF32 = false},
    {.kind = PolicyKind::Jmp,
     .name = "jmp",
     .system = "jmp.DynamicLossScale",
     .aliases = {},
     .defaults = kJmpDefaults,
     .configKeys = kJmpKeys,
     .check = CheckPoint::Unscaled},
    {.kind = PolicyKind::Flax,
     .name = "flax",
     .system = "flax.training.dynamic_scale.DynamicScale",
     .aliases = {},
     .defaults = kFlaxDefaults,
     .configKeys = kFlaxKeys,
     .check = CheckPoint::Unscaled},
    {.kind = PolicyKind::Megatron,
     .name = "megatron",
     .system = "Megatron-LM DynamicGradScaler",
     .aliases = {},
     .defaults = kMegatronDefaults,
     .configKeys = kMegatronKeys},
    {.kind = PolicyKind::Apex,
     .name = "apex",
     .system = "Apex amp LossScaler",
     .aliases = {},
     .defaults = kApexDefaults,
     .configKeys = kApexKeys,
     .scaleIsF32 = false},
    {.kind = PolicyKind::ApexHysteresis,
     .name = "apex-hysteresis",
     .system = "Apex update_scale_hysteresis",
     .aliases = {},
     .defaults = kApexHysteresisDefaults,
     .configKeys = {}},
    {.kind = PolicyKind::Ort,
     .name = "ort",
     .system = "ONNX Runtime training DynamicLossScaler",
     .aliases = kOrtNames,
     .defaults = kOrtDefaults,
     .configKeys = kOrtKeys,
     .scaleIsF32 = false},
    {.kind = PolicyKind::TeDelayed,
     .name = "te-delayed",
     .system = "Transformer Engine DelayedScaling",
     .aliases = {},
     .defaults = kTeDelayedDefaults,
     .configKeys = kTeDelayedKeys,
     .check = CheckPoint::Never,
     .hasCounter = false,
     .needsGradMaxAbs = true,
     .replayOnly = true},
    {.kind = PolicyKind::Fixed,
     .name = "fixed",
     .system = "a constant scale; non-finite steps are skipped",
     .aliases = {},
     .defaults = kFixedDefaults,
     .configKeys = {},
     .check = CheckPoint::Unscaled,
     .hasCounter = false,
     .lowersScale = false},
    {.kind = PolicyKind::None,
     .name = "none",
     .system = "no loss scaling and no finite check",
     .aliases = {},
     .defaults = {},
     .configKeys = {},
     .check = CheckPoint::Never,
     .hasCounter = false,
     .lowersScale = false},
};

constexpr bool tableIsInOrder() {
  for (size_t i = 0; i != std::size(kPolicies); ++i)
    if (kPolicies[i].kind != static_cast<PolicyKind>(i))
      return false;
  return std::size(kPolicies) == kNumPolicies;
}
static_assert(tableIsInOrder(), "the table is indexed by PolicyKind");

} // namespace

std::span<const PolicyInfo> allPolicies() { return kPolicies; }

const PolicyInfo &policyInfo(PolicyKind kind) {
  return kPolicies[static_cast<size_t>(kind)];
}

} // namespace mpc::rt
