// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which numbers of a checkpoint are used in this run.
#include "runtime/Train/SavedState.h"

#include "runtime/LossScale/ScalarState.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace mpc::rt {
namespace {

bool isNumber(StateRole role) {
  return role == StateRole::LossScale || role == StateRole::Setting ||
         role == StateRole::Hyperparameters;
}

/// The name in messages of a number that the user sets, or of a loss scaler.
std::string shown(const TensorRecord &tensor) {
  if (tensor.role != StateRole::LossScale)
    return quote(numberName(tensor.owner, tensor.key));
  std::string kind(rt::name(tensor.role));
  return quote(tensor.owner.empty() ? kind : kind + "." + tensor.owner);
}

/// The clause with the groups of parameters; empty where there is none.
std::string groupsOf(const TrainingRule &rule) {
  auto found = rule.recipe.find(kGroupsClause);
  return found == rule.recipe.end() ? "" : found->second;
}

class Fitting {
public:
  Fitting(const Runner &runner, const StateRecord &record,
          const TrainingRule &before, const TrainingRule &now)
      : runner_(runner), record_(record),
        newPolicy_(differs(before, now, kPolicyClause)),
        newOptimizer_(differs(before, now, kOptimizerClause)),
        newGroups_(groupsOf(before) != groupsOf(now)) {}

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
    if (tensor.role != StateRole::Hyperparameters)
      return newPolicy_;
    return newOptimizer_ || (newGroups_ && isGroupKey(tensor.key));
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
      added_.push_back(shown({tensor.role, tensor.owner, tensor.key}));
  }

  void drop(const TensorView &view) {
    auto tensor = record_.find(view.desc.name);
    if (tensor == record_.end() || !isNumber(tensor->second.role))
      state_.tensors.push_back(view); // The import will refuse it by name.
    else
      dropped_.push_back(shown(tensor->second));
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
    add("numbers that it lacks have this run's values", added_);
    add("numbers that this run has no use for are dropped", dropped_);
  }

  const Runner &runner_;
  const StateRecord &record_;
  const bool newPolicy_, newOptimizer_, newGroups_;
  bool scalesAnew_ = false;
  std::vector<std::string> added_, dropped_;
  SavedState state_;
};

} // namespace

Result<SavedState> fitState(const Runner &runner,
                            std::span<const TensorView> saved,
                            const StateRecord &record,
                            const TrainingRule &before,
                            const TrainingRule &now) {
  return Fitting(runner, record, before, now).run(saved);
}

} // namespace mpc::rt
