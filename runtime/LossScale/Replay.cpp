// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a trace, runs it through a LossScaler and writes one line for each
// entry.
#include "runtime/LossScale/Replay.h"

#include "runtime/LossScale/LossScaler.h"
#include "runtime/Support/Rounding.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

using nlohmann::json;

constexpr std::string_view kSchema = "mpc-loss-scale-trace/1";
constexpr double kInf = std::numeric_limits<double>::infinity();

// --- reading ---------------------------------------------------------------

Result<json> parseJson(std::string_view text) {
  try {
    return json::parse(text);
  } catch (const json::exception &error) {
    return invalidInput(fmt::format("not JSON: {}", error.what()));
  }
}

/// A value in a message: short, and always printable. Lists and objects are not
/// shown, since they may be nested deeper than the stack.
std::string shown(const json &value) {
  if (value.is_array())
    return "a list";
  if (value.is_object())
    return "an object";
  const std::string text =
      value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 60) + "...";
}

/// The member `key` of an object, or null.
const json &member(const json &object, const char *key) {
  static const json kNull;
  auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

Result<double> readNumber(const json &value, std::string_view what) {
  if (value.is_number())
    return value.get<double>();
  if (value.is_string()) {
    const auto &text = value.get_ref<const std::string &>();
    if (text == "inf")
      return kInf;
    if (text == "-inf")
      return -kInf;
    if (text == "nan")
      return std::numeric_limits<double>::quiet_NaN();
  }
  return invalidInput(
      fmt::format("{}: expected a number, found {}", what, shown(value)));
}

/// A config value as a setting: a number, true or false, or Transformer
/// Engine's name of a way to reduce a history.
Result<double> readSetting(const json &value, const std::string &key) {
  if (value.is_boolean())
    return value.get<bool>() ? 1.0 : 0.0;
  if (value == "max")
    return 0.0;
  if (value == "most_recent")
    return 1.0;
  return readNumber(value, key);
}

struct Setup {
  PolicyKind policy;
  std::vector<SettingOverride> overrides;
};

Status readConfig(const json &config, Setup &setup) {
  if (config.is_null())
    return {};
  if (!config.is_object())
    return invalidInput(
        fmt::format("config: expected an object, found {}", shown(config)));
  const bool isKeras = setup.policy == PolicyKind::Keras ||
                       setup.policy == PolicyKind::KerasFixed;
  if (isKeras && member(config, "dynamic") == false)
    setup.policy = PolicyKind::KerasFixed;
  for (const auto &[key, value] : config.items()) {
    if (value.is_null() || (isKeras && key == "dynamic" && value.is_boolean()))
      continue;
    std::optional<Setting> setting = findSetting(policyInfo(setup.policy), key);
    if (!setting)
      return invalidInput(fmt::format("config: policy '{}' has no {}",
                                      policyInfo(setup.policy).name,
                                      shown(key)));
    MPC_ASSIGN_OR_RETURN(double number, readSetting(value, "config." + key));
    setup.overrides.push_back({*setting, number});
  }
  return {};
}

/// The policy and its values before the first entry.
Result<Setup> readSetup(const json &trace, const ReplayOptions &options) {
  const json &name = member(trace, "policy");
  std::optional<PolicyKind> filePolicy;
  if (name.is_string())
    filePolicy = findPolicy(name.get_ref<const std::string &>());
  if (!options.policy && name.is_null())
    return usageError("the trace names no policy: give --policy");
  if (!options.policy && !filePolicy)
    return invalidInput(fmt::format("policy: unknown policy {}; known are {}",
                                    shown(name), knownPolicies()));
  Setup setup{options.policy ? *options.policy : *filePolicy, {}};
  if (filePolicy == setup.policy)
    MPC_RETURN_IF_ERROR(readConfig(member(trace, "config"), setup));
  setup.overrides.insert(setup.overrides.end(), options.overrides.begin(),
                         options.overrides.end());
  const Settings settings = settingsOf(setup.policy, setup.overrides);
  if (std::isnan(settings[Setting::InitScale]))
    return usageError(fmt::format("--init-scale: policy '{}' needs a value",
                                  policyInfo(setup.policy).name));
  return setup;
}

// --- writing ---------------------------------------------------------------

/// The shortest decimal that reads back as the same double; non-finite numbers
/// as strings.
std::string exact(double value) {
  if (std::isnan(value))
    return "\"nan\"";
  if (std::isinf(value))
    return value > 0 ? "\"inf\"" : "\"-inf\"";
  std::string text = fmt::format("{}", value);
  const bool looksInteger = text.find_first_of(".e") == std::string::npos;
  return looksInteger ? text + ".0" : text;
}

std::string count(double value) {
  return std::abs(value) < 0x1p53
             ? fmt::format("{}", static_cast<int64_t>(value))
             : exact(value);
}

std::string truth(bool value) { return value ? "true" : "false"; }

std::string truths(const std::vector<bool> &values) {
  std::string list;
  for (bool value : values)
    list += (list.empty() ? "" : ", ") + truth(value);
  return "[" + list + "]";
}

/// The values that an entry's line shows beside the scaler's state; null unless
/// stepped.
struct Report {
  std::string foundInf = "null";
  std::string applied = "null";
  std::optional<StepOutcome> outcome;
};

/// The policy's own state, for the end of a line.
std::string otherState(const LossScaler &scaler) {
  const PolicyInfo &policy = scaler.info();
  std::string out;
  auto add = [&](std::string_view key, const std::string &value) {
    out += fmt::format(", \"{}\": {}", key, value);
  };
  if (policy.reads(Setting::Hysteresis))
    add("hysteresis", count(scaler.at(StateSlot::Hysteresis)));
  if (policy.kind == PolicyKind::DeepSpeed ||
      policy.kind == PolicyKind::Backoff) {
    add("iter", count(scaler.at(StateSlot::Iteration)));
    add("last_overflow_iter", count(scaler.at(StateSlot::LastOverflow)));
  }
  const double applied = scaler.at(StateSlot::AppliedTotal);
  const double skipped = scaler.at(StateSlot::SkippedTotal);
  if (policy.kind == PolicyKind::Keras3 || policy.iterationsCountSkips)
    add("iterations",
        count(policy.iterationsCountSkips ? applied + skipped : applied));
  if (policy.reads(Setting::Beta1)) {
    add("mu", exact(scaler.at(StateSlot::Mu)));
    add("sigma", exact(scaler.at(StateSlot::Sigma)));
  }
  add("applied_total", count(applied));
  add("skipped_total", count(skipped));
  return out;
}

// --- running ---------------------------------------------------------------

/// The findings of one entry about its gradients.
struct Observed {
  std::vector<bool> foundInf;       ///< One flag for each optimizer.
  std::optional<double> gradMaxAbs; ///< The largest gradient, rounded to f32.

  [[nodiscard]] bool any() const {
    return std::find(foundInf.begin(), foundInf.end(), true) != foundInf.end();
  }
};

/// Calls `read` with each item of a list, or with a value that is no list.
template <typename Read>
Status forEachItem(const json &value, Read read) {
  if (!value.is_array())
    return read(value);
  for (const json &item : value)
    MPC_RETURN_IF_ERROR(read(item));
  return {};
}

/// The largest of grad_max_abs or amax, NaN if one of them is NaN; empty where
/// the entry has neither.
Result<std::optional<double>> readMaxima(const json &entry) {
  const char *key = entry.contains("grad_max_abs") ? "grad_max_abs" : "amax";
  const json &maxima = member(entry, key);
  if (maxima.is_null())
    return std::optional<double>();
  std::optional<double> largest = 0.0;
  MPC_RETURN_IF_ERROR(forEachItem(maxima, [&](const json &item) -> Status {
    MPC_ASSIGN_OR_RETURN(double value, readNumber(item, key));
    value = std::abs(roundToF32(value));
    if (!std::isnan(*largest) && !(value <= *largest))
      largest = value;
    return {};
  }));
  return largest;
}

Result<Observed> observe(const json &entry) {
  Observed seen;
  MPC_ASSIGN_OR_RETURN(seen.gradMaxAbs, readMaxima(entry));
  const bool several = entry["action"] == "multi_step";
  const json &flags = member(entry, "found_inf");
  if (several && (!flags.is_array() || flags.empty()))
    return invalidInput(
        fmt::format("found_inf: expected one flag for each optimizer, found {}",
                    shown(flags)));
  if (!several && flags.is_array())
    return invalidInput("found_inf: a list is for multi_step");
  if (flags.is_null() && !seen.gradMaxAbs)
    return invalidInput("expected found_inf, grad_max_abs or amax");
  if (flags.is_null()) {
    seen.foundInf = {!std::isfinite(*seen.gradMaxAbs)};
    return seen;
  }
  MPC_RETURN_IF_ERROR(forEachItem(flags, [&](const json &flag) -> Status {
    if (!flag.is_boolean())
      return invalidInput(fmt::format(
          "found_inf: expected true or false, found {}", shown(flag)));
    seen.foundInf.push_back(flag.get<bool>());
    return {};
  }));
  return seen;
}

/// The number of times that an entry is repeated.
Result<int64_t> readRepeat(const json &entry) {
  constexpr int64_t kMost = 1'000'000'000;
  const json &repeat = member(entry, "repeat");
  if (repeat.is_null())
    return int64_t{1};
  if (repeat.is_number_integer())
    if (const auto times = repeat.get<int64_t>(); times >= 1 && times <= kMost)
      return times;
  return invalidInput(
      fmt::format("repeat: expected an integer from 1 to {}, found {}", kMost,
                  shown(repeat)));
}

class Replayer {
public:
  Replayer(const Setup &setup, const ReplayOptions &options)
      : options_(options), setup_(setup), scaler_(makeScaler()) {
    result_.policy = setup.policy;
  }

  Status runEntry(const json &entry, size_t index);
  ReplayResult takeResult() { return std::move(result_); }

private:
  LossScaler makeScaler() const {
    return {setup_.policy, settingsOf(setup_.policy, setup_.overrides)};
  }
  Result<Report> act(const json &entry, const std::string &action);
  Result<Report> step(const json &entry);
  StepOutcome stepOnce(const Observed &seen, std::optional<double> newScale);
  Status changeSetting(const json &entry);
  Status load();

  const ReplayOptions &options_;
  const Setup &setup_;
  LossScaler scaler_;
  std::optional<std::map<std::string, double>> saved_;
  ReplayResult result_;
};

Status Replayer::runEntry(const json &entry, size_t index) {
  if (!entry.is_object())
    return invalidInput(
        fmt::format("expected an object, found {}", shown(entry)));
  const json &action = member(entry, "action");
  if (!action.is_string())
    return invalidInput(
        fmt::format("action: expected a string, found {}", shown(action)));
  const auto &name = action.get_ref<const std::string &>();
  MPC_ASSIGN_OR_RETURN(Report report, act(entry, name));

  const json &number = member(entry, "i");
  result_.lines += fmt::format(
      "{{\"i\": {}, \"action\": \"{}\", \"found_inf\": {}, \"applied\": {}, "
      "\"scale\": {}, \"counter\": {}",
      number.is_number_integer() ? number.dump() : std::to_string(index), name,
      report.foundInf, report.applied, exact(scaler_.scale()),
      scaler_.info().hasCounter ? count(scaler_.at(StateSlot::Counter))
                                : "null");
  if (report.outcome && report.outcome->error != ScaleError::None)
    result_.lines +=
        fmt::format(", \"error\": \"{}\"", message(report.outcome->error));
  if (report.outcome)
    result_.lines +=
        fmt::format(", \"inv_scale\": {}", exact(report.outcome->inverseScale));
  result_.lines += otherState(scaler_) + "}\n";
  return {};
}

Result<Report> Replayer::act(const json &entry, const std::string &action) {
  if (action == "step" || action == "multi_step" ||
      action == "step_then_update_scale")
    return step(entry);
  if (action == "update_scale") {
    MPC_ASSIGN_OR_RETURN(double scale,
                         readNumber(member(entry, "new_scale"), "new_scale"));
    scaler_.update(scale);
    return Report{};
  }
  if (action == "save") {
    saved_ = scaler_.save();
    return Report{};
  }
  Status status;
  if (action == "load")
    status = load();
  else if (action == "set")
    status = changeSetting(entry);
  else
    status = invalidInput(fmt::format(
        "unknown action {}; known are step, multi_step, update_scale, "
        "step_then_update_scale, save, load, set",
        shown(action)));
  MPC_RETURN_IF_ERROR(status);
  return Report{};
}

Result<Report> Replayer::step(const json &entry) {
  MPC_ASSIGN_OR_RETURN(const int64_t times, readRepeat(entry));
  MPC_ASSIGN_OR_RETURN(Observed seen, observe(entry));
  std::optional<double> newScale;
  if (entry["action"] == "step_then_update_scale") {
    MPC_ASSIGN_OR_RETURN(newScale,
                         readNumber(member(entry, "new_scale"), "new_scale"));
  }
  const bool several = entry["action"] == "multi_step";
  const bool simulated =
      !several && options_.overflowAbove && seen.gradMaxAbs.has_value();
  if (scaler_.info().needsGradMaxAbs && !seen.gradMaxAbs && !seen.any())
    return invalidInput(fmt::format("policy '{}' needs grad_max_abs or amax",
                                    scaler_.info().name));

  Report report;
  for (int64_t i = 0; i != times; ++i) {
    if (simulated)
      seen.foundInf[0] =
          !(*seen.gradMaxAbs * scaler_.scale() <= *options_.overflowAbove);
    report.outcome = stepOnce(seen, newScale);
  }
  report.foundInf = several ? truths(seen.foundInf) : truth(seen.any());
  std::vector<bool> applied = seen.foundInf;
  for (auto &&flag : applied)
    flag = !flag || appliesNonFinite(scaler_.kind());
  // The scale of an fp8 tensor steps no optimizer.
  if (!scaler_.info().replayOnly)
    report.applied = several ? truths(applied) : truth(applied.front());
  return report;
}

StepOutcome Replayer::stepOnce(const Observed &seen,
                               std::optional<double> newScale) {
  const double before = scaler_.scale();
  const bool found = seen.any();
  const StepOutcome outcome =
      newScale ? scaler_.stepWithNewScale(found, *newScale)
               : scaler_.step(found, seen.gradMaxAbs.value_or(kInf));
  std::vector<ScaleRun> &curve = result_.curve;
  const bool same = !curve.empty() && curve.back().scale == before &&
                    curve.back().skipped == found;
  if (same)
    ++curve.back().steps;
  else
    curve.push_back({before, found, 1});
  return outcome;
}

Status Replayer::changeSetting(const json &entry) {
  const json &field = member(entry, "field");
  std::optional<Setting> setting;
  if (field.is_string())
    setting = findSetting(scaler_.info(), field.get_ref<const std::string &>());
  if (!setting)
    return invalidInput(fmt::format("field: policy '{}' has no setting {}",
                                    scaler_.info().name, shown(field)));
  MPC_ASSIGN_OR_RETURN(double value,
                       readSetting(member(entry, "value"), "value"));
  scaler_.set(*setting, value);
  return {};
}

Status Replayer::load() {
  if (!saved_)
    return invalidInput("load without a save before it");
  scaler_ = makeScaler();
  return scaler_.load(*saved_);
}

} // namespace

Result<ReplayResult> replayTrace(std::string_view text,
                                 const ReplayOptions &options) {
  MPC_ASSIGN_OR_RETURN(json trace, parseJson(text));
  if (!trace.is_object())
    return invalidInput(
        fmt::format("expected a trace object, found {}", shown(trace)));
  const json &schema = member(trace, "schema");
  if (!schema.is_null() && schema != kSchema)
    return invalidInput(fmt::format("schema: expected \"{}\", found {}",
                                    kSchema, shown(schema)));
  const json &steps = member(trace, "steps");
  if (!steps.is_array())
    return invalidInput(
        fmt::format("steps: expected a list, found {}", shown(steps)));
  MPC_ASSIGN_OR_RETURN(Setup setup, readSetup(trace, options));
  Replayer replayer(setup, options);
  for (size_t i = 0; i != steps.size(); ++i)
    if (Status status = replayer.runEntry(steps[i], i); !status.ok())
      return status.withContext(fmt::format("steps[{}]", i));
  return replayer.takeResult();
}

} // namespace mpc::rt
