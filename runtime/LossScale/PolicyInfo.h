// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is known about each policy as data: names, defaults, the settings it
/// reads, where it checks and updates, and its source system's own names.
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

/// Which gradients the finite check looks at.
enum class CheckPoint {
  Scaled,    ///< As they come out of the backward pass.
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

/// A name that the source system gives to one of our settings.
struct ConfigKey {
  std::string_view key;
  Setting setting;
};

struct PolicyInfo {
  PolicyKind kind;
  std::string_view name;                     ///< As in --loss-scale=NAME.
  std::string_view system;                   ///< Where the rule comes from.
  std::span<const std::string_view> aliases; ///< Other accepted names.
  std::span<const SettingOverride> defaults; ///< Exactly the settings it reads.
  std::span<const ConfigKey> configKeys;     ///< The system's own names.
  CheckPoint check = CheckPoint::Scaled;
  UpdatePoint update = UpdatePoint::AfterStep;
  bool scaleIsF32 = true;            ///< Else the scale is a full f64.
  bool hasCounter = true;            ///< StateSlot::Counter means something.
  bool needsGradMaxAbs = false;      ///< Reads ScaleEvent::gradMaxAbs.
  bool iterationsCountSkips = false; ///< Skipped steps advance iterations.
  bool lowersScale = true;           ///< A skipped step lowers the scale.
  bool replayOnly = false;           ///< Not a policy for training.

  /// Whether the policy reads `setting`.
  [[nodiscard]] bool reads(Setting setting) const;
};

[[nodiscard]] const PolicyInfo &policyInfo(PolicyKind kind);
[[nodiscard]] std::span<const PolicyInfo> allPolicies();

/// The policy called `name`, which may be one of its aliases, in any case, with
/// `-` for `_`, and with blanks around it.
[[nodiscard]] std::optional<PolicyKind> findPolicy(std::string_view name);
/// findPolicy, or a usage error that names `flag` and lists the known ones.
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
/// The setting that `key` names for `policy`: our name or the system's own.
[[nodiscard]] std::optional<Setting> findSetting(const PolicyInfo &policy,
                                                 std::string_view key);

/// The policy's defaults with `overrides` on top, unchecked: what a replay
/// runs. Settings without a default and without an override are NaN; backoff
/// starts at its maximum.
[[nodiscard]] Settings
settingsOf(PolicyKind kind, std::span<const SettingOverride> overrides = {});

/// settingsOf for training: a usage error that names the flag for a policy that
/// is for replay only, a setting the policy does not read, and a value that
/// makes no sense.
[[nodiscard]] Result<Settings>
trainingSettings(PolicyKind kind, std::span<const SettingOverride> overrides);

/// Whether training may run with these values.
[[nodiscard]] Status validateSettings(PolicyKind kind,
                                      const Settings &settings);

/// The state before the first step.
[[nodiscard]] std::array<double, kNumStateSlots>
initialState(PolicyKind kind, const Settings &settings);

/// What a ScaleError means to a user; empty for None.
[[nodiscard]] std::string_view message(ScaleError error);

} // namespace mpc::rt

#endif // MPC_RUNTIME_LOSSSCALE_POLICYINFO_H
