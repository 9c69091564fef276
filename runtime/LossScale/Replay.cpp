// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a trace, runs it through a LossScaler and writes one line an entry.
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

/// What to call a value in a message: short, whatever it is.
std::string shown(const json &value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() <= 40 ? text : text.substr(0, 40) + "...";
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

/// A config value as a setting: numbers, true and false, and Transformer
/// Engine's names of the ways to reduce a history.
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
      return invalidInput(fmt::format("config: policy '{}' has no '{}'",
                                      policyInfo(setup.policy).name, key));
    MPC_ASSIGN_OR_RETURN(double number, readSetting(value, "config." + key));
    setup.overrides.push_back({*setting, number});
  }
  return {};
}

/// The policy and the values that hold before the first entry.
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

/// What an entry printed beside the scaler's state; null unless stepped.
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

/// What one entry says about its gradients.
struct Observed {
  std::vector<bool> foundInf; ///< One flag an optimizer.
  bool any = false;
  double gradMaxAbs = 0;
};

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
  Result<Report> step(const json &entry, const std::string &action);
  Status changeSetting(const json &entry);
  Status load();
  Result<Observed> observe(const json &entry, bool severalOptimizers);
  Result<std::optional<double>> readMaxima(const json &entry);

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
    return step(entry, action);
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
        "unknown action '{}'; known are step, multi_step, update_scale, "
        "step_then_update_scale, save, load, set",
        action));
  MPC_RETURN_IF_ERROR(status);
  return Report{};
}

Result<Report> Replayer::step(const json &entry, const std::string &action) {
  const json &repeat = member(entry, "repeat");
  if (!repeat.is_null() &&
      (!repeat.is_number_integer() || repeat.get<int64_t>() < 1))
    return invalidInput(fmt::format(
        "repeat: expected an integer of at least 1, found {}", shown(repeat)));
  const int64_t times = repeat.is_null() ? 1 : repeat.get<int64_t>();
  const bool several = action == "multi_step";
  std::optional<double> newScale;
  if (action == "step_then_update_scale") {
    MPC_ASSIGN_OR_RETURN(newScale,
                         readNumber(member(entry, "new_scale"), "new_scale"));
  }

  Report report;
  Observed seen;
  for (int64_t i = 0; i != times; ++i) {
    MPC_ASSIGN_OR_RETURN(seen, observe(entry, several));
    result_.curve.push_back({scaler_.scale(), seen.any});
    report.outcome = newScale ? scaler_.stepWithNewScale(seen.any, *newScale)
                              : scaler_.step(seen.any, seen.gradMaxAbs);
  }
  report.foundInf = several ? truths(seen.foundInf) : truth(seen.any);
  std::vector<bool> applied = seen.foundInf;
  for (auto &&flag : applied)
    flag = !flag || appliesNonFinite(scaler_.kind());
  if (!scaler_.info().replayOnly) // an fp8 tensor's scale steps nothing
    report.applied = several ? truths(applied) : truth(applied.front());
  return report;
}

/// The largest of grad_max_abs or amax, rounded to f32, NaN if one of them is;
/// nothing where the entry has neither.
Result<std::optional<double>> Replayer::readMaxima(const json &entry) {
  const bool hasList = entry.contains("grad_max_abs");
  const char *key = hasList ? "grad_max_abs" : "amax";
  const json &maxima = member(entry, key);
  if (maxima.is_null())
    return std::optional<double>();
  std::optional<double> largest = 0.0;
  for (const json &value : maxima.is_array() ? maxima : json::array({maxima})) {
    MPC_ASSIGN_OR_RETURN(double number, readNumber(value, key));
    number = std::abs(roundToF32(number));
    largest = std::isnan(*largest) || number <= *largest ? *largest : number;
  }
  return largest;
}

Result<Observed> Replayer::observe(const json &entry, bool severalOptimizers) {
  MPC_ASSIGN_OR_RETURN(std::optional<double> largest, readMaxima(entry));
  const json &flags = member(entry, "found_inf");
  Observed seen;
  if (severalOptimizers && (!flags.is_array() || flags.empty()))
    return invalidInput(fmt::format(
        "found_inf: expected one flag an optimizer, found {}", shown(flags)));
  if (!severalOptimizers && flags.is_null() && !largest)
    return invalidInput("expected found_inf, grad_max_abs or amax");
  for (const json &flag : flags.is_array() ? flags : json::array({flags})) {
    const bool derived = flag.is_null() && largest && !severalOptimizers;
    if (!flag.is_boolean() && !derived)
      return invalidInput(fmt::format(
          "found_inf: expected true or false, found {}", shown(flag)));
    seen.foundInf.push_back(derived ? !std::isfinite(*largest)
                                    : flag.get<bool>());
  }
  if (!severalOptimizers && seen.foundInf.size() != 1)
    return invalidInput("found_inf: a list is for multi_step");
  if (largest && options_.overflowAbove && !severalOptimizers)
    seen.foundInf[0] = !(*largest * scaler_.scale() <= *options_.overflowAbove);
  seen.any = std::find(seen.foundInf.begin(), seen.foundInf.end(), true) !=
             seen.foundInf.end();
  if (!largest && !seen.any && scaler_.info().needsGradMaxAbs)
    return invalidInput(fmt::format("policy '{}' needs grad_max_abs or amax",
                                    scaler_.info().name));
  seen.gradMaxAbs = largest.value_or(kInf);
  return seen;
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
