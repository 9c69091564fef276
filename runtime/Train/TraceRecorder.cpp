// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traces of the schema mpc-loss-scale-trace/1 (runtime/LossScale/Replay.h).
#include "runtime/Train/TraceRecorder.h"

#include "runtime/Support/File.h"
#include "runtime/Support/Output.h"
#include "runtime/Support/Text.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace mpc::rt {
namespace {

constexpr std::string_view kSchema = "mpc-loss-scale-trace/1";

/// Numbers that JSON lacks are strings in a trace.
std::string number(double value) {
  std::string text = shortestDecimal(value);
  return std::isfinite(value) ? text : "\"" + text + "\"";
}

double numberOf(const nlohmann::json &value) {
  if (value.is_number())
    return value.get<double>();
  return value == "inf" ? HUGE_VAL : value == "-inf" ? -HUGE_VAL : std::nan("");
}

double numberOr(const Runner &runner, std::string_view name, double other) {
  Result<double> value = runner.readNumber(name);
  return value.ok() ? *value : other;
}

/// Whether a file's entry is one that this class writes.
bool isEntry(const nlohmann::json &entry) {
  return entry.is_object() && entry.contains("step") &&
         entry["step"].is_number_integer() && entry.contains("action");
}

} // namespace

Status TraceRecorder::check(const TrainingRule &rule) {
  if (path_.empty())
    return {};
  std::optional<PolicyKind> policy =
      findPolicy(wordOf(rule.recipe, kPolicyClause));
  if (!policy)
    return usageError("--record: the module writes its step out, and does not "
                      "say by which policy its scale changes");
  if (policyInfo(*policy).needsGradMaxAbs)
    return usageError(fmt::format("--record: policy '{}' needs the largest "
                                  "gradient, which a step does not yield",
                                  policyInfo(*policy).name));
  policy_ = *policy;
  return checkOutput(path_);
}

TraceRecorder::Numbers TraceRecorder::readSettings(const Runner &runner) const {
  Numbers numbers;
  for (size_t i = 0; i != kNumSettings; ++i) {
    auto setting = static_cast<Setting>(i);
    if (!policyInfo(policy_).reads(setting))
      continue;
    Result<double> value = runner.readNumber(settingKey(setting));
    if (value.ok())
      numbers[std::string(settingKey(setting))] = *value;
  }
  return numbers;
}

Status TraceRecorder::open(const Runner &runner) {
  config_ = settings_ = readSettings(runner);
  scale_ = numberOr(runner, "scale", 1);
  return {};
}

void TraceRecorder::push(int64_t step, std::string fields) {
  entries_.push_back({step, std::move(fields)});
}

Status TraceRecorder::afterTry(Training &training, const StepOutcome &tried) {
  if (path_.empty())
    return {};
  const Runner &runner = training.runner();
  scale_ = numberOr(runner, "scale", 1);
  std::string counter = policyInfo(policy_).hasCounter
                            ? number(numberOr(runner, "counter", 0))
                            : "null";
  push(tried.step,
       fmt::format("\"action\": \"step\", \"found_inf\": {}, \"applied\": {}, "
                   "\"scale_before\": {}, \"scale_after\": {}, "
                   "\"counter_after\": {}",
                   tried.foundInf, !tried.skipped,
                   number(tried.scale.value_or(1)), number(scale_), counter));
  return {};
}

/// Reads the file's entries before `step`, and their effect.
Status TraceRecorder::readBack(int64_t step) {
  MPC_ASSIGN_OR_RETURN(std::string text, readInput(path_));
  auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  auto schema = json.is_object() ? json.value("schema", nlohmann::json())
                                 : nlohmann::json();
  if (schema != kSchema || !json["steps"].is_array() ||
      !json["config"].is_object())
    return invalidInput("is not a trace of a training");
  for (const auto &[key, value] : json["config"].items())
    config_[key] = numberOf(value);
  settings_ = config_;
  int64_t next = 0;
  for (nlohmann::json entry : json["steps"]) {
    if (!isEntry(entry) || entry["step"] >= step)
      break;
    auto at = entry["step"].get<int64_t>();
    next = at + 1;
    if (entry["action"] == "set")
      settings_[entry.value("field", "")] = numberOf(entry["value"]);
    else
      scale_ = numberOf(
          entry[entry["action"] == "step" ? "scale_after" : "new_scale"]);
    entry.erase("i");
    entry.erase("step");
    std::string fields = entry.dump();
    push(at, fields.substr(1, fields.size() - 2));
  }
  if (next < step)
    return invalidInput(
        fmt::format("ends before step {}, from which the run goes on", step));
  return {};
}

Status TraceRecorder::resume(const Runner &runner, int64_t step) {
  if (path_.empty())
    return {};
  MPC_ASSIGN_OR_RETURN(OutputPlace place, OutputPlace::find(path_));
  if (!place.isFile() || ::access(path_.c_str(), F_OK) != 0)
    return usageError("--record: " + escape(path_) +
                      ": there is no trace of the steps before to go on with");
  MPC_RETURN_IF_ERROR(readBack(step).withContext(escape(path_)));
  for (const auto &[key, value] : readSettings(runner))
    if (settings_[key] != value) {
      settings_[key] = value;
      push(step, fmt::format("\"action\": \"set\", \"field\": \"{}\", "
                             "\"value\": {}",
                             key, number(value)));
    }
  if (double now = numberOr(runner, "scale", 1); now != scale_) {
    scale_ = now;
    push(step, fmt::format("\"action\": \"update_scale\", \"new_scale\": {}",
                           number(now)));
  }
  return {};
}

std::string TraceRecorder::toJson() const {
  std::string text =
      fmt::format("{{\n  \"schema\": \"{}\",\n  \"policy\": \"{}\",\n  "
                  "\"config\": {{",
                  kSchema, policyInfo(policy_).name);
  const char *comma = "";
  for (const auto &[key, value] : config_) {
    text += fmt::format("{}\"{}\": {}", comma, key, number(value));
    comma = ", ";
  }
  text += "},\n  \"steps\": [";
  comma = "";
  for (size_t i = 0; i < entries_.size(); ++i) {
    text += fmt::format("{}\n    {{\"i\": {}, \"step\": {}, {}}}", comma, i,
                        entries_[i].step, entries_[i].fields);
    comma = ",";
  }
  return text + "\n  ]\n}\n";
}

Status TraceRecorder::afterSave() {
  if (path_.empty())
    return {};
  MPC_ASSIGN_OR_RETURN(OutputPlace place, OutputPlace::find(path_));
  return place.isFile() ? write() : Status();
}

Status TraceRecorder::write() const {
  return path_.empty() ? Status() : writeOutput(path_, toJson());
}

} // namespace mpc::rt
