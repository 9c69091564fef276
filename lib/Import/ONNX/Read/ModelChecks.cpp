// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Refuses files that contradict themselves, before anything is built from them.
#include "lib/Import/ONNX/Read/ModelChecks.h"

#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include <map>

using namespace llvm;
using namespace mpc;
using namespace mpc::onnx;

namespace {

class ModelChecker {
public:
  explicit ModelChecker(const Model &model)
      : model_(model), graph_(model.graph) {}

  Error run();

private:
  Error checkIrVersion();
  Error checkOpsets();
  Error checkInfos(ArrayRef<ValueInfo> infos, StringRef what);
  Error checkInfo(const ValueInfo &info, StringRef what);
  Error checkDeclarations();
  Error checkInitializers();
  Error checkNodes();
  Error checkAttributes(const Node &node);
  Error checkOperands(const Node &node);
  Error fail(const Twine &message) const {
    return invalidModel(model_.path + ": " + message);
  }
  Error failAt(const Node &node, const Twine &message) const;

  const Model &model_;
  const Graph &graph_;
  StringSet<> defined_;
  /// The node that computes a value.
  StringMap<const Node *> producers_;
};

} // namespace

/// The version of a domain; 0 where the file does not import it.
static int64_t versionOf(const Model &model, StringRef wanted) {
  for (const auto &[domain, version] : model.opsets)
    if (domain == wanted)
      return version;
  return 0;
}

int64_t onnx::opsetOf(const Model &model) { return versionOf(model, ""); }

int64_t onnx::opsetOf(const Model &model, const Node &node) {
  if (node.opset)
    return *node.opset;
  int64_t version = versionOf(model, node.domain);
  return version == 0 ? opsetOf(model) : version;
}

Error onnx::checkModel(const Model &model) { return ModelChecker(model).run(); }

Error ModelChecker::run() {
  MPC_TRY(checkIrVersion());
  MPC_TRY(checkOpsets());
  MPC_TRY(checkInfos(graph_.inputs, "input"));
  MPC_TRY(checkInfos(graph_.outputs, "output"));
  MPC_TRY(checkInfos(graph_.values, "value_info"));
  MPC_TRY(checkDeclarations());
  MPC_TRY(checkInitializers());
  return checkNodes();
}

Error ModelChecker::failAt(const Node &node, const Twine &message) const {
  return fail("node '" + printable(node.name) + "' (" + printable(node.opType) +
              ", opset " + Twine(opsetOf(model_, node)) + "): " + message);
}

Error ModelChecker::checkIrVersion() {
  if (model_.irVersion >= 1 && model_.irVersion <= kNewestIrVersion)
    return Error::success();
  return fail("ir_version is " + Twine(model_.irVersion) + ", expected 1 to " +
              Twine(kNewestIrVersion));
}

Error ModelChecker::checkOpsets() {
  std::map<StringRef, int64_t> known;
  for (const auto &[domain, version] : model_.opsets) {
    auto [entry, isNew] = known.try_emplace(domain, version);
    if (!isNew && entry->second != version)
      return fail("opset_import gives domain '" +
                  printable(domain.empty() ? "ai.onnx" : domain) +
                  "' the versions " + Twine(entry->second) + " and " +
                  Twine(version));
  }
  int64_t opset = opsetOf(model_);
  bool isNeeded = graph_.nodes.empty() ||
                  any_of(graph_.nodes,
                         [](const Node &node) { return node.domain.empty(); });
  if (!known.count("") && !isNeeded)
    return Error::success();
  if (!known.count(""))
    return fail("the file imports no opset of ai.onnx (supported: " +
                Twine(kOldestOpset) + " to " + Twine(kNewestOpset) + ")");
  if (opset < kOldestOpset)
    return fail("opset " + Twine(opset) +
                " is older than the oldest "
                "supported, " +
                Twine(kOldestOpset) +
                "; convert the file with onnx.version_converter or export it "
                "with opset_version=20");
  if (opset > kNewestOpset)
    return fail("opset " + Twine(opset) + " is newer than the newest known, " +
                Twine(kNewestOpset) +
                ": its ops may have other signatures; export the file with "
                "opset_version=20");
  return Error::success();
}

/// The remedy for a result to which PyTorch's exporter gave a buffer's or a
/// parameter's name.
static StringRef remedyOf(ArrayRef<ValueInfo> infos, StringRef name) {
  bool isRecorded = any_of(infos, [&](const ValueInfo &info) {
    return info.name == name && !info.inputKind.empty();
  });
  return isRecorded ? "; the exporter called a result as a parameter or buffer "
                      "is called: give that another name in the module"
                    : "";
}

