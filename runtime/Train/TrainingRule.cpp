// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Training rules as JSON, and how two of them differ.
#include "runtime/Train/TrainingRule.h"

#include "runtime/Support/Text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

std::string shown(const std::string &value) {
  return value.empty() ? "none" : escape(value);
}

} // namespace

std::string toJson(const TrainingRule &rule) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto &[flag, value] : rule)
    json[flag] = value;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<TrainingRule> parseTrainingRule(std::string_view text) {
  TrainingRule rule;
  auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return invalidInput("field 'rule' is no object of flags");
  for (const auto &[flag, value] : json.items()) {
    if (!value.is_string())
      return invalidInput("field 'rule': " + quote(flag) + " is no text");
    rule[flag] = value.get<std::string>();
  }
  return rule;
}

bool differs(const TrainingRule &saved, const TrainingRule &now,
             std::string_view flag) {
  auto before = saved.find(flag), after = now.find(flag);
  return before != saved.end() && after != now.end() &&
         before->second != after->second;
}

std::string describeChange(const TrainingRule &saved, const TrainingRule &now) {
  std::string text;
  for (const auto &[flag, value] : now)
    if (differs(saved, now, flag))
      text += fmt::format("{}{}={} in place of {}", text.empty() ? "" : ", ",
                          flag, shown(value), shown(saved.find(flag)->second));
  return text;
}

} // namespace mpc::rt
