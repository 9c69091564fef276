// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Policies by name, and the checks of their settings.
#include "runtime/LossScale/PolicyInfo.h"

#include "runtime/Support/Rounding.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

namespace mpc::rt {
namespace {

enum class Range {
  Scale,    // positive and finite in f32
  Bound,    // a scale, or 0
  Growth,   // above 1
  Backoff,  // between 0 and 1
  Count,    // an integer of at least 1
  Count0,   // an integer of at least 0
  Fraction, // between 0 and 1
  NonNegative,
  Finite,
  Switch, // 0 or 1
};

struct SettingRow {
  std::string_view key;
  Range range;
  std::string_view help;
};

constexpr std::array<SettingRow, kNumSettings> kSettings = {{
    {"init_scale", Range::Scale, "scale of the first step"},
    {"growth_factor", Range::Growth, "factor at each growth"},
    {"backoff_factor", Range::Backoff, "factor at each overflow"},
    {"growth_interval", Range::Count, "finite steps between growths"},
    {"min_scale", Range::Bound, "smallest scale"},
    {"max_scale", Range::Scale, "largest scale"},
    {"hysteresis", Range::Count, "overflows tolerated before a backoff"},
    {"consecutive_hysteresis", Range::Switch,
     "1: any finite step refills the hysteresis"},
    {"raise_at_min_scale", Range::Switch,
     "1: an overflow at the smallest scale is an error"},
    {"max_skips", Range::Count0, "skips in a row that are an error; 0: never"},
    {"log_max", Range::Finite, "log2 of the largest value aimed at"},
    {"scale_beta1", Range::Fraction, "decay of the mean of log2 gradients"},
    {"scale_beta2", Range::Fraction, "decay of the moments of log2 gradients"},
    {"overflow_std_dev", Range::NonNegative,
     "deviations kept between the mean and log-max"},
    {"fp8_max", Range::Scale, "largest finite fp8 value"},
    {"margin", Range::Finite, "powers of two kept free below fp8-max"},
    {"amax_history_len", Range::Count, "maxima remembered"},
    {"most_recent", Range::Switch, "1: use the newest maximum only"},
}};

/// The fault of `value`; empty for none.
std::string_view complaint(Range range, double value) {
  if (std::isnan(value))
    return "must be a number";
  const double asF32 = roundToF32(value);
  const bool isInteger = std::floor(value) == value && value < 0x1p53;
  switch (range) {
  case Range::Scale:
    return asF32 > 0 && std::isfinite(asF32)
               ? ""
               : "must be positive and finite in float32";
  case Range::Bound:
    return value >= 0 && std::isfinite(asF32)
               ? ""
               : "must be 0 or more and finite in float32";
  case Range::Growth:
    return value > 1 && std::isfinite(asF32) ? ""
                                             : "must be finite and above 1";
  case Range::Backoff:
    return value > 0 && value < 1 ? "" : "must be above 0 and below 1";
  case Range::Count:
    return value >= 1 && isInteger ? "" : "must be an integer of at least 1";
  case Range::Count0:
    return value >= 0 && isInteger ? "" : "must be an integer of at least 0";
  case Range::Fraction:
    return value > 0 && value < 1 ? "" : "must be above 0 and below 1";
  case Range::NonNegative:
    return value >= 0 && std::isfinite(value) ? ""
                                              : "must be 0 or more and finite";
  case Range::Finite:
    return std::isfinite(value) ? "" : "must be finite";
  case Range::Switch:
    return value == 0 || value == 1 ? "" : "must be 0 or 1";
  }
  return "";
}

/// In lower case, with `-` for `_`, without surrounding blanks.
std::string normalized(std::string_view name) {
  const size_t first = name.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos)
    return {};
  const size_t last = name.find_last_not_of(" \t\n\r");
  std::string result;
  for (char c : name.substr(first, last - first + 1))
    result +=
        c == '_'
            ? '-'
            : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

const SettingRow &row(Setting setting) {
  return kSettings[static_cast<size_t>(setting)];
}

} // namespace

bool PolicyInfo::reads(Setting setting) const {
  for (const SettingOverride &entry : defaults)
    if (entry.setting == setting)
      return true;
  return false;
}

std::optional<PolicyKind> findPolicy(std::string_view name) {
  const std::string wanted = normalized(name);
  for (const PolicyInfo &policy : allPolicies()) {
    if (wanted == policy.name)
      return policy.kind;
    for (std::string_view alias : policy.aliases)
      if (wanted == normalized(alias))
        return policy.kind;
  }
  return std::nullopt;
}

Result<PolicyKind> parsePolicy(std::string_view flag, std::string_view name) {
  if (std::optional<PolicyKind> kind = findPolicy(name))
    return *kind;
  return usageError(fmt::format("{}: unknown policy '{}'; known are {}", flag,
                                name, knownPolicies()));
}

std::string knownPolicies() {
  std::string list;
  for (const PolicyInfo &policy : allPolicies())
    list += fmt::format("{}{}", list.empty() ? "" : ", ", policy.name);
  return list;
}

std::string_view settingKey(Setting setting) { return row(setting).key; }

std::string settingFlag(Setting setting) {
  return "--" + normalized(settingKey(setting));
}

std::string_view settingHelp(Setting setting) { return row(setting).help; }

std::optional<Setting> findSetting(const PolicyInfo &policy,
                                   std::string_view key) {
  for (const ConfigKey &entry : policy.configKeys)
    if (entry.key == key)
      return entry.setting;
  for (size_t i = 0; i != kNumSettings; ++i)
    if (kSettings[i].key == key && policy.reads(static_cast<Setting>(i)))
      return static_cast<Setting>(i);
  return std::nullopt;
}

Settings settingsOf(PolicyKind kind,
                    std::span<const SettingOverride> overrides) {
  Settings settings;
  for (const SettingOverride &entry : policyInfo(kind).defaults)
    settings[entry.setting] = entry.value;
  for (const SettingOverride &entry : overrides)
    settings[entry.setting] = entry.value;
  const bool hasInit = !std::isnan(settings[Setting::InitScale]);
  if (kind == PolicyKind::Backoff && !hasInit)
    settings[Setting::InitScale] = settings[Setting::MaxScale];
  if (kind == PolicyKind::None)
    settings[Setting::InitScale] = 1;
  return settings;
}

Result<Settings> trainingSettings(PolicyKind kind,
                                  std::span<const SettingOverride> overrides) {
  const PolicyInfo &policy = policyInfo(kind);
  if (policy.replayOnly)
    return usageError(
        fmt::format("--loss-scale={}: this policy is for mpc-scale replay only",
                    policy.name));
  for (const SettingOverride &entry : overrides)
    if (!policy.reads(entry.setting))
      return usageError(fmt::format("{}: policy '{}' has no such setting",
                                    settingFlag(entry.setting), policy.name));
  for (const SettingOverride &entry : overrides)
    if (std::isnan(entry.value))
      return usageError(
          fmt::format("{}: must be a number", settingFlag(entry.setting)));
  Settings settings = settingsOf(kind, overrides);
  MPC_RETURN_IF_ERROR(validateSettings(kind, settings));
  return settings;
}

/// Floor, first scale and cap must be in that order. A policy without one of
/// these settings has no such limit.
static Status checkOrder(const PolicyInfo &policy, const Settings &settings) {
  const Setting order[] = {Setting::MinScale, Setting::InitScale,
                           Setting::MaxScale};
  for (size_t i = 0; i < std::size(order); ++i)
    for (size_t j = i + 1; j < std::size(order); ++j)
      if (policy.reads(order[i]) && policy.reads(order[j]) &&
          settings[order[i]] > settings[order[j]])
        return usageError(fmt::format(
            "{}={}: above {}={}", settingFlag(order[i]), settings[order[i]],
            settingFlag(order[j]), settings[order[j]]));
  return {};
}

Status validateSettings(PolicyKind kind, const Settings &settings) {
  const PolicyInfo &policy = policyInfo(kind);
  for (const SettingOverride &entry : policy.defaults) {
    const double value = settings[entry.setting];
    if (entry.setting == Setting::InitScale && std::isnan(value))
      return usageError(
          fmt::format("--init-scale: policy '{}' needs a value", policy.name));
    const std::string_view wrong = complaint(row(entry.setting).range, value);
    if (!wrong.empty())
      return usageError(
          fmt::format("{}={}: {}", settingFlag(entry.setting), value, wrong));
  }
  return checkOrder(policy, settings);
}

std::array<double, kNumStateSlots> initialState(PolicyKind kind,
                                                const Settings &settings) {
  std::array<double, kNumStateSlots> state{};
  auto at = [&](StateSlot slot) -> double & {
    return state[static_cast<size_t>(slot)];
  };
  const PolicyInfo &policy = policyInfo(kind);
  const double init = settings[Setting::InitScale];
  at(StateSlot::Scale) = policy.scaleIsF32 ? roundToF32(init) : init;
  // Only Apex applies its ceiling from the start.
  if (kind == PolicyKind::Apex)
    at(StateSlot::Scale) = std::min(init, settings[Setting::MaxScale]);
  if (policy.reads(Setting::Hysteresis))
    at(StateSlot::Hysteresis) = settings[Setting::Hysteresis];
  if (kind == PolicyKind::Backoff || kind == PolicyKind::DeepSpeed)
    at(StateSlot::LastOverflow) = -1;
  if (policy.reads(Setting::Beta1)) {
    at(StateSlot::MeanDecay) = 1;
    at(StateSlot::SlowDecay) = 1;
  }
  return state;
}

std::string_view message(ScaleError error) {
  switch (error) {
  case ScaleError::None:
    return "";
  case ScaleError::AtMinScale:
    return "already at minimum";
  case ScaleError::TooManySkips:
    return "too many steps skipped in a row";
  }
  return "";
}

} // namespace mpc::rt
