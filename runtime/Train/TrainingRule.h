// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// By what rule a run trains, as far as it is no number of the state: what a
/// checkpoint says of it, and what a resume makes of a difference.
#ifndef MPC_RUNTIME_TRAIN_TRAININGRULE_H
#define MPC_RUNTIME_TRAIN_TRAININGRULE_H

#include "runtime/Support/Status.h"

#include <map>
#include <string>
#include <string_view>

namespace mpc::rt {

/// Flags that decide what is done with the state, with what they are set to,
/// given or not: "--optimizer" -> "adamw". Empty where nothing is known.
using TrainingRule = std::map<std::string, std::string, std::less<>>;

/// The flags that decide whose numbers are in the state.
inline constexpr std::string_view kPolicyFlag = "--loss-scale";
inline constexpr std::string_view kOptimizerFlag = "--optimizer";

[[nodiscard]] std::string toJson(const TrainingRule &rule);
Result<TrainingRule> parseTrainingRule(std::string_view json);

/// Of a flag that both know, whether they differ in it.
[[nodiscard]] bool differs(const TrainingRule &saved, const TrainingRule &now,
                           std::string_view flag);
/// "--optimizer=adamw in place of adam, ..." for all that differ; empty for
/// none. What is set to nothing is called "none".
[[nodiscard]] std::string describeChange(const TrainingRule &saved,
                                         const TrainingRule &now);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_TRAININGRULE_H
