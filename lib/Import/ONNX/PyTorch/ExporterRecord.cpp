// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the record of PyTorch's exporter.
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace mpc::onnx {

std::string modulePath(StringRef scopes) {
  SmallVector<StringRef> parts;
  scopes.split(parts, ',');
  if (parts.size() < 2)
    return "";
  return parts[parts.size() - 2].trim(" []'\"").str();
}

std::string nameInCalls(StringRef name) {
  std::string result = name.lower();
  for (char &letter : result)
    if (!isAlnum(letter))
      letter = '_';
  return result;
}

//===----------------------------------------------------------------------===//
// OriginalCall
//===----------------------------------------------------------------------===//

StringRef OriginalCall::target() const {
  StringRef target = text_.split("target=").second.split(']').first;
  target.consume_front("torch.ops.");
  return target;
}

SmallVector<StringRef> OriginalCall::values() const {
  SmallVector<StringRef> names;
  StringRef rest = text_.split("](").second.split('%').second;
  for (; !rest.empty(); rest = rest.split('%').second)
    names.push_back(
        rest.take_while([](char c) { return isAlnum(c) || c == '_'; }));
  return names;
}

SmallVector<StringRef> OriginalCall::parameters() const {
  SmallVector<StringRef> names;
  for (StringRef name : values())
    if (name.consume_front("p_"))
      names.push_back(name);
  return names;
}

StringRef OriginalCall::argument(size_t index, StringRef name) const {
  auto [arguments, keywords] = text_.split("](").second.split("), kwargs");
  StringRef value =
      keywords.split((name + ": ").str()).second.take_until([](char c) {
        return c == ',' || c == '}';
      });
  if (value.empty()) {
    SmallVector<StringRef> list;
    arguments.split("(").second.split(list, ',');
    value = index < list.size() ? list[index] : "";
  }
  return value.trim();
}

StringRef OriginalCall::argumentFromEnd(size_t index) const {
  SmallVector<StringRef> list;
  text_.split("](").second.split("), kwargs").first.split(list, ',');
  return index <= list.size() ? list[list.size() - index].trim() : "";
}

std::optional<int64_t> OriginalCall::integer(size_t index,
                                             StringRef name) const {
  int64_t number;
  if (argument(index, name).getAsInteger(10, number))
    return std::nullopt;
  return number;
}

std::optional<double> OriginalCall::number(size_t index, StringRef name) const {
  double number;
  if (argument(index, name).getAsDouble(number))
    return std::nullopt;
  return number;
}

std::optional<int64_t> OriginalCall::lastInteger() const {
  StringRef arguments = text_.split("](").second.split("), kwargs").first;
  int64_t number;
  if (arguments.rsplit(", ").second.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

//===----------------------------------------------------------------------===//
// ExporterRecord
//===----------------------------------------------------------------------===//

/// The kind by "PARAMETER", "InputKind.BUFFER", ...
static ExporterRecord::Kind kindFrom(const ValueInfo &info) {
  StringRef kind = info.inputKind;
  if (kind.ends_with("PARAMETER"))
    return ExporterRecord::Kind::Parameter;
  if (!kind.ends_with("BUFFER"))
    return ExporterRecord::Kind::Other;
  return info.isPersistent ? ExporterRecord::Kind::Buffer
                           : ExporterRecord::Kind::PassingBuffer;
}

ExporterRecord::ExporterRecord(const Graph &graph) {
  for (const std::vector<ValueInfo> *list : {&graph.values, &graph.inputs})
    for (const ValueInfo &info : *list) {
      if (!info.inputKind.empty())
        kinds_[info.name] = kindFrom(info);
      if (!info.foldedFrom.empty())
        foldedFrom_[info.name] = info.foldedFrom;
    }
  for (const Node &node : graph.nodes)
    for (StringRef name : OriginalCall(node).parameters())
      called_.insert({name.lower(), &node});
}

std::optional<ExporterRecord::Kind>
ExporterRecord::kindOf(StringRef name) const {
  auto found = kinds_.find(name);
  if (found == kinds_.end())
    return std::nullopt;
  return found->second;
}

/// The name of a module's parameter from its name in a call: "net.0.bias" for
/// "net_0_bias" in module "net.0".
static std::string nameFromCall(StringRef called, const Node &node) {
  std::string path = modulePath(node.record.scopes);
  StringRef rest = called;
  if (path.empty() || !rest.consume_front(nameInCalls(path) + "_"))
    return called.str();
  return path + "." + rest.str();
}

static llvm::StringSet<> namesInCalls(const Graph &graph) {
  llvm::StringSet<> names;
  for (const Tensor &tensor : graph.initializers)
    names.insert(nameInCalls(tensor.name));
  return names;
}

std::vector<std::string> ExporterRecord::missing(const Graph &graph) const {
  llvm::StringSet<> present = namesInCalls(graph);
  std::vector<std::string> names;
  for (const auto &[called, node] : called_)
    if (!present.contains(called))
      names.push_back(nameFromCall(called, *node));
  return names.size() == called_.size() ? std::vector<std::string>() : names;
}

std::vector<std::string> ExporterRecord::foldedAway(const Graph &graph) const {
  // Only the shape of a computed or given value was used.
  llvm::StringSet<> present;
  for (const Tensor &tensor : graph.initializers)
    present.insert(tensor.name);
  for (const ValueInfo &input : graph.inputs)
    present.insert(input.name);
  for (const Node &node : graph.nodes)
    for (const std::string &output : node.outputs)
      present.insert(output);
  std::vector<std::string> names;
  for (const Tensor &tensor : graph.initializers) {
    if (!isFloat(tensor.type))
      continue;
    std::string text = foldedFrom_.lookup(tensor.name);
    SmallVector<StringRef> list;
    StringRef(text).split(list, ',');
    for (StringRef name : list)
      if (name = name.trim(" []'\"");
          !name.empty() && present.insert(name).second)
        names.push_back(name.str());
  }
  return names;
}

//===----------------------------------------------------------------------===//
// Merged initializers
//===----------------------------------------------------------------------===//

namespace {

/// Restores the names of initializers, call by call.
class MergedInitializers {
public:
  explicit MergedInitializers(Graph &graph)
      : graph_(graph), record_(graph), present_(namesInCalls(graph)) {
    for (auto [index, tensor] : enumerate(graph.initializers))
      initializers_[tensor.name] = index;
  }

  void separate(Node &node) {
    SmallVector<StringRef> called = OriginalCall(node).parameters();
    if (called.empty())
      return;
    for (std::string &input : node.inputs)
      if (std::optional<std::string> name = nameFor(input, node, called))
        input = *name;
  }

private:
  /// Whether `called` may be the name of the bytes of `input`.
  bool isCandidate(StringRef called, StringRef input) const {
    if (present_.contains(called))
      return false;
    auto known = sources_.find(called);
    return known == sources_.end() || known->second == input;
  }

  /// The name in the call of the initializer that the file reads as `input`.
  std::optional<std::string> nameFor(StringRef input, const Node &node,
                                     ArrayRef<StringRef> called) {
    auto source = initializers_.find(input);
    if (source == initializers_.end() || !record_.isCalled(input) ||
        is_contained(called, nameInCalls(input)))
      return std::nullopt;
    StringRef last = input.substr(input.rfind('.') + 1);
    StringRef chosen;
    for (StringRef name : called) {
      if (!isCandidate(name, input))
        continue;
      bool isSameKind = name.ends_with_insensitive(last);
      if (chosen.empty() || (isSameKind && !chosen.ends_with_insensitive(last)))
        chosen = name;
    }
    if (chosen.empty())
      return std::nullopt;
    return copyOf(source->second, chosen, node);
  }

  std::string copyOf(size_t source, StringRef called, const Node &node) {
    std::string name = nameFromCall(called, node);
    std::string from = graph_.initializers[source].name;
    if (!sources_.try_emplace(called, from).second)
      return name;
    Tensor copy = graph_.initializers[source];
    copy.name = name;
    graph_.initializers.push_back(std::move(copy));
    for (size_t i = 0, e = graph_.values.size(); i < e; ++i)
      if (graph_.values[i].name == from) {
        ValueInfo info = graph_.values[i];
        info.name = name;
        graph_.values.push_back(std::move(info));
      }
    return name;
  }

  Graph &graph_;
  ExporterRecord record_;
  llvm::StringSet<> present_;
  StringMap<size_t> initializers_;
  /// The initializer that has the bytes, by its name in calls.
  StringMap<std::string> sources_;
};

} // namespace

void separateMerged(Graph &graph) {
  MergedInitializers merged(graph);
  for (Node &node : graph.nodes)
    merged.separate(node);
}

void removeUnread(Graph &graph, const std::string &call) {
  StringMap<int> reads;
  for (const Node &node : graph.nodes)
    for (const std::string &input : node.inputs)
      ++reads[input];
  for (const ValueInfo &output : graph.outputs)
    ++reads[output.name];
  for (size_t at = graph.nodes.size(); at-- > 0;) {
    const Node &node = graph.nodes[at];
    if (node.record.call != call ||
        any_of(node.outputs, [&](const std::string &name) {
          return reads.lookup(name) != 0;
        }))
      continue;
    for (const std::string &input : node.inputs)
      --reads[input];
    graph.nodes.erase(graph.nodes.begin() + static_cast<ptrdiff_t>(at));
  }
}

} // namespace mpc::onnx
