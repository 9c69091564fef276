// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a recipe decides about the state of its step: text of clauses of
/// amp.recipe, without numbers that are state themselves. The compiler writes
/// it (mpc::amp::recordOf).
#ifndef MPC_RUNTIME_PROGRAM_RECIPERECORD_H
#define MPC_RUNTIME_PROGRAM_RECIPERECORD_H

#include <map>
#include <string>
#include <string_view>

namespace mpc::rt {

/// The clauses whose word decides whose numbers are in the state.
inline constexpr std::string_view kPolicyClause = "loss_scale";
inline constexpr std::string_view kOptimizerClause = "optimizer";

/// Clauses by name, each with its whole text: "clip" -> "clip<global>".
using Clauses = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] Clauses clausesOf(std::string_view record);

/// "dynamic" of "loss_scale<dynamic>"; empty where there is no such clause.
[[nodiscard]] std::string wordOf(const Clauses &clauses,
                                 std::string_view clause);

/// "clip<global> in place of no clip, ..." for all clauses that differ, by
/// name; empty for none. Where one of both is of a step that its module writes
/// out, only clauses that both have count.
[[nodiscard]] std::string describeChange(const Clauses &before,
                                         const Clauses &now);

/// Flags, as files before recipes were recorded have them.
using OldRule = std::map<std::string, std::string, std::less<>>;
/// The record of such flags. Those that are no part of a recipe stay in
/// `flags`.
[[nodiscard]] std::string recordOfFlags(OldRule &flags);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_RECIPERECORD_H
