// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Inlines local functions. They are closed: the names in a body are its own,
/// except for inputs and outputs. A call is replaced by the body with every
/// name changed.
#include "lib/Import/ONNX/Read/FunctionInliner.h"

#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace mpc::onnx {

namespace {

constexpr size_t kMostNodes = 4000000;

/// The names and attributes of a body in one call.
class Renaming {
public:
  Renaming(const Function &function, const Node &call, std::string prefix);

  Node apply(const Node &node) const;
  /// Nodes for outputs that are inputs, and which no node computes.
  std::vector<Node> passedThrough() const;

private:
  std::string rename(const std::string &name) const;
  Graph apply(const Graph &graph) const;
  /// The attribute in this call; empty where the call leaves it out.
  std::optional<Attribute> apply(const Attribute &attribute) const;
  const Attribute *argument(StringRef name) const;
  std::optional<int64_t> opsetOf(StringRef domain) const;

  const Function &function_;
  const Node &call_;
  std::string prefix_;
  StringMap<std::string> names_;
};

Renaming::Renaming(const Function &function, const Node &call,
                   std::string prefix)
    : function_(function), call_(call), prefix_(std::move(prefix)) {
  for (auto [index, name] : enumerate(function.inputs))
    names_[name] = index < call.inputs.size() ? call.inputs[index] : "";
  for (auto [index, name] : enumerate(function.outputs))
    if (index < call.outputs.size() && !call.outputs[index].empty())
      names_.try_emplace(name, call.outputs[index]);
}

std::string Renaming::rename(const std::string &name) const {
  auto known = names_.find(name);
  if (known != names_.end())
    return known->second;
  return name.empty() ? name : prefix_ + name;
}

const Attribute *Renaming::argument(StringRef name) const {
  for (ArrayRef<Attribute> given :
       {ArrayRef(call_.attributes), ArrayRef(function_.defaults)})
    for (const Attribute &attribute : given)
      if (attribute.name == name)
        return &attribute;
  return nullptr;
}

std::optional<Attribute> Renaming::apply(const Attribute &attribute) const {
  Attribute result = attribute;
  if (!attribute.reference.empty()) {
    const Attribute *given = argument(attribute.reference);
    if (!given)
      return std::nullopt;
    result = *given;
    result.name = attribute.name;
    // A graph of the call uses names around the call.
    return result;
  }
  if (attribute.g)
    result.g = std::make_shared<Graph>(apply(*attribute.g));
  return result;
}

std::optional<int64_t> Renaming::opsetOf(StringRef domain) const {
  for (const auto &[name, version] : function_.opsets)
    if (name == domain)
      return version;
  return std::nullopt;
}

Node Renaming::apply(const Node &node) const {
  Node result = node;
  result.name = prefix_ + node.name;
  result.opset = opsetOf(node.domain);
  if (result.record.scopes.empty())
    result.record.scopes = call_.record.scopes;
  for (std::vector<std::string> *names : {&result.inputs, &result.outputs})
    for (std::string &name : *names)
      name = rename(name);
  result.attributes.clear();
  for (const Attribute &attribute : node.attributes)
    if (auto renamed = apply(attribute))
      result.attributes.push_back(std::move(*renamed));
  return result;
}

Graph Renaming::apply(const Graph &graph) const {
  Graph result = graph;
  for (Tensor &tensor : result.initializers)
    tensor.name = rename(tensor.name);
  for (auto *infos : {&result.inputs, &result.outputs, &result.values})
    for (ValueInfo &info : *infos)
      info.name = rename(info.name);
  for (Node &node : result.nodes)
    node = apply(node);
  return result;
}

std::vector<Node> Renaming::passedThrough() const {
  std::vector<Node> nodes;
  for (auto [index, name] : enumerate(function_.outputs)) {
    if (index >= call_.outputs.size() || !is_contained(function_.inputs, name))
      continue;
    Node identity;
    identity.name = prefix_ + name;
    identity.opType = "Identity";
    identity.opset = opsetOf("");
    identity.inputs = {rename(name)};
    identity.outputs = {call_.outputs[index]};
    nodes.push_back(std::move(identity));
  }
  return nodes;
}

class Inliner {
public:
  explicit Inliner(Model &model);

  Error run() { return expand(model_.graph.nodes); }

private:
  using Key = std::tuple<StringRef, StringRef, StringRef>;

  const Function *calleeOf(const Node &node) const;
  Error expand(std::vector<Node> &nodes);
  Error expandSubgraphs(Node &node);
  Error expandCall(const Node &call, const Function &function,
                   std::vector<Node> &result);
  std::string prefixOf(const Node &call);

  Model &model_;
  std::map<Key, const Function *> functions_;
  /// The functions whose bodies are being inlined.
  SmallVector<const Function *> stack_;
  StringSet<> prefixes_;
  size_t numNodes_ = 0;
};

Inliner::Inliner(Model &model) : model_(model) {
  for (const Function &function : model.functions)
    functions_[{function.domain, function.name, function.overload}] = &function;
}

const Function *Inliner::calleeOf(const Node &node) const {
  auto found = functions_.find({node.domain, node.opType, node.overload});
  return found == functions_.end() ? nullptr : found->second;
}

/// Several calls may have the same name.
std::string Inliner::prefixOf(const Node &call) {
  std::string prefix = call.name + "/";
  for (size_t i = 2; !prefixes_.insert(prefix).second; ++i)
    prefix = call.name + "_" + std::to_string(i) + "/";
  return prefix;
}

Error Inliner::expandSubgraphs(Node &node) {
  for (Attribute &attribute : node.attributes) {
    if (!attribute.g)
      continue;
    auto graph = std::make_shared<Graph>(*attribute.g);
    MPC_TRY(expand(graph->nodes));
    attribute.g = std::move(graph);
  }
  return Error::success();
}

Error Inliner::expandCall(const Node &call, const Function &function,
                          std::vector<Node> &result) {
  std::string place = model_.path + ": node '" + printable(call.name) + "' (" +
                      printable(call.opType) + "): ";
  if (is_contained(stack_, &function))
    return invalidModel(place + "the function calls itself");
  if (call.inputs.size() > function.inputs.size() ||
      call.outputs.size() > function.outputs.size())
    return invalidModel(place + "has " + Twine(call.inputs.size()) +
                        " inputs and " + Twine(call.outputs.size()) +
                        " outputs, the function " +
                        Twine(function.inputs.size()) + " and " +
                        Twine(function.outputs.size()));
  Renaming renaming(function, call, prefixOf(call));
  std::vector<Node> body;
  for (const Node &node : function.nodes)
    body.push_back(renaming.apply(node));
  stack_.push_back(&function);
  Error error = expand(body);
  stack_.pop_back();
  if (error)
    return error;
  append_range(result, renaming.passedThrough());
  llvm::move(body, std::back_inserter(result));
  return Error::success();
}

Error Inliner::expand(std::vector<Node> &nodes) {
  std::vector<Node> result;
  for (Node &node : nodes) {
    if (++numNodes_ > kMostNodes)
      return invalidModel(model_.path + ": its functions are more than " +
                          Twine(kMostNodes) + " nodes");
    MPC_TRY(expandSubgraphs(node));
    const Function *callee = calleeOf(node);
    if (!callee) {
      result.push_back(std::move(node));
      continue;
    }
    MPC_TRY(expandCall(node, *callee, result));
  }
  nodes = std::move(result);
  return Error::success();
}

} // namespace

Error inlineFunctions(Model &model) {
  if (model.functions.empty())
    return Error::success();
  return Inliner(model).run();
}

} // namespace mpc::onnx
