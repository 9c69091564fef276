// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Training rules in checkpoints, and the difference of two.
#include "runtime/Train/TrainingRule.h"

#include "runtime/Support/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <vector>

namespace mpc::rt {
namespace {

constexpr std::string_view kRecipeField = "recipe";
constexpr std::string_view kScheduleField = "schedule";
/// The field with flags, in files before recipes were recorded.
constexpr std::string_view kOldField = "rule";

using Flags = std::map<std::string, std::string, std::less<>>;

Result<Flags> parseFlags(std::string_view field, const std::string &text) {
  Flags flags;
  auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return invalidInput(
        fmt::format("field '{}' is not an object of flags", field));
  for (const auto &[flag, value] : json.items()) {
    if (!value.is_string())
      return invalidInput(
          fmt::format("field '{}': {} is not a text", field, quote(flag)));
    flags[flag] = value.get<std::string>();
  }
  return flags;
}

std::string shown(const std::string &value) {
  return value.empty() ? "none" : escape(value);
}

/// Describes the differences in flags that both have.
std::string describeFlags(const Flags &saved, const Flags &now) {
  std::vector<std::string> texts;
  for (const auto &[flag, value] : now)
    if (auto before = saved.find(flag);
        before != saved.end() && before->second != value)
      texts.push_back(fmt::format("{}={} in place of {}", flag, shown(value),
                                  shown(before->second)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

} // namespace

Metadata toFields(const TrainingRule &rule) {
  if (!rule.isKnown())
    return {};
  std::vector<std::string_view> clauses;
  for (const auto &[name, text] : rule.recipe)
    clauses.push_back(text);
  nlohmann::json schedule = nlohmann::json::object();
  for (const auto &[flag, value] : rule.schedule)
    schedule[flag] = value;
  return {
      {std::string(kRecipeField), fmt::format("{}", fmt::join(clauses, " "))},
      {std::string(kScheduleField),
       schedule.dump(-1, ' ', false,
                     nlohmann::json::error_handler_t::replace)}};
}

Result<TrainingRule> parseTrainingRule(const Metadata &fields) {
  TrainingRule rule;
  if (auto old = fields.find(kOldField); old != fields.end()) {
    MPC_ASSIGN_OR_RETURN(rule.schedule, parseFlags(kOldField, old->second));
    rule.recipe = clausesOf(recordOfFlags(rule.schedule));
    return rule;
  }
  if (auto recipe = fields.find(kRecipeField); recipe != fields.end())
    rule.recipe = clausesOf(recipe->second);
  if (auto schedule = fields.find(kScheduleField); schedule != fields.end()) {
    MPC_ASSIGN_OR_RETURN(rule.schedule,
                         parseFlags(kScheduleField, schedule->second));
  }
  return rule;
}

bool differs(const TrainingRule &saved, const TrainingRule &now,
             std::string_view clause) {
  std::string before = wordOf(saved.recipe, clause);
  std::string after = wordOf(now.recipe, clause);
  return !before.empty() && !after.empty() && before != after;
}

std::string describeChange(const TrainingRule &saved, const TrainingRule &now) {
  std::string recipe = saved.isKnown() && now.isKnown()
                           ? describeChange(saved.recipe, now.recipe)
                           : "";
  std::string schedule = describeFlags(saved.schedule, now.schedule);
  return recipe + (recipe.empty() || schedule.empty() ? "" : ", ") + schedule;
}

} // namespace mpc::rt
