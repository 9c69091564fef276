// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The decisions of a recipe about the state of its step: the text of clauses
/// of amp.recipe, without numbers that are state themselves. The compiler
/// writes it (mpc::amp::recordOf).
#ifndef MPC_RUNTIME_PROGRAM_RECIPERECORD_H
#define MPC_RUNTIME_PROGRAM_RECIPERECORD_H

#include <map>
#include <string>
#include <string_view>

namespace mpc::rt {

/// The clauses whose name decides which numbers are in the state.
inline constexpr std::string_view kPolicyClause = "loss_scale";
inline constexpr std::string_view kOptimizerClause = "optimizer";
/// The clause whose text decides what the numbers of groups are for.
inline constexpr std::string_view kGroupsClause = "groups";

/// Clauses by name, each with its whole text: "clip" -> "clip<global>".
using Clauses = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] Clauses clausesOf(std::string_view record);

/// "dynamic" for "loss_scale<dynamic>"; empty where there is no such clause.
[[nodiscard]] std::string wordOf(const Clauses &clauses,
                                 std::string_view clause);

/// "clip<global> in place of no clip, ..." for all clauses that differ, by
/// name; empty for none. If one of the two belongs to a step that its module
/// writes out, only clauses that both have are compared.
[[nodiscard]] std::string describeChange(const Clauses &before,
                                         const Clauses &now);

/// Flags and their values, which files had before recipes were recorded.
using OldRule = std::map<std::string, std::string, std::less<>>;
/// The record of such flags. Flags that are no part of a recipe stay in
/// `flags`.
[[nodiscard]] std::string recordOfFlags(OldRule &flags);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_RECIPERECORD_H