Error ModelChecker::checkInfos(ArrayRef<ValueInfo> infos, StringRef what) {
  StringSet<> names;
  for (const ValueInfo &info : infos) {
    if (!names.insert(info.name).second)
      return fail("two " + what + (what == "value_info" ? "" : "s") +
                  " are named '" + printable(info.name) + "'" +
                  remedyOf(infos, info.name));
    MPC_TRY(checkInfo(info, what));
  }
  return Error::success();
}

Error ModelChecker::checkInfo(const ValueInfo &info, StringRef what) {
  std::string name = (what + " '" + printable(info.name) + "'").str();
  if (!isKnown(info.type))
    return fail(name + ": elem_type is " +
                Twine(static_cast<int32_t>(info.type)) +
                ", which is not an element type of ONNX");
  for (auto [axis, dimension] : enumerate(info.shape))
    if (dimension.size && *dimension.size < 0)
      return fail(name + ": dimension " + Twine(axis) + " is " +
                  Twine(*dimension.size));
  return Error::success();
}

/// "float[8x?]"
static std::string typeText(const ValueInfo &info) {
  return toString(info.type) +
         (info.hasShape ? "[" + toString(info.shape) + "]" : "");
}

/// Whether two declarations agree in all that both state.
static bool agree(const ValueInfo &a, const ValueInfo &b) {
  if (a.type != ElemType::Undefined && b.type != ElemType::Undefined &&
      a.type != b.type)
    return false;
  if (!a.hasShape || !b.hasShape)
    return true;
  if (a.shape.size() != b.shape.size())
    return false;
  return all_of(zip(a.shape, b.shape), [](const auto &pair) {
    const auto &[left, right] = pair;
    return !left.size || !right.size || left.size == right.size;
  });
}

/// Checks that two declarations of a name agree.
Error ModelChecker::checkDeclarations() {
  StringMap<ValueInfo> known;
  for (const Tensor &tensor : graph_.initializers) {
    ValueInfo info;
    info.type = tensor.type;
    info.hasShape = true;
    for (int64_t size : tensor.shape)
      info.shape.push_back({size, ""});
    known.try_emplace(tensor.name, std::move(info));
  }
  for (ArrayRef<ValueInfo> infos :
       {ArrayRef(graph_.inputs), ArrayRef(graph_.outputs),
        ArrayRef(graph_.values)})
    for (const ValueInfo &info : infos) {
      auto [entry, isNew] = known.try_emplace(info.name, info);
      if (!isNew && !agree(entry->second, info))
        return fail("'" + printable(info.name) + "' is declared " +
                    typeText(entry->second) + " and " + typeText(info));
    }
  return Error::success();
}

Error ModelChecker::checkInitializers() {
  for (const Tensor &tensor : graph_.initializers)
    if (!defined_.insert(tensor.name).second)
      return fail("two initializers are named '" + printable(tensor.name) +
                  "'");
  // An input may have an initializer, which is then its default.
  for (const ValueInfo &input : graph_.inputs)
    defined_.insert(input.name);
  return Error::success();
}

Error ModelChecker::checkNodes() {
  for (const Node &node : graph_.nodes)
    for (const std::string &output : node.outputs)
      if (!output.empty())
        producers_.try_emplace(output, &node);
  for (const Node &node : graph_.nodes) {
    MPC_TRY(checkAttributes(node));
    MPC_TRY(checkOperands(node));
    for (const std::string &output : node.outputs)
      if (!output.empty() && !defined_.insert(output).second)
        return fail("'" + printable(output) + "' is defined twice");
  }
  return Error::success();
}

Error ModelChecker::checkAttributes(const Node &node) {
  StringSet<> names;
  for (const Attribute &attribute : node.attributes)
    if (!names.insert(attribute.name).second)
      return failAt(node, "attribute '" + printable(attribute.name) +
                              "' is given twice");
  return Error::success();
}

Error ModelChecker::checkOperands(const Node &node) {
  for (const std::string &input : node.inputs) {
    if (input.empty() || defined_.contains(input))
      continue;
    std::string use = "uses '" + printable(input) + "', which ";
    const Node *producer = producers_.lookup(input);
    if (!producer)
      return failAt(node, use + "nothing before it defines");
    if (producer == &node)
      return failAt(node, use + "it defines itself");
    return failAt(node, use + "node '" + printable(producer->name) +
                            "' behind it defines (a cycle, or nodes that are "
                            "not sorted)");
  }
  return Error::success();
}
