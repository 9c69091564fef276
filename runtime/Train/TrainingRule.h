// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The rule by which a run trains, apart from numbers of the state. Checkpoints
/// record it, and a resume compares it.
#ifndef MPC_RUNTIME_TRAIN_TRAININGRULE_H
#define MPC_RUNTIME_TRAIN_TRAININGRULE_H

#include "runtime/Program/RecipeRecord.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <map>
#include <string>
#include <string_view>

namespace mpc::rt {

struct TrainingRule {
  Clauses recipe; ///< The clauses of the recipe; empty where it is not known.
  /// The schedule of the run, by flag: "--lr-schedule" -> "cosine".
  std::map<std::string, std::string, std::less<>> schedule = {};

  [[nodiscard]] bool isKnown() const { return !recipe.empty(); }
};

/// The rule as fields of a checkpoint: the recipe's text, and the schedule as
/// JSON.
[[nodiscard]] Metadata toFields(const TrainingRule &rule);
/// The rule in a checkpoint's fields, which may have flags in place of a
/// recipe.
Result<TrainingRule> parseTrainingRule(const Metadata &fields);

/// Whether a clause that both rules have names another choice in one of them,
/// as kPolicyClause names a policy.
[[nodiscard]] bool differs(const TrainingRule &saved, const TrainingRule &now,
                           std::string_view clause);
/// "optimizer<adamw> in place of optimizer<adam>, ..." for all differences;
/// empty for none.
[[nodiscard]] std::string describeChange(const TrainingRule &saved,
                                         const TrainingRule &now);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_TRAININGRULE_H
