// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a recorded optimizer case.
#include "OptimizerCase.h"

#include <bit>
#include <charconv>
#include <fstream>

using namespace mpc::test;
using Json = nlohmann::json;

static std::string text(double value) {
  char buffer[32];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}

static void readOptimizer(const Json &json, bool keras,
                          mpc::amp::BuildStepPassOptions &options, float &lr) {
  static const std::map<std::string, std::string> kNames = {
      {"b1", "beta1"},     {"b2", "beta2"},    {"beta_1", "beta1"},
      {"beta_2", "beta2"}, {"epsilon", "eps"}, {"learning_rate", "lr"}};
  for (const auto &[key, value] : json.items()) {
    auto renamed = kNames.find(key);
    std::string name = renamed == kNames.end() ? key : renamed->second;
    if (name == "name")
      options.optimizer = (keras ? "keras-" : "") + value.get<std::string>();
    else if (name == "lr")
      lr = value.get<float>();
    else if (name == "betas")
      for (int i : {0, 1})
        options.hyper.push_back("beta" + std::to_string(i + 1) + "=" +
                                text(value[i]));
    else if (value.is_boolean() && value.get<bool>())
      options.flags.push_back(name);
    else if (value.is_number() && name != "eps_root")
      options.hyper.push_back(name + "=" + text(value));
  }
}

static void readScaler(const Json &json,
                       mpc::amp::BuildStepPassOptions &options) {
  if (!json.value("enabled", true)) {
    options.policy = "none";
    return;
  }
  options.policy = json.value("policy", "torch");
  for (const auto &[key, value] : json.items())
    if (value.is_number())
      options.settings.push_back(key + "=" + text(value));
}

static void readClip(const Json &json,
                     mpc::amp::BuildStepPassOptions &options) {
  auto number = [](const Json &object, const char *key) {
    auto found = object.find(key);
    return found == object.end() || found->is_null() ? 0.0
                                                     : found->get<double>();
  };
  options.clipGlobalNorm = number(json, "clip_global_norm");
  options.clipScaled = json.value("clip_before_unscale", false);
  if (json.contains("clip")) {
    options.clipGlobalNorm = number(json["clip"], "global_clipnorm");
    options.clipNorm = number(json["clip"], "clipnorm");
    options.clipValue = number(json["clip"], "clipvalue");
  }
  // 2 lambda w on the unscaled gradient is what L2 decay adds.
  if (double lambda = number(json, "fp32_l2_regularizer_lambda"))
    options.hyper.push_back("weight_decay=" + text(2 * lambda));
}

OptimizerCase::OptimizerCase(const std::string &path) {
  std::ifstream(path) >> json;
  bool keras =
      json["reference"]["system"].get<std::string>().starts_with("keras");
  readOptimizer(json["optimizer"], keras, options, lr);
  readScaler(json["scaler"], options);
  readClip(json, options);
  options.accumulate = json.value("accumulate", 1);
  options.gradientType = json["low_dtype"] == "bfloat16" ? "bf16" : "f16";
  for (const auto &[name, gradient] : json["steps"][0]["scaled_grads"].items())
    if (gradient.is_null())
      options.freeze.push_back("^" + name + "$");
}

std::string OptimizerCase::moduleText() const {
  std::string module;
  for (const Json &parameter : json["init_params"]) {
    std::string type;
    for (int64_t size : parameter["shape"])
      type += std::to_string(size) + "x";
    module += "nn.parameter @" + parameter["name"].get<std::string>() +
              " : tensor<" + type + "f32> = #nn.init<external>\n";
  }
  return module;
}

std::vector<uint32_t> OptimizerCase::bits(const Json &tensor) {
  std::vector<uint32_t> result;
  for (const std::string text : tensor["bits"])
    result.push_back(std::stoul(text, nullptr, 16));
  return result;
}

std::vector<float> OptimizerCase::values(const Json &tensor) {
  std::vector<float> result;
  for (uint32_t pattern : bits(tensor))
    result.push_back(std::bit_cast<float>(pattern));
  return result;
}
