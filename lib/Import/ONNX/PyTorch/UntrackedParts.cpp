// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts under torch.no_grad() and under torch.autocast() both become functions
// of the exporter, and both are inlined, so that the record has only the code
// of such a function. The names of inputs in that code distinguish them. Inputs
// of torch.no_grad() have the caller's names, "p_a_weight", "x"; those of
// torch.autocast() stay "arg2_1". Functions that read neither a parameter nor
// an input of the model cannot be told apart.
#include "lib/Import/ONNX/PyTorch/UntrackedParts.h"

#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Ops/Forms.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// A line of code that the exporter has generated.
struct Frame {
  /// The function to which it belongs: 7 for "<eval_with_key>.7".
  StringRef part;
  StringRef code;
};

/// Whether gradients pass through a function.
enum class PartKind { Unknown, Untracked, Tracked };

/// A function with its nodes, as far as it is known.
struct Part {
  PartKind kind = PartKind::Unknown;
  llvm::SetVector<const Node *> nodes;
};

} // namespace

/// The functions that contain a node, the outermost first:
///   File "<eval_with_key>.7", line 5, in forward
///     tanh = torch.ops.aten.tanh.default(linear)
/// None where the node is the user's: functions that torch.fx generated do not
/// belong to torch.ops, or are called from a file.
static SmallVector<Frame> framesOf(const Node &node) {
  SmallVector<Frame> frames;
  SmallVector<StringRef> texts;
  StringRef(node.record.madeIn)
      .split(texts, "File \"", -1, /*KeepEmpty=*/false);
  for (StringRef text : texts) {
    auto [place, code] = text.split('\n');
    if (!place.consume_front("<eval_with_key>.") ||
        !code.contains("= torch.ops."))
      break;
    frames.push_back({place.split('"').first, code.trim()});
  }
  return frames;
}

/// The names in a line of code.
static SmallVector<StringRef> namesIn(StringRef code) {
  SmallVector<StringRef> names;
  while (!code.empty()) {
    code = code.drop_until([](char c) { return isAlnum(c) || c == '_'; });
    StringRef name =
        code.take_while([](char c) { return isAlnum(c) || c == '_'; });
    names.push_back(name);
    code = code.drop_front(name.size());
  }
  return names;
}

/// "arg2_1"
static bool isNumbered(StringRef name) {
  auto [first, second] = name.split('_');
  return first.consume_front("arg") && !first.empty() && !second.empty() &&
         all_of(first, isDigit) && all_of(second, isDigit);
}

namespace {

/// The functions of a graph, by number.
class Parts {
public:
  explicit Parts(const Graph &graph) {
    for (const ValueInfo &input : graph.inputs) {
      given_.insert(input.name);
      given_.insert(input.originalName);
    }
    for (const Tensor &tensor : graph.initializers)
      for (StringRef kind : {"p_", "b_", "c_"})
        given_.insert((kind + nameInCalls(tensor.name)).str());
    // A module that is a function of torch.fx has no other code.
    if (any_of(graph.nodes,
               [](const Node &node) { return node.record.hasSource; }))
      for (const Node &node : graph.nodes)
        add(node);
  }

  MapVector<StringRef, Part> &all() { return parts_; }

  /// Whether a function that contains `node` has the kind.
  bool isIn(const Node &node, PartKind kind) const {
    return any_of(framesOf(node), [&](const Frame &frame) {
      auto found = parts_.find(frame.part);
      return found != parts_.end() && found->second.kind == kind;
    });
  }

private:
  void add(const Node &node) {
    SmallVector<Frame> frames = framesOf(node);
    SmallVector<StringRef> read = OriginalCall(node).values();
    for (auto [depth, frame] : enumerate(frames)) {
      Part &part = parts_[frame.part];
      part.nodes.insert(&node);
      if (depth > 0)
        learn(part, kindCalledBy(frames[depth - 1].code));
      learn(part, kindByInputs(frame.code, read));
    }
  }

  /// Records the kind of a function. The first known kind stays.
  static void learn(Part &part, PartKind kind) {
    if (part.kind == PartKind::Unknown)
      part.kind = kind;
  }

  static PartKind kindCalledBy(StringRef code) {
    if (code.contains("wrap_with_set_grad_enabled(False"))
      return PartKind::Untracked;
    return code.contains("wrap_with_autocast(") ? PartKind::Tracked
                                                : PartKind::Unknown;
  }

  /// The kind by the names of inputs. A name of the model's input counts only
  /// where the call has it too: in the code it may be the name of a result,
  /// which was renamed later.
  PartKind kindByInputs(StringRef code, ArrayRef<StringRef> read) const {
    for (StringRef name : namesIn(code)) {
      if (isNumbered(name))
        return PartKind::Tracked;
      if (given_.contains(name) && is_contained(read, name))
        return PartKind::Untracked;
    }
    return PartKind::Unknown;
  }

  /// Names in calls that the graph does not compute.
  llvm::StringSet<> given_;
  MapVector<StringRef, Part> parts_;
};

/// The values of a graph with a gradient, as far as types are known.
class TrackedValues {
public:
  TrackedValues(const Graph &graph, const Parts &parts) {
    for (const ValueInfo &info : graph.values)
      if (info.type != ElemType::Undefined && !isFloat(info.type))
        untracked_.insert(info.name);
    for (const Tensor &tensor : graph.initializers)
      if (isFloat(tensor.type))
        tracked_.insert(tensor.name);
    for (const Node &node : graph.nodes)
      if (isTrackedBy(node) && !parts.isIn(node, PartKind::Untracked))
        for (const std::string &output : node.outputs)
          if (!untracked_.contains(output))
            tracked_.insert(output);
  }

