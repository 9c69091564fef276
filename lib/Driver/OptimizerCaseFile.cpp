// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the keys of a case.
#include "lib/Driver/OptimizerCaseFile.h"

#include "dialects/NN/EntryNames.h"
#include "lib/Driver/Patterns.h"
#include "mlir/IR/Builders.h"
#include "runtime/LossScale/ScalarState.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/Text.h"

#include <array>
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

/// A number, or one of the strings for numbers that JSON lacks.
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

/// Reads the elements of `entry` from their bits.
static rt::Status readBits(const json &entry, const rt::TensorDesc &desc,
                           void *target) {
  if (!isList(entry, "bits", desc.numElements()))
    return rt::invalidInput("needs a list 'bits' with one entry an element");
  size_t bytes = rt::byteSize(desc.dtype);
  auto *out = static_cast<unsigned char *>(target);
  for (const json &bits : entry["bits"]) {
    if (!bits.is_string())
      return rt::invalidInput(
          "has 'bits' that are not strings of hexadecimal digits");
    std::string digits = bits.get<std::string>();
    uint64_t word = std::strtoull(digits.c_str(), nullptr, 16);
    // The bytes are little-endian, as in kernels.
    std::memcpy(out, &word, bytes);
    out += bytes;
  }
  return {};
}

/// Reads the elements of `entry` from their values, rounded to the tensor's
/// type.
static rt::Status readValues(const json &entry, const rt::TensorDesc &desc,
                             void *target) {
  if (!isList(entry, "values", desc.numElements()))
    return rt::invalidInput("needs a list 'bits' or 'values' with one entry an "
                            "element");
  std::vector<double> numbers;
  for (const json &value : entry["values"]) {
    std::optional<double> number = toNumber(value);
    if (!number)
      return rt::invalidInput("has a value that is not a number");
    numbers.push_back(*number);
  }
  if (rt::convert(numbers.data(), rt::DType::F64, target, desc.dtype,
                  desc.numElements()))
    return rt::invalidInput("has a value that its type cannot hold");
  return {};
}

/// Whether the parameter has a gradient. A null is none, and neither is a
/// missing key.
static bool hasGradient(const json &gradients, const std::string &name) {
  auto gradient = gradients.find(name);
  return gradient != gradients.end() && !gradient->is_null();
}

