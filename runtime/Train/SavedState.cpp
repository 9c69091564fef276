// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which numbers of a checkpoint hold for this run.
#include "runtime/Train/SavedState.h"

#include "runtime/LossScale/PolicyInfo.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mpc::rt {
namespace {

bool isNumber(StateRole role) {
  return role == StateRole::LossScale || role == StateRole::Hyperparameters;
}

/// Of a tensor that a program does not have.
bool isNumber(std::string_view name) {
  return name.starts_with(kHyperPrefix) || name.starts_with(kScalerName);
}

/// "amp.hyper.critic.growth_interval" is a policy's, "amp.hyper.beta1" not.
bool isSetting(std::string_view name) {
  name.remove_prefix(name.rfind('.') + 1);
  for (size_t i = 0; i != kNumSettings; ++i)
    if (settingKey(static_cast<Setting>(i)) == name)
      return true;
  return false;
}

class Fitting {
public:
  Fitting(const Runner &runner, const TrainingRule &before,
          const TrainingRule &now)
      : runner_(runner), newPolicy_(differs(before, now, kPolicyClause)),
        newOptimizer_(differs(before, now, kOptimizerClause)) {}

  Result<SavedState> run(std::span<const TensorView> saved) {
    std::map<std::string_view, const TensorView *> byName;
    for (const TensorView &view : saved)
      byName[view.desc.name] = &view;
    MPC_ASSIGN_OR_RETURN(std::vector<TensorView> present,
                         runner_.exportState());
    for (const TensorView &own : present) {
      auto it = byName.find(own.desc.name);
      const TensorView *given = it == byName.end() ? nullptr : it->second;
      choose(own, given);
      if (given)
        byName.erase(it);
    }
    for (const auto &[name, view] : byName)
      drop(*view);
    tell();
    return std::move(state_);
  }

private:
  bool beginsAnew(const StateTensor &tensor) const {
    if (tensor.role == StateRole::LossScale)
      return newPolicy_;
    return isSetting(tensor.desc.name) ? newPolicy_ : newOptimizer_;
  }

  void choose(const TensorView &own, const TensorView *given) {
    const StateTensor &tensor = *runner_.program().findState(own.desc.name);
    bool isOwn = isNumber(tensor.role) && (!given || beginsAnew(tensor));
    if (isOwn)
      state_.tensors.push_back(own);
    else if (given)
      state_.tensors.push_back(*given);
    if (isOwn && tensor.role == StateRole::LossScale)
      scalesAnew_ = true;
    else if (isOwn && !given)
      added_.push_back(shortName(own.desc.name));
  }

  void drop(const TensorView &view) {
    if (!isNumber(view.desc.name))
      state_.tensors.push_back(view); // Is refused by name.
    else
      dropped_.push_back(shortName(view.desc.name));
  }

  static std::string shortName(std::string_view name) {
    for (std::string_view prefix : {kHyperPrefix, std::string_view("amp.")})
      if (name.starts_with(prefix))
        return quote(name.substr(prefix.size()));
    return quote(name);
  }

  void tell() {
    auto add = [&](const char *what, const std::vector<std::string> &names) {
      if (!names.empty())
        state_.changes.push_back(fmt::format("{}: {}", what, joinSome(names)));
    };
    if (scalesAnew_)
      if (Result<double> scale = runner_.readNumber("scale"); scale.ok())
        state_.changes.push_back(fmt::format(
            "the loss scale begins anew, at {}", shortestDecimal(*scale)));
    add("numbers that it lacks are this run's", added_);
    add("numbers that this run has no use for are dropped", dropped_);
  }

  const Runner &runner_;
  const bool newPolicy_, newOptimizer_;
  bool scalesAnew_ = false;
  std::vector<std::string> added_, dropped_;
  SavedState state_;
};

} // namespace

Result<SavedState> fitState(const Runner &runner,
                            std::span<const TensorView> saved,
                            const TrainingRule &before,
                            const TrainingRule &now) {
  return Fitting(runner, before, now).run(saved);
}

} // namespace mpc::rt
