// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The facts about each policy as data: names, defaults, the settings that it
/// reads, the points of check and update, and its source system's own names.
#ifndef MPC_RUNTIME_LOSSSCALE_POLICYINFO_H
#define MPC_RUNTIME_LOSSSCALE_POLICYINFO_H

#include "runtime/LossScale/Policies.h"
#include "runtime/LossScale/ScalarState.h"
#include "runtime/Support/Status.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mpc::rt {

/// Values of all settings of one policy.
struct Settings {
  std::array<double, kNumSettings> values{};

  double &operator[](Setting setting) {
    return values[static_cast<size_t>(setting)];
  }
  double operator[](Setting setting) const {
    return values[static_cast<size_t>(setting)];
  }
};

/// A value that a user or a file gave to one setting.
struct SettingOverride {
  Setting setting;
  double value;
};

/// Which gradients the finite check examines.
enum class CheckPoint {
  Scaled,    ///< The gradients of the backward pass.
  Unscaled,  ///< After the unscale, before clipping.
  AfterClip, ///< After the unscale and clipping.
  Never,     ///< No check: every step is applied.
};

/// When the scale changes within a step.
enum class UpdatePoint {
  AfterStep,     ///< After the optimizer.
  BeforeUnscale, ///< Before it: a step that changes the scale unscales with
                 ///< the new one (DeepSpeed).
};

/// The source system's name for one of our settings.
struct ConfigKey {
  std::string_view key;
  Setting setting;
};

struct PolicyInfo {
  PolicyKind kind;
  std::string_view name;   ///< The name in --loss-scale=NAME.
  std::string_view system; ///< The system from which the rule comes.
  std::span<const std::string_view> aliases; ///< Other accepted names.
  std::span<const SettingOverride> defaults; ///< Exactly the settings it reads.
  std::span<const ConfigKey> configKeys;     ///< The system's own names.
  CheckPoint check = CheckPoint::Scaled;
  UpdatePoint update = UpdatePoint::AfterStep;
  bool scaleIsF32 = true; ///< Whether the scale is an f32; else it is any f64.
  bool hasCounter = true; ///< Whether StateSlot::Counter is used.
  bool needsGradMaxAbs = false; ///< Whether it reads ScaleEvent::gradMaxAbs.
  /// Whether skipped steps advance iterations.
  bool iterationsCountSkips = false;
  bool lowersScale = true; ///< Whether a skipped step lowers the scale.
  /// Whether the policy is for replays only, and not for training.
  bool replayOnly = false;

  /// Whether the policy reads `setting`.
  [[nodiscard]] bool reads(Setting setting) const;
};

[[nodiscard]] const PolicyInfo &policyInfo(PolicyKind kind);
[[nodiscard]] std::span<const PolicyInfo> allPolicies();

/// The policy of that name or alias. Case does not matter, `-` may be `_`, and
/// surrounding blanks are ignored.
[[nodiscard]] std::optional<PolicyKind> findPolicy(std::string_view name);
/// findPolicy, or a usage error that names `flag` and lists the known policies.
[[nodiscard]] Result<PolicyKind> parsePolicy(std::string_view flag,
                                             std::string_view name);
/// "dynamic, torch, ...".
[[nodiscard]] std::string knownPolicies();

/// The setting's name in files: "growth_interval".
[[nodiscard]] std::string_view settingKey(Setting setting);
/// The setting's flag: "--growth-interval".
[[nodiscard]] std::string settingFlag(Setting setting);
/// One line of help.
[[nodiscard]] std::string_view settingHelp(Setting setting);
/// The setting that `key` names for `policy`, by our name or the system's own.
[[nodiscard]] std::optional<Setting> findSetting(const PolicyInfo &policy,
                                                 std::string_view key);

/// The policy's defaults with `overrides` applied, unchecked, as a replay uses
/// them. A setting without a default and without an override is NaN; backoff
/// starts at its maximum.
[[nodiscard]] Settings
settingsOf(PolicyKind kind, std::span<const SettingOverride> overrides = {});

/// settingsOf for training. A usage error that names the flag for a policy that
/// is for replays only, for a setting that the policy does not read, and for an
/// invalid value.
[[nodiscard]] Result<Settings>
trainingSettings(PolicyKind kind, std::span<const SettingOverride> overrides);

/// Whether training may run with these values.
[[nodiscard]] Status validateSettings(PolicyKind kind,
                                      const Settings &settings);

/// The state before the first step.
[[nodiscard]] std::array<double, kNumStateSlots>
initialState(PolicyKind kind, const Settings &settings);

/// The meaning of a ScaleError for a user; empty for None.
[[nodiscard]] std::string_view message(ScaleError error);

} // namespace mpc::rt

#endif // MPC_RUNTIME_LOSSSCALE_POLICYINFO_H