rt::Status mpc::readCaseGradient(const json &gradients,
                                 const rt::TensorDesc &desc, int64_t batch,
                                 void *target) {
  std::string name = desc.name.substr(nn::kGradientPrefix.size());
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
    for (const CaseParameter &earlier : result.parameters)
      if (earlier.name == parameter.name)
        return rt::invalidInput("init_params: two entries are named '" +
                                parameter.name + "'");
    int64_t count = 1;
    for (const json &dim : entry["shape"]) {
      if (!dim.is_number_integer() || dim.get<int64_t>() < 0 ||
          dim.get<int64_t>() > (1 << 24))
        return rt::invalidInput("init_params '" + parameter.name +
                                "': a dimension is not a size");
      parameter.shape.push_back(dim.get<int64_t>());
      count = std::min<int64_t>(count * dim.get<int64_t>(), int64_t{1} << 32);
    }
    for (const json &value : entry["values"]) {
      std::optional<double> number = toNumber(value);
      if (!number)
        return rt::invalidInput("init_params '" + parameter.name +
                                "': a value is not a number");
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

/// Adds a string to one of the recipe's lists.
static mlir::ArrayAttr withString(mlir::ArrayAttr strings,
                                  llvm::StringRef text) {
  llvm::SmallVector<mlir::Attribute> list(strings.getValue());
  list.push_back(mlir::StringAttr::get(strings.getContext(), text));
  return mlir::ArrayAttr::get(strings.getContext(), list);
}

static mlir::FloatAttr toAttr(amp::RecipeOp recipe, double value) {
  return mlir::Builder(recipe.getContext()).getF64FloatAttr(value);
}

/// A number of the same name takes precedence over a flag.
static void addFlag(amp::RecipeOp recipe, llvm::StringRef flag) {
  if (!recipe.getField("optimizer", flag))
    recipe.setField("optimizer", flag,
                    mlir::UnitAttr::get(recipe.getContext()));
}

static void addHyper(amp::RecipeOp recipe, const std::string &name,
                     double value) {
  recipe.setField("optimizer", name, value);
}

/// Adds two numbers that PyTorch gives as one.
static rt::Status addPair(amp::RecipeOp recipe, const std::string &key,
                          const json &value) {
  static const std::map<std::string, std::array<const char *, 2>> names = {
      {"betas", {"beta1", "beta2"}},
      {"etas", {"etaminus", "etaplus"}},
      {"step_sizes", {"step_size_min", "step_size_max"}}};
  auto pair = names.find(key);
  if (pair == names.end())
    return rt::invalidInput("optimizer: '" + key + "' is not a number");
  for (size_t i : {0, 1}) {
    std::optional<double> number;
    if (value.size() == 2)
      number = toNumber(value[i]);
    if (!number)
      return rt::invalidInput("optimizer: '" + key + "' is not two numbers");
    addHyper(recipe, pair->second[i], *number);
  }
  return {};
}

/// Our name for a hyper-parameter of the file.
static std::string hyperName(const std::string &name) {
  if (name == "b1" || name == "beta_1")
    return "beta1";
  if (name == "b2" || name == "beta_2")
    return "beta2";
  return name == "epsilon" ? "eps" : name;
}

static rt::Status readOptimizer(const json &root, OptimizerCase &result,
                                amp::RecipeOp recipe) {
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
  recipe.setWord("optimizer", "name", name);
  for (const auto &[key, value] : section->items()) {
    if (key == "name")
      continue;
    if (value.is_boolean()) {
      if (value.get<bool>())
        addFlag(recipe, key);
      continue;
    }
    if (value.is_array()) {
      MPC_RETURN_IF_ERROR(addPair(recipe, key, value));
      continue;
    }
    std::optional<double> number = toNumber(value);
    if (!number) {
      if (value.is_null())
        continue;
      return rt::invalidInput("optimizer: '" + key + "' is not a number");
    }
    if (key == "lr" || key == "learning_rate") {
      result.lr = *number;
    } else if (key == "eps_root") {
      if (*number != 0.0)
        return rt::invalidInput(
            "optimizer: 'eps_root' other than 0 is not supported");
    } else {
      addHyper(recipe, hyperName(key), *number);
    }
  }
  return {};
}

static rt::Status readScaler(const json &root, OptimizerCase &result,
                             amp::RecipeOp recipe) {
  auto section = root.find("scaler");
  json scaler = section == root.end() ? json::object() : *section;
  if (!scaler.is_object())
    return rt::invalidInput("'scaler' is not an object");
  std::string name = "torch";
  if (scaler.contains("policy") && scaler["policy"].is_string())
    name = scaler["policy"].get<std::string>();
  if (scaler.contains("enabled") && scaler["enabled"].is_boolean() &&
      !scaler["enabled"].get<bool>())
    name = "none";
  MPC_ASSIGN_OR_RETURN(result.policy, rt::parsePolicy("scaler.policy", name));
  const rt::PolicyInfo &info = rt::policyInfo(result.policy);
  recipe.setWord("loss_scale", "name", llvm::StringRef(info.name));
  for (const auto &[key, value] : scaler.items()) {
    std::optional<double> number = toNumber(value);
    std::optional<rt::Setting> setting = rt::findSetting(info, key);
    if (number && setting && info.reads(*setting))
      recipe.setField("loss_scale", llvm::StringRef(rt::settingKey(*setting)),
                      *number);
  }
  return {};
}

/// A number of an object; 0 where it is missing.
static double numberOr0(const json &object, const char *key) {
  return object.contains(key) ? toNumber(object[key]).value_or(0.0) : 0.0;
}

/// The type that `key` of the case names, or `otherwise`.
static rt::Result<mlir::Type> readFloatType(const json &root, const char *key,
                                            const char *otherwise,
                                            mlir::MLIRContext *context) {
  json value = root.value(key, json(otherwise));
  std::string name = value.is_string() ? value.get<std::string>() : "";
  mlir::Builder b(context);
  if (name == "float16")
    return mlir::Type(b.getF16Type());
  if (name == "bfloat16")
    return mlir::Type(b.getBF16Type());
  if (name == "float32")
    return mlir::Type(b.getF32Type());
  return rt::invalidInput(std::string(key) + " " + rt::quote(name) +
                          " is neither float16, bfloat16 nor float32");
}

/// Reads the types in which weights and slots are kept, and their rounding.
static rt::Status readStorage(const json &root, amp::RecipeOp recipe) {
  json masters = root.value("master_weights", json(true));
  if (!masters.is_boolean())
    return rt::invalidInput("'master_weights' is neither true nor false");
  recipe.setNoMasters(!masters.get<bool>());
  json seed = root.value("rounding_seed", json(0u));
  if (!seed.is_number_unsigned())
    return rt::invalidInput(
        "'rounding_seed' is not a whole number of 0 or more");
  // The seed is state and an f64, so that it has at most 53 bits.
  constexpr uint64_t kSeedMask = (uint64_t{1} << 53) - 1;
  auto bits = seed.get<uint64_t>();
  recipe.setSeed(static_cast<int64_t>((bits ^ (bits >> 53)) & kSeedMask));
  MPC_ASSIGN_OR_RETURN(
      mlir::Type slots,
      readFloatType(root, "slot_dtype", "float32", recipe.getContext()));
  recipe.setSlots(slots);
  return {};
}

static rt::Status readLarc(const json &root, amp::RecipeOp recipe) {
  if (!root.contains("larc") || root["larc"].is_null())
    return {};
  const json &larc = root["larc"];
  if (!larc.is_object() || !larc.contains("mode") || !larc["mode"].is_string())
    return rt::invalidInput("'larc' needs a mode: clip, scale, apex-clip or "
                            "apex-scale");
  std::string mode = larc["mode"].get<std::string>();
  if (!llvm::is_contained({"clip", "scale", "apex-clip", "apex-scale"}, mode))
    return rt::invalidInput("'larc' must be clip, scale, apex-clip or "
                            "apex-scale, not " +
                            rt::quote(mode));
  std::replace(mode.begin(), mode.end(), '-', '_');
  recipe.setWord("larc", "name", mode);
  for (const char *key : {"eta", "min_update", "eps"}) {
    bool isForeign =
        recipe.getLarc()->isApex() && key == std::string("min_update");
    if (larc.contains(key) && !isForeign)
      recipe.setField("larc", key, numberOr0(larc, key));
  }
  return {};
}

/// A group of a recipe, of a group with "params" and, as it likes, "lr" and
/// "weight_decay". `rate` is the rate of the others.
static rt::Result<mlir::Attribute> readGroup(const json &group, double rate,
                                             amp::RecipeOp recipe) {
  mlir::Builder b(recipe.getContext());
  mlir::NamedAttrList fields;
  json names = group.is_object() ? group.value("params", json()) : json();
  if (!names.is_array() || names.empty() ||
      !llvm::all_of(names, std::mem_fn(&json::is_string)))
    return rt::invalidInput("a group has no list 'params' of names");
  std::string pattern;
  for (const json &name : names)
    pattern += (pattern.empty() ? "" : "|") + exactPattern(name);
  fields.set("name", b.getStringAttr(pattern));
  if (group.contains("lr"))
    fields.set(llvm::StringRef(rt::kRateFactor),
               toAttr(recipe, numberOr0(group, "lr") / rate));
  double decay = numberOr0(group, "weight_decay");
  if (group.contains("weight_decay"))
    fields.set(decay == 0.0 ? "no_decay" : "weight_decay",
               decay == 0.0 ? mlir::Attribute(b.getUnitAttr())
                            : toAttr(recipe, decay));
  return mlir::Attribute(fields.getDictionary(b.getContext()));
}

static rt::Status readGroups(const json &root, double rate,
                             amp::RecipeOp recipe) {
  json groups = root.value("groups", json::array());
  if (!groups.is_array())
    return rt::invalidInput("'groups' is not a list");
  llvm::SmallVector<mlir::Attribute> all;
  for (const json &group : groups) {
    MPC_ASSIGN_OR_RETURN(all.emplace_back(), readGroup(group, rate, recipe));
  }
  recipe.setGroupsAttr(mlir::Builder(recipe.getContext()).getArrayAttr(all));
  return {};
}

/// Reads options that the recorded systems lack, or do not have in their step.
static rt::Status readExtras(const json &root, amp::RecipeOp recipe) {
  recipe.setL1Attr(toAttr(recipe, numberOr0(root, "l1")));
  recipe.setL2Attr(
      toAttr(recipe, numberOr0(root, "l2") +
                         numberOr0(root, "fp32_l2_regularizer_lambda")));
  recipe.setEmaAttr(toAttr(recipe, numberOr0(root, "ema_decay")));
  json undecayed = root.value("no_decay", json::array());
  if (!undecayed.is_array() ||
      !llvm::all_of(undecayed, std::mem_fn(&json::is_string)))
    return rt::invalidInput("'no_decay' is not a list of names");
  for (const json &name : undecayed)
    recipe.setNoDecayAttr(
        withString(recipe.getNoDecay(), exactPattern(name.get<std::string>())));
  MPC_RETURN_IF_ERROR(readStorage(root, recipe));
  return readLarc(root, recipe);
}

/// Whether the case was recorded from PyTorch, whose norm is summed in f32.
static bool isOfTorch(const json &root) {
  return root.contains("reference") && root["reference"].is_object() &&
         root["reference"].value("system", "").rfind("torch", 0) == 0;
}

static rt::Status readClip(const json &root, amp::RecipeOp recipe) {
  json clip = root.value("clip", json::object());
  if (!clip.is_object())
    clip = json::object();
  std::pair<const char *, double> kinds[] = {
      {"global", numberOr0(root, "clip_global_norm") +
                     numberOr0(clip, "global_clipnorm")},
      {"norm", numberOr0(clip, "clipnorm")},
      {"value", numberOr0(clip, "clipvalue")}};
  for (auto [kind, bound] : kinds) {
    if (bound == 0.0)
      continue;
    if (recipe.getClip())
      return rt::invalidInput("gradients are clipped in one way: by the norm "
                              "of all, by each norm or by value");
    recipe.setField("clip", kind, bound);
  }
  if (!recipe.getField("clip", "global"))
    return {};
  if (isOfTorch(root))
    recipe.setWord("clip", "order", "torch");
  json before = root.value("clip_before_unscale", json(false));
  if (before.is_boolean() && before.get<bool>())
    recipe.setField("clip", "scaled", mlir::UnitAttr::get(recipe.getContext()));
  return {};
}

/// Divides parameters into sets. Those that never have a gradient are left out.
/// Parameters with gradients in the same steps share a step count, as in
/// PyTorch.
static void addSets(OptimizerCase &result, amp::RecipeOp recipe) {
  std::map<std::vector<bool>, std::string> sets;
  for (const CaseParameter &parameter : result.parameters) {
    if (!parameter.isEverPresent()) {
      recipe.setNoGradientAttr(
          withString(recipe.getNoGradient(), exactPattern(parameter.name)));
    } else if (!parameter.isAlwaysPresent()) {
      std::string &set = sets[parameter.present];
      set += (set.empty() ? "" : "|") + exactPattern(parameter.name);
    }
  }
  for (const auto &[present, pattern] : sets) {
    recipe.setGradientSetsAttr(withString(recipe.getGradientSets(), pattern));
    result.present.push_back(present);
  }
}

static rt::Status readSteps(const json &root, OptimizerCase &result,
                            amp::RecipeOp recipe) {
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
  addSets(result, recipe);
  return {};
}

static rt::Status readAccumulate(const json &root, amp::RecipeOp recipe) {
  if (root.contains("accumulate") && root["accumulate"].is_number_integer())
    recipe.setAccumulate(root["accumulate"].get<int64_t>());
  constexpr uint64_t kLargest = 1024; // A negative number fails this check too.
  if (recipe.getAccumulate() < 1 || recipe.getAccumulate() > kLargest)
    return rt::invalidInput("'accumulate' is not a number of batches");
  return {};
}

rt::Result<OptimizerCase> mpc::readOptimizerCase(std::string_view text,
                                                 amp::RecipeOp recipe) {
  json root = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded() || !root.is_object())
    return rt::invalidInput("is not a JSON object");
  OptimizerCase result;
  MPC_RETURN_IF_ERROR(readParameters(root, result));
  MPC_RETURN_IF_ERROR(readOptimizer(root, result, recipe));
  MPC_RETURN_IF_ERROR(readScaler(root, result, recipe));
  MPC_RETURN_IF_ERROR(readClip(root, recipe));
  MPC_RETURN_IF_ERROR(readGroups(root, result.lr, recipe));
  MPC_RETURN_IF_ERROR(readExtras(root, recipe));
  MPC_RETURN_IF_ERROR(readSteps(root, result, recipe));
  MPC_ASSIGN_OR_RETURN(
      mlir::Type gradients,
      readFloatType(root, "low_dtype", "float16", recipe.getContext()));
  recipe.setGradients(gradients);
  MPC_RETURN_IF_ERROR(readAccumulate(root, recipe));
  return result;
}
