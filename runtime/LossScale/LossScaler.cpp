// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policies instantiated with numbers.
#include "runtime/LossScale/LossScaler.h"

#include "runtime/LossScale/NumberBuilder.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mpc::rt {
namespace {

constexpr std::string_view kSettingPrefix = "setting.";
constexpr std::string_view kHistoryPrefix = "amax_history.";

std::string settingName(size_t index) {
  return fmt::format("{}{}", kSettingPrefix,
                     settingKey(static_cast<Setting>(index)));
}

std::string historyName(size_t index) {
  return fmt::format("{}{}", kHistoryPrefix, index);
}

} // namespace

LossScaler::LossScaler(PolicyKind kind, const Settings &settings)
    : kind_(kind), settings_(settings), state_(initialState(kind, settings)) {}

StepOutcome LossScaler::step(bool foundInf, double gradMaxAbs) {
  NumberBuilder b;
  if (kind_ == PolicyKind::TeDelayed)
    gradMaxAbs = windowedMaximum(gradMaxAbs);
  const double inverse = inverseScale(kind_, b, scale());
  state_ = stepPolicy(kind_, b, state_, settings_.values,
                      {.foundInf = foundInf, .gradMaxAbs = gradMaxAbs});
  return {.applied = !foundInf || appliesNonFinite(kind_),
          .inverseScale = inverse,
          .error = static_cast<ScaleError>(at(StateSlot::Error))};
}

StepOutcome LossScaler::stepWithNewScale(bool foundInf, double newScale) {
  NumberBuilder b;
  const double inverse = inverseScale(kind_, b, scale());
  state_ = mpc::rt::stepWithNewScale(kind_, b, state_, settings_.values,
                                     {.foundInf = foundInf, .gradMaxAbs = 0.0},
                                     scale());
  update(newScale);
  return {.applied = !foundInf || appliesNonFinite(kind_),
          .inverseScale = inverse,
          .error = static_cast<ScaleError>(at(StateSlot::Error))};
}

void LossScaler::update(double newScale) {
  state_[static_cast<size_t>(StateSlot::Scale)] =
      info().scaleIsF32 ? roundToF32(newScale) : newScale;
}

/// Adds `newest` to the history and returns the largest of the last
/// HistoryLength maxima; NaN if one of them is NaN.
double LossScaler::windowedMaximum(double newest) {
  if (at(Setting::MostRecent) != 0)
    return newest;
  amaxHistory_.push_back(newest);
  const auto length =
      static_cast<size_t>(std::clamp(at(Setting::HistoryLength), 1.0, 0x1p31));
  if (amaxHistory_.size() > length)
    amaxHistory_.erase(amaxHistory_.begin(), amaxHistory_.end() - length);
  double largest = 0;
  for (double amax : amaxHistory_) {
    if (std::isnan(amax))
      return amax;
    largest = std::max(largest, amax);
  }
  return largest;
}

std::map<std::string, double> LossScaler::save() const {
  std::map<std::string, double> saved;
  for (size_t i = 0; i != kNumStateSlots; ++i)
    saved[std::string(slotKey(static_cast<StateSlot>(i)))] = state_[i];
  for (const SettingOverride &entry : info().defaults)
    saved[settingName(static_cast<size_t>(entry.setting))] =
        settings_[entry.setting];
  for (size_t i = 0; i != amaxHistory_.size(); ++i)
    saved[historyName(i)] = amaxHistory_[i];
  return saved;
}

Status LossScaler::load(const std::map<std::string, double> &saved) {
  LossScaler loaded = *this;
  std::map<std::string, double> left = saved;
  auto take = [&](const std::string &name, double &value) {
    auto entry = left.find(name);
    if (entry == left.end())
      return false;
    value = entry->second;
    left.erase(entry);
    return true;
  };
  for (size_t i = 0; i != kNumStateSlots; ++i) {
    const std::string name(slotKey(static_cast<StateSlot>(i)));
    if (!take(name, loaded.state_[i]))
      return invalidInput(fmt::format(
          "loss-scale state of policy '{}' has no '{}'", info().name, name));
  }
  for (size_t i = 0; i != kNumSettings; ++i)
    take(settingName(i), loaded.settings_.values[i]);
  loaded.amaxHistory_.clear();
  for (double amax = 0; take(historyName(loaded.amaxHistory_.size()), amax);)
    loaded.amaxHistory_.push_back(amax);
  if (!left.empty())
    return invalidInput(
        fmt::format("loss-scale state of policy '{}' has an unknown entry '{}'",
                    info().name, left.begin()->first));
  *this = std::move(loaded);
  return {};
}

} // namespace mpc::rt