  bool contains(StringRef name) const { return tracked_.contains(name); }

private:
  bool isTrackedBy(const Node &node) const {
    return node.form != form::kDetach &&
           !OriginalCall(node).target().starts_with("aten.detach") &&
           any_of(node.inputs, [&](const std::string &input) {
             return tracked_.contains(input);
           });
  }

  llvm::StringSet<> untracked_, tracked_;
};

} // namespace

/// Finds the consecutive parts at the end of the graph, where there are
/// several. A torch.autograd.Function, as in checkpoint(use_reentrant=True),
/// runs without gradients, and a torch.no_grad() in it returns to that. The
/// record does not show the end of the function. If it were one of these parts,
/// nothing after it would have a gradient, nor would the loss.
static void openLastParts(const Graph &graph, Parts &parts) {
  llvm::StringSet<> last;
  for (const Node &node : llvm::reverse(graph.nodes)) {
    SmallVector<Frame> frames = framesOf(node);
    if (frames.empty() && node.record.hasSource)
      break;
    if (!frames.empty() &&
        parts.all()[frames.front().part].kind == PartKind::Untracked)
      last.insert(frames.front().part);
  }
  if (last.size() > 1)
    for (const auto &entry : last)
      parts.all()[entry.getKey()].kind = PartKind::Tracked;
}

static bool isChosen(const Part &part, NameChoice &choice) {
  return any_of(part.nodes, [&](const Node *node) {
    return choice.chooses({node->name, modulePath(node->record.scopes)});
  });
}

/// Whether it matters if gradients pass through `part`: it reads a value with a
/// gradient, and later computations use its results.
static bool decidesGradients(const Graph &graph, const Part &part,
                             const TrackedValues &tracked) {
  llvm::StringSet<> made;
  bool reads = false;
  for (const Node *node : part.nodes) {
    for (const std::string &input : node->inputs)
      reads |= !made.contains(input) && tracked.contains(input);
    for (const std::string &output : node->outputs)
      if (tracked.contains(output))
        made.insert(output);
  }
  return reads && any_of(graph.nodes, [&](const Node &node) {
           return !part.nodes.contains(&node) &&
                  any_of(node.inputs, [&](const std::string &input) {
                    return made.contains(input);
                  });
         });
}

/// "node 'node_cos' and 3 more, of modules 'a', 'b'"
static std::string describe(ArrayRef<const Part *> parts) {
  std::vector<std::string> paths;
  size_t count = 0;
  for (const Part *part : parts) {
    count += part->nodes.size();
    for (const Node *node : part->nodes) {
      std::string path = modulePath(node->record.scopes);
      std::string shown = "'" + printable(path) + "'";
      if (!path.empty() && !is_contained(paths, shown))
        paths.push_back(std::move(shown));
    }
  }
  std::string text =
      "node '" + printable(parts.front()->nodes.front()->name) + "'";
  if (count > 1)
    text += " and " + std::to_string(count - 1) + " more";
  if (paths.empty())
    return text;
  size_t shown = std::min<size_t>(paths.size(), 4);
  return text + ", of modules " +
         join(ArrayRef(paths).take_front(shown), ", ") +
         (shown < paths.size() ? ", ..." : "");
}

/// A description of parts that are unknown and matter; empty where there are
/// none.
static std::string describeUnknown(const Graph &graph, Parts &parts) {
  TrackedValues tracked(graph, parts);
  SmallVector<const Part *> unknown;
  for (auto &[number, part] : parts.all())
    if (part.kind == PartKind::Unknown &&
        decidesGradients(graph, part, tracked))
      unknown.push_back(&part);
  if (unknown.empty())
    return "";
  return describe(unknown) +
         " ran under torch.autocast() or under torch.no_grad(), which the file "
         "does not tell apart: gradients go through. If it was "
         "torch.no_grad(), give --no-grad=REGEX, which looks at nodes and "
         "modules, or write detach() behind it; --no-grad=none says that it "
         "was not";
}

/// Removes the gradient from results of parts that are known to have none.
static void detachResults(Graph &graph, const Parts &parts) {
  llvm::StringSet<> read;
  for (const Node &node : graph.nodes)
    if (!parts.isIn(node, PartKind::Untracked))
      for (const std::string &input : node.inputs)
        read.insert(input);
  for (const ValueInfo &output : graph.outputs)
    read.insert(output.name);
  for (Node &node : graph.nodes)
    if (parts.isIn(node, PartKind::Untracked) &&
        any_of(node.outputs,
               [&](const std::string &name) { return read.contains(name); }))
      node.settings.emplace_back(setting::kUntracked, int64_t(1));
}

UntrackedParts restoreNoGrad(Graph &graph, NameChoice &choice) {
  UntrackedParts found;
  Parts parts(graph);
  openLastParts(graph, parts);
  for (auto &[number, part] : parts.all())
    if (part.kind == PartKind::Unknown && isChosen(part, choice))
      part.kind = PartKind::Untracked;
  found.warnings = choice.warnOfUnused(
      "part that may have run under torch.no_grad() and that the file does not "
      "tell from torch.autocast()");
  if (!choice.isGiven())
    if (std::string unknown = describeUnknown(graph, parts); !unknown.empty())
      found.gradientWarnings.push_back(unknown);
  detachResults(graph, parts);
  return found;
}

} // namespace mpc::onnx
