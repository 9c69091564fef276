// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// By what rule a run trains, as far as it is no number of the state: what a
/// checkpoint says of it, and what a resume makes of a difference.
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
  Clauses recipe; ///< Empty where nothing is known.
  /// What a run is told beside, by flag: "--lr-schedule" -> "cosine".
  std::map<std::string, std::string, std::less<>> schedule = {};

  [[nodiscard]] bool isKnown() const { return !recipe.empty(); }
};

/// Fields of a checkpoint: the recipe's text, and the schedule as JSON.
[[nodiscard]] Metadata toFields(const TrainingRule &rule);
/// Of a checkpoint's fields, also of one that has flags in place of a recipe.
Result<TrainingRule> parseTrainingRule(const Metadata &fields);

/// Whether the word of a clause that both have is another: that of
/// kPolicyClause.
[[nodiscard]] bool differs(const TrainingRule &saved, const TrainingRule &now,
                           std::string_view clause);
/// "optimizer<adamw> in place of optimizer<adam>, ..." for all that differ;
/// empty for none.
[[nodiscard]] std::string describeChange(const TrainingRule &saved,
                                         const TrainingRule &now);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_TRAININGRULE_H
