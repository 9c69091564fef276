// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A loss-scale policy with its state, run with numbers on the host.
#ifndef MPC_RUNTIME_LOSSSCALE_LOSSSCALER_H
#define MPC_RUNTIME_LOSSSCALE_LOSSSCALER_H

#include "runtime/LossScale/PolicyInfo.h"

#include <map>
#include <string>
#include <vector>

namespace mpc::rt {

/// The outcome of one step.
struct StepOutcome {
  bool applied;        ///< Whether the optimizer applied the step.
  double inverseScale; ///< The factor by which the gradients were multiplied.
  /// The reason for which training should stop; None if it should not.
  ScaleError error;
};

/// Not safe for use by several threads at once.
class LossScaler {
public:
  /// Takes any settings, also those that trainingSettings refuses.
  LossScaler(PolicyKind kind, const Settings &settings);

  /// One iteration: decides whether the step is applied, then updates the
  /// scale. `gradMaxAbs`, the largest |unscaled gradient|, matters only where
  /// the policy needsGradMaxAbs.
  StepOutcome step(bool foundInf, double gradMaxAbs = 0.0);

  /// One iteration whose update is `update(newScale)`: the counter and the
  /// policy ignore this step (PyTorch's rule).
  StepOutcome stepWithNewScale(bool foundInf, double newScale);

  /// Sets only the scale (PyTorch's update(new_scale)).
  void update(double newScale);

  /// Changes a setting from the next step on; unchecked.
  void set(Setting setting, double value) { settings_[setting] = value; }

  [[nodiscard]] PolicyKind kind() const { return kind_; }
  [[nodiscard]] const PolicyInfo &info() const { return policyInfo(kind_); }
  [[nodiscard]] double scale() const { return at(StateSlot::Scale); }
  [[nodiscard]] double at(StateSlot slot) const {
    return state_[static_cast<size_t>(slot)];
  }
  [[nodiscard]] double at(Setting setting) const { return settings_[setting]; }
  [[nodiscard]] const std::array<double, kNumStateSlots> &state() const {
    return state_;
  }
  [[nodiscard]] const Settings &settings() const { return settings_; }

  /// All state and settings by name: "scale", "counter", ...,
  /// "setting.growth_factor", ..., "amax_history.0", ...
  [[nodiscard]] std::map<std::string, double> save() const;
  /// Restores what `save` of the same policy returned. Settings that `saved`
  /// lacks keep their values. A missing state slot and an unknown name are
  /// errors and change nothing.
  [[nodiscard]] Status load(const std::map<std::string, double> &saved);

private:
  double windowedMaximum(double newest);

  PolicyKind kind_;
  Settings settings_;
  std::array<double, kNumStateSlots> state_;
  /// The history; te-delayed only, newest last.
  std::vector<double> amaxHistory_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_LOSSSCALE_LOSSSCALER_H
