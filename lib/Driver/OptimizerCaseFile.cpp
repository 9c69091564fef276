// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the keys of a case mean.
#include "lib/Driver/OptimizerCaseFile.h"

#include "dialects/AMP/Optimizers.h"
#include "lib/Driver/Patterns.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/Text.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <optional>

using namespace mpc;
using nlohmann::json;

static rt::Status missing(const std::string &what) {
  return rt::invalidInput("has no " + what);
}

/// A number, or one of the strings that stand for those JSON lacks.
static std::optional<double> toNumber(const json &value) {
  if (value.is_number())
    return value.get<double>();
  if (!value.is_string())
    return std::nullopt;
  std::string text = value.get<std::string>();
  if (text == "inf" || text == "-inf")
    return text == "inf" ? HUGE_VAL : -HUGE_VAL;
  if (text == "nan")
    return std::nan("");
  return std::nullopt;
}

json mpc::toCaseNumber(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

static bool isList(const json &entry, const char *key, int64_t size) {
  return entry.is_object() && entry.contains(key) && entry[key].is_array() &&
         static_cast<int64_t>(entry[key].size()) == size;
}

/// The elements of `entry` by their bits.
static rt::Status readBits(const json &entry, const rt::TensorDesc &desc,
                           void *target) {
  if (!isList(entry, "bits", desc.numElements()))
    return rt::invalidInput("needs a list 'bits' with one entry an element");
  size_t bytes = rt::byteSize(desc.dtype);
  auto *out = static_cast<unsigned char *>(target);
  for (const json &bits : entry["bits"]) {
    if (!bits.is_string())
      return rt::invalidInput("has 'bits' that are no strings of hexadecimal "
                              "digits");
    std::string digits = bits.get<std::string>();
    uint64_t word = std::strtoull(digits.c_str(), nullptr, 16);
    std::memcpy(out, &word, bytes); // Little-endian, as kernels are.
    out += bytes;
  }
  return {};
}

/// The elements of `entry` by their values, which round to the tensor's type.
static rt::Status readValues(const json &entry, const rt::TensorDesc &desc,
                             void *target) {
  if (!isList(entry, "values", desc.numElements()))
    return rt::invalidInput("needs a list 'bits' or 'values' with one entry an "
                            "element");
  std::vector<double> numbers;
  for (const json &value : entry["values"]) {
    std::optional<double> number = toNumber(value);
    if (!number)
      return rt::invalidInput("has a value that is no number");
    numbers.push_back(*number);
  }
  if (rt::convert(numbers.data(), rt::DType::F64, target, desc.dtype,
                  desc.numElements()))
    return rt::invalidInput("has a value that its type lacks");
  return {};
}

/// A null is no gradient, and neither is what is not there.
static bool hasGradient(const json &gradients, const std::string &name) {
  auto gradient = gradients.find(name);
  return gradient != gradients.end() && !gradient->is_null();
}

rt::Status mpc::readCaseGradient(const json &gradients,
                                 const rt::TensorDesc &desc, int64_t batch,
                                 void *target) {
  const std::string prefix = "grad.";
  std::string name = desc.name.substr(prefix.size());
  if (!hasGradient(gradients, name)) {
    std::memset(target, 0, desc.numBytes());
    return {};
  }
  const json *entry = &gradients[name];
  if (entry->is_array()) {
    if (batch < 0 || batch >= static_cast<int64_t>(entry->size()))
      return rt::invalidInput("gradient " + rt::quote(name) +
                              " has another number of batches");
    entry = &(*entry)[batch];
  }
  rt::Status status = entry->is_object() && entry->contains("bits")
                          ? readBits(*entry, desc, target)
                          : readValues(*entry, desc, target);
  if (!status.ok())
    return rt::invalidInput("gradient " + rt::quote(name) + " " +
                            status.message());
  return {};
}

//===----------------------------------------------------------------------===//
// The case
//===----------------------------------------------------------------------===//

static rt::Status readParameters(const json &root, OptimizerCase &result) {
  auto list = root.find("init_params");
  if (list == root.end() || !list->is_array() || list->empty())
    return missing("list 'init_params'");
  for (const json &entry : *list) {
    if (!entry.is_object() || !entry.contains("name") ||
        !entry["name"].is_string() || !entry.contains("shape") ||
        !entry["shape"].is_array() || !entry.contains("values") ||
        !entry["values"].is_array())
      return rt::invalidInput("init_params: an entry needs name, shape and "
                              "values");
    CaseParameter parameter;
    parameter.name = entry["name"].get<std::string>();
    int64_t count = 1;
    for (const json &dim : entry["shape"]) {
      if (!dim.is_number_integer() || dim.get<int64_t>() < 0 ||
          dim.get<int64_t>() > (1 << 24))
        return rt::invalidInput("init_params '" + parameter.name +
                                "': a dimension is no size");
      parameter.shape.push_back(dim.get<int64_t>());
      count = std::min<int64_t>(count * dim.get<int64_t>(), int64_t{1} << 32);
    }
    for (const json &value : entry["values"]) {
      std::optional<double> number = toNumber(value);
      if (!number)
        return rt::invalidInput("init_params '" + parameter.name +
                                "': a value is no number");
      parameter.values.push_back(static_cast<float>(*number));
    }
    if (static_cast<int64_t>(parameter.values.size()) != count)
      return rt::invalidInput("init_params '" + parameter.name + "': has " +
                              std::to_string(parameter.values.size()) +
                              " values for its shape");
    result.parameters.push_back(std::move(parameter));
  }
  return {};
}

static void addHyper(OptimizerCase &result, const std::string &name,
                     double value) {
  result.options.hyper.push_back(name + "=" + rt::shortestDecimal(value));
}

/// The file's name for a hyper-parameter in ours.
static std::string hyperName(const std::string &name) {
  if (name == "b1" || name == "beta_1")
    return "beta1";
  if (name == "b2" || name == "beta_2")
    return "beta2";
  return name == "epsilon" ? "eps" : name;
}

static rt::Status readOptimizer(const json &root, OptimizerCase &result) {
  auto section = root.find("optimizer");
  if (section == root.end() || !section->is_object() ||
      !section->contains("name") || !(*section)["name"].is_string())
    return missing("object 'optimizer' with a name");
  std::string name = (*section)["name"].get<std::string>();
  std::string system;
  if (root.contains("reference") && root["reference"].is_object())
    system = root["reference"].value("system", "");
  if (system.rfind("keras", 0) == 0 && name.rfind("keras", 0) != 0)
    name = "keras-" + name;
  const amp::Optimizer *optimizer = amp::findOptimizer(name);
  if (!optimizer)
    return rt::invalidInput("optimizer " + rt::quote(name) +
                            " is unknown; known are " + amp::knownOptimizers());
  result.options.optimizer = name;
  if (system.rfind("torch", 0) == 0)
    result.options.clipNormOrder = "torch";
  for (const auto &[key, value] : section->items()) {
    if (key == "name")
      continue;
    if (value.is_boolean()) {
      if (value.get<bool>())
        result.options.flags.push_back(key);
      continue;
    }
    if (key == "betas" && value.is_array() && value.size() == 2) {
      addHyper(result, "beta1", toNumber(value[0]).value_or(0.9));
      addHyper(result, "beta2", toNumber(value[1]).value_or(0.999));
      continue;
    }
    std::optional<double> number = toNumber(value);
    if (!number) {
      if (value.is_null())
        continue;
      return rt::invalidInput("optimizer: '" + key + "' is no number");
    }
    if (key == "lr" || key == "learning_rate") {
      result.lr = *number;
    } else if (key == "eps_root") {
      if (*number != 0.0)
        return rt::invalidInput("optimizer: 'eps_root' other than 0 is not "
                                "known");
    } else {
      addHyper(result, hyperName(key), *number);
      if (key == "momentum" && *number != 0.0)
        result.options.flags.push_back("momentum");
    }
  }
  return {};
}

static rt::Status readScaler(const json &root, OptimizerCase &result) {
  auto section = root.find("scaler");
  json scaler = section == root.end() ? json::object() : *section;
  if (!scaler.is_object())
    return rt::invalidInput("'scaler' is no object");
  std::string name = "torch";
  if (scaler.contains("policy") && scaler["policy"].is_string())
    name = scaler["policy"].get<std::string>();
  if (scaler.contains("enabled") && scaler["enabled"].is_boolean() &&
      !scaler["enabled"].get<bool>())
    name = "none";
  MPC_ASSIGN_OR_RETURN(result.policy, rt::parsePolicy("scaler.policy", name));
  const rt::PolicyInfo &info = rt::policyInfo(result.policy);
  std::vector<rt::SettingOverride> overrides;
  for (const auto &[key, value] : scaler.items()) {
    std::optional<double> number = toNumber(value);
    std::optional<rt::Setting> setting = rt::findSetting(info, key);
    if (number && setting && info.reads(*setting))
      overrides.push_back({*setting, *number});
  }
  rt::Settings settings = rt::settingsOf(result.policy, overrides);
  result.options.policy = std::string(info.name);
  for (size_t i = 0; i < rt::kNumSettings; ++i) {
    auto setting = static_cast<rt::Setting>(i);
    if (info.reads(setting))
      result.options.settings.push_back(std::string(rt::settingKey(setting)) +
                                        "=" +
                                        rt::shortestDecimal(settings[setting]));
  }
  return {};
}

/// A number of an object; 0 where there is none.
static double numberOr0(const json &object, const char *key) {
  return object.contains(key) ? toNumber(object[key]).value_or(0.0) : 0.0;
}

/// Our name of the type that `key` of the case names, or of `otherwise`.
static rt::Result<std::string> readFloatType(const json &root, const char *key,
                                             const char *otherwise) {
  json value = root.value(key, json(otherwise));
  std::string name = value.is_string() ? value.get<std::string>() : "";
  for (auto [known, ours] :
       {std::pair("float16", "f16"), std::pair("bfloat16", "bf16"),
        std::pair("float32", "f32")})
    if (name == known)
      return std::string(ours);
  return rt::invalidInput(std::string(key) + " " + rt::quote(name) +
                          " is none of float16, bfloat16, float32");
}

/// What the recorded systems do not have, or not in their step.
static rt::Status readExtras(const json &root, OptimizerCase &result) {
  TrainingOptions &options = result.options;
  options.l1 = numberOr0(root, "l1");
  options.l2 =
      numberOr0(root, "l2") + numberOr0(root, "fp32_l2_regularizer_lambda");
  options.ema = numberOr0(root, "ema_decay");
  json masters = root.value("master_weights", json(true));
  if (!masters.is_boolean())
    return rt::invalidInput("'master_weights' is neither true nor false");
  options.masterWeights = masters.get<bool>();
  json seed = root.value("rounding_seed", json(0u));
  if (!seed.is_number_unsigned())
    return rt::invalidInput("'rounding_seed' is no whole number of 0 or more");
  options.roundingSeed = seed.get<uint64_t>();
  MPC_ASSIGN_OR_RETURN(options.slotType,
                       readFloatType(root, "slot_dtype", "float32"));
  json undecayed = root.value("no_decay", json::array());
  if (!undecayed.is_array() ||
      !llvm::all_of(undecayed, std::mem_fn(&json::is_string)))
    return rt::invalidInput("'no_decay' is no list of names");
  for (const json &name : undecayed)
    options.noDecay.push_back(exactPattern(name.get<std::string>()));
  if (!root.contains("larc") || root["larc"].is_null())
    return {};
  const json &larc = root["larc"];
  if (!larc.is_object() || !larc.contains("mode") || !larc["mode"].is_string())
    return rt::invalidInput("'larc' needs a mode: clip, scale, apex-clip or "
                            "apex-scale");
  options.larc = LarcOptions::of(larc["mode"].get<std::string>());
  for (auto [key, value] : {std::pair("eta", &options.larc.eta),
                            std::pair("min_update", &options.larc.minUpdate),
                            std::pair("eps", &options.larc.eps)})
    if (larc.contains(key))
      *value = numberOr0(larc, key);
  return {};
}

static rt::Status readClip(const json &root, OptimizerCase &result) {
  auto number = numberOr0;
  TrainingOptions &options = result.options;
  options.clipGlobalNorm = number(root, "clip_global_norm");
  if (root.contains("clip") && root["clip"].is_object()) {
    const json &clip = root["clip"];
    options.clipGlobalNorm += number(clip, "global_clipnorm");
    options.clipNorm = number(clip, "clipnorm");
    options.clipValue = number(clip, "clipvalue");
  }
  options.clipScaled = root.contains("clip_before_unscale") &&
                       root["clip_before_unscale"].is_boolean() &&
                       root["clip_before_unscale"].get<bool>();
  return {};
}

/// Parameters that never have a gradient are left out; those that have one in
/// the same steps share a step count, as they do in PyTorch.
static void addSets(OptimizerCase &result) {
  std::map<std::vector<bool>, std::string> sets;
  for (const CaseParameter &parameter : result.parameters) {
    if (!parameter.isEverPresent()) {
      result.options.noGradient.push_back(exactPattern(parameter.name));
    } else if (!parameter.isAlwaysPresent()) {
      std::string &set = sets[parameter.present];
      set += (set.empty() ? "" : "|") + exactPattern(parameter.name);
    }
  }
  for (const auto &[present, pattern] : sets) {
    result.options.gradientSets.push_back(pattern);
    result.present.push_back(present);
  }
}

static rt::Status readSteps(const json &root, OptimizerCase &result) {
  if (!root.contains("steps") || !root["steps"].is_array())
    return missing("list 'steps'");
  result.steps = root["steps"];
  for (const json &step : result.steps) {
    if (!step.is_object() || !step.contains("scaled_grads") ||
        !step["scaled_grads"].is_object())
      return rt::invalidInput("a step has no 'scaled_grads'");
    for (CaseParameter &parameter : result.parameters)
      parameter.present.push_back(
          hasGradient(step["scaled_grads"], parameter.name));
  }
  addSets(result);
  return {};
}

rt::Result<OptimizerCase> mpc::readOptimizerCase(std::string_view text) {
  json root = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded() || !root.is_object())
    return rt::invalidInput("is no JSON object");
  OptimizerCase result;
  MPC_RETURN_IF_ERROR(readParameters(root, result));
  MPC_RETURN_IF_ERROR(readOptimizer(root, result));
  MPC_RETURN_IF_ERROR(readScaler(root, result));
  MPC_RETURN_IF_ERROR(readClip(root, result));
  MPC_RETURN_IF_ERROR(readExtras(root, result));
  MPC_RETURN_IF_ERROR(readSteps(root, result));
  MPC_ASSIGN_OR_RETURN(result.options.gradientType,
                       readFloatType(root, "low_dtype", "float16"));
  if (root.contains("accumulate") && root["accumulate"].is_number_integer())
    result.options.accumulate = root["accumulate"].get<int64_t>();
  if (result.options.accumulate < 1 || result.options.accumulate > 1024)
    return rt::invalidInput("'accumulate' is no number of batches");
  return result;
}
