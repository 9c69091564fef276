// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Findings as text and as JSON.
#include "runtime/Train/NanReport.h"

#include "runtime/Support/JsonNumber.h"
#include "runtime/Support/Text.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

nlohmann::ordered_json toJson(const ProbedTensor &tensor) {
  nlohmann::ordered_json json;
  json["op"] = tensor.op;
  json["node"] = tensor.node;
  if (!tensor.file.empty())
    json["file"] = tensor.file;
  json["direction"] = tensor.gradient ? "gradient" : "forward";
  if (!tensor.parameter.empty())
    json["gradient_of"] = tensor.parameter;
  json["dtype"] = name(tensor.desc.dtype);
  json["shape"] = tensor.desc.shape;
  json["amax"] = jsonNumber(tensor.largest);
  return json;
}

/// "gradient of node 'fc2' (nn.matmul)". A tensor between the gradients and the
/// update has a parameter in place of a node.
std::string nameOf(const ProbedTensor &tensor) {
  if (tensor.op == "input")
    return "input " + quote(tensor.node);
  if (tensor.op == "nn.get")
    return "parameter " + quote(tensor.node);
  if (tensor.op == "amp.get_scale")
    return "the scale of " + quote(tensor.node);
  if (!tensor.node.empty())
    return fmt::format("{}node {} ({})", tensor.gradient ? "gradient of " : "",
                       quote(tensor.node), tensor.op);
  if (!tensor.parameter.empty())
    return fmt::format("{} of the gradient of {}", tensor.op,
                       quote(tensor.parameter));
  return tensor.op;
}

} // namespace

std::string describe(const ProbedTensor &tensor) {
  std::string text = nameOf(tensor);
  if (!tensor.file.empty())
    text += " at " + escape(tensor.file);
  return fmt::format("{}, {}, largest magnitude {}", text,
                     toString(tensor.desc), shortestDecimal(tensor.largest));
}

std::string describe(const std::optional<NanFinding> &finding) {
  if (!finding)
    return "every tensor of the batch is finite when it is run again";
  std::string text =
      "the first tensor that is not finite is " + describe(finding->first);
  if (finding->largestInput)
    text += fmt::format(", from inputs of up to {}",
                        shortestDecimal(*finding->largestInput));
  if (const auto &parameter = finding->parameter)
    text += fmt::format("; the first parameter's gradient is that of {}, {}, "
                        "largest magnitude {}",
                        quote(parameter->parameter), toString(parameter->desc),
                        shortestDecimal(parameter->largest));
  if (finding->rank)
    text += fmt::format("; found on rank {}", *finding->rank);
  if (finding->batch)
    text += fmt::format(", in batch {} of the step", *finding->batch);
  return text;
}

std::string toJson(const NanStep &step,
                   const std::optional<NanFinding> &finding) {
  nlohmann::ordered_json json;
  json["step"] = step.step;
  json["skipped"] = step.skipped;
  json["loss"] = jsonNumber(step.loss);
  json["scale"] = jsonNumber(step.scale);
  json["first"] = nullptr;
  json["parameter"] = nullptr;
  if (finding) {
    json["first"] = toJson(finding->first);
    if (finding->largestInput)
      json["first"]["amax_inputs"] = jsonNumber(*finding->largestInput);
    if (finding->rank)
      json["first"]["rank"] = *finding->rank;
    if (finding->batch)
      json["first"]["batch"] = *finding->batch;
    if (finding->parameter) {
      json["parameter"] = toJson(*finding->parameter);
      json["parameter"]["name"] = finding->parameter->parameter;
    }
  }
  return json.dump(-1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

} // namespace mpc::rt
