// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call names the values that it read before the exporter's optimizer ran. If
// it reads `detach` there and the graph has no such value, it reads the operand
// of the detach().
#include "lib/Import/ONNX/PyTorch/DetachedValues.h"

#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Ops/Forms.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <set>

using namespace llvm;

namespace mpc::onnx {

/// Whether the name is "detach" or "detach_2", as torch.fx names results of
/// that call.
static bool isNameOfDetach(StringRef name) {
  return name.consume_front("detach") &&
         (name.empty() || (name.consume_front("_") && !name.empty() &&
                           all_of(name, [](char c) { return isDigit(c); })));
}

/// Whether `value` of a call is `input` of its node.
static bool isNamed(StringRef value, StringRef input) {
  if (value == input)
    return true;
  for (StringRef kind : {"p_", "b_", "c_"})
    if (StringRef name = value; name.consume_front(kind))
      return name.equals_insensitive(nameInCalls(input));
  return false;
}

namespace {

/// The values that one call reads, with their names.
class CallReads {
public:
  CallReads(ArrayRef<Node *> nodes, const llvm::StringSet<> &constants)
      : constants_(constants), values_(OriginalCall(*nodes.front()).values()) {
    llvm::StringSet<> made;
    for (const Node *node : nodes)
      for (const std::string &output : node->outputs)
        made.insert(output);
    for (Node *node : nodes)
      for (std::string &input : node->inputs)
        if (!input.empty() && !made.contains(input))
          inputs_.push_back(&input);
  }

  ArrayRef<StringRef> values() const { return values_; }

  /// The inputs that are `value`, which no input has as its name; empty where
  /// that is not known.
  SmallVector<std::string *> inputsOf(StringRef value) const {
    return inAgreement() ? inputsAt(value) : inputsLeftFor(value);
  }

  /// Whether all values that the call reads have names.
  bool readsNamesOnly() const { return unnamed().empty(); }

private:
  /// Whether each input stands at the position of its name. Of equal constants
  /// only one is left.
  bool inAgreement() const {
    return values_.size() == inputs_.size() &&
           all_of(zip(values_, inputs_), [&](auto pair) {
             auto [value, input] = pair;
             return isNamed(value, *input) || isNameOfDetach(value) ||
                    constants_.contains(*input);
           });
  }

  SmallVector<std::string *> inputsAt(StringRef value) const {
    SmallVector<std::string *> found;
    for (auto [name, input] : zip(values_, inputs_))
      if (name == value)
        found.push_back(input);
    return found;
  }

  /// The inputs for `value`, by the order of names that no input has, and of
  /// inputs without a name.
  SmallVector<std::string *> inputsLeftFor(StringRef value) const {
    SmallVector<StringRef> open, left = unnamed();
    for (StringRef name : values_)
      if (none_of(inputs_, [&](auto *input) { return isNamed(name, *input); }))
        open.push_back(name);
    const auto *place = find(open, value);
    if (place == open.end() || open.size() != left.size())
      return {};
    StringRef name = left[place - open.begin()];
    return SmallVector<std::string *>(make_filter_range(
        inputs_, [&](const std::string *input) { return *input == name; }));
  }

  SmallVector<StringRef> unnamed() const {
    SmallVector<StringRef> found;
    for (StringRef input : make_pointee_range(inputs_)) {
      bool hasName = any_of(
          values_, [&](StringRef value) { return isNamed(value, input); });
      if (!hasName && !constants_.contains(input) &&
          !is_contained(found, input))
        found.push_back(input);
    }
    return found;
  }

  const llvm::StringSet<> &constants_;
  SmallVector<StringRef> values_;
  SmallVector<std::string *> inputs_;
};

} // namespace

/// The node as the exporter writes it without its optimizer.
static Node identityOf(const std::string &input, StringRef output) {
  Node node;
  node.name = "node_" + output.str();
  node.opType = "Identity";
  node.inputs = {input};
  node.outputs = {output.str()};
  node.form = form::kDetach;
  node.calledAs = "detach";
  // This text distinguishes its call from others.
  node.record.call = "%" + output.str();
  return node;
}

static llvm::StringSet<> constantsOf(const Graph &graph) {
  llvm::StringSet<> names;
  for (const Tensor &tensor : graph.initializers)
    names.insert(tensor.name);
  for (const Node &node : graph.nodes)
    if (node.opType == "Constant" && node.domain.empty())
      for (const std::string &output : node.outputs)
        names.insert(output);
  return names;
}

static llvm::StringSet<> valuesOf(const Graph &graph) {
  llvm::StringSet<> names;
  for (const ValueInfo &input : graph.inputs)
    names.insert(input.name);
  for (const Tensor &tensor : graph.initializers)
    names.insert(tensor.name);
  for (const Node &node : graph.nodes)
    for (const std::string &output : node.outputs)
      names.insert(output);
  return names;
}

/// Inserts each node before the first node that reads it.
static void insert(Graph &graph, const StringMap<Node> &identities) {
  std::vector<Node> nodes;
  llvm::StringSet<> inserted;
  for (Node &node : graph.nodes) {
    for (const std::string &input : node.inputs) {
      auto found = identities.find(input);
      if (found != identities.end() && inserted.insert(input).second)
        nodes.push_back(found->second);
    }
    nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
}

/// 0 for "detach", 2 for "detach_2".
static size_t numberOf(StringRef detach) {
  size_t number = 0;
  detach.drop_front(StringRef("detach_").size() - detach.ends_with("detach"))
      .getAsInteger(10, number);
  return number;
}

/// Finds missing numbers. Where nothing reads the second of three, the
/// optimizer has merged its readers with others.
static void findGaps(const std::set<size_t> &numbers,
                     std::vector<std::string> &warnings) {
  for (size_t number = 0; number < *numbers.rbegin(); ++number)
    if (!numbers.contains(number))
      warnings.push_back("the exporter's optimizer has removed 'detach" +
                         (number == 0 ? "" : "_" + std::to_string(number)) +
                         "' and what read it, so that gradients may go "
                         "through: export with optimize=False");
}

std::vector<std::string> restoreDetached(Graph &graph) {
  llvm::StringSet<> present = valuesOf(graph), constants = constantsOf(graph);
  MapVector<StringRef, SmallVector<Node *>> calls;
  for (Node &node : graph.nodes)
    if (!node.record.call.empty())
      calls[node.record.call].push_back(&node);
  StringMap<Node> identities;
  std::set<size_t> numbers;
  std::vector<std::string> warnings;
  for (auto &[call, nodes] : calls) {
    CallReads reads(nodes, constants);
    for (StringRef value : reads.values()) {
      if (!isNameOfDetach(value))
        continue;
      numbers.insert(numberOf(value));
      if (present.contains(value))
        continue;
      SmallVector<std::string *> inputs = reads.inputsOf(value);
      if (inputs.empty() && !reads.readsNamesOnly())
        warnings.push_back(
            "node '" + printable(nodes.front()->name) + "' reads '" +
            printable(value) +
            "', a detach() that the exporter's optimizer has removed, so that "
            "gradients go through: export with optimize=False");
      for (std::string *input : inputs) {
        identities.try_emplace(value, identityOf(*input, value));
        *input = value.str();
      }
    }
  }
  if (identities.empty())
    return warnings;
  findGaps(numbers, warnings);
  insert(graph, identities);
  return warnings;
}

} // namespace mpc::onnx
