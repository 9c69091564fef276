// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of PyTorch, recognized by the record of their calls. The exporter's
// formulas have these faults:
//   sinc(x) as where(x == 0, 1, sin(pi x) / (pi x)): its gradient at 0 is NaN;
//   atan2(y, x) as atan(y / x): its gradient at x = 0 is NaN, and +pi becomes
//   -pi;
//   logaddexp as log(exp(a) + exp(b)): it overflows from 88 on;
//   angle of a complex number: by the same quotient as atan2;
//   logsigmoid as log(sigmoid(x)): it is -inf below -88;
//   xlogy(x, y) as where(x == 0, x, x log(y)): its slope at x = 0 is 1;
//   log1p(x) and expm1(x) as log(x + 1) and exp(x) - 1: a small x loses all
//   digits;
//   erfcx(x) as exp(x^2) (1 - erf(x)): it is inf * 0 from 9 on, and so is
//   log_ndtr(x) below -13;
//   logit(x, eps) with the bounds in the other order: it differs where eps is
//   above 1/2;
//   addbmm, addmv and baddbmm with beta = 0 as a product with 0: it keeps NaN;
//   _safe_softmax as where(masked, 0, softmax(x)): its gradient is NaN in a row
//   that is masked as a whole;
//   attention of a row that is masked as a whole as a mean: the function is 0;
//   bincount(x, minlength=n) with a size that depends on the data.
#include "lib/Import/ONNX/PyTorch/CalledFunctions.h"

#include "lib/Import/ONNX/Ops/Forms.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// Input `input` of the call's node number `number` of `opType`, or of the last
/// such node.
struct Place {
  StringRef opType;
  size_t number;
  size_t input;
};

struct CalledFunction {
  /// The call's target, up to the overload.
  StringRef target;
  /// The places at which the exporter's formula reads the arguments.
  SmallVector<Place, 3> arguments;
  StringRef form;
  /// Gives the node settings of the call beside its operands; null where there
  /// are none.
  void (*tell)(const OriginalCall &call, Node &node) = nullptr;
};

} // namespace

static void tellBinCount(const OriginalCall &call, Node &node) {
  if (auto least = call.integer(2, "minlength"))
    node.settings.emplace_back(setting::kMinLength, *least);
}

static void tellLogit(const OriginalCall &call, Node &node) {
  if (auto eps = call.number(1, "eps"))
    node.settings.emplace_back(setting::kEps, *eps);
}

static void tellEmbeddingBag(const OriginalCall &call, Node &node) {
  StringRef weights = call.argument(6, "per_sample_weights");
  bool isPlain = (weights.empty() || weights == "None") &&
                 call.argument(3, "scale_grad_by_freq") != "True";
  node.settings.emplace_back(setting::kMode,
                             call.integer(4, "mode").value_or(0));
  node.settings.emplace_back(
      setting::kEndsWithSize,
      int64_t(call.argument(7, "include_last_offset") == "True"));
  if (auto padding = call.integer(8, "padding_idx"))
    node.settings.emplace_back(setting::kPadding, *padding);
  node.settings.emplace_back(setting::kIsPlain, int64_t(isPlain));
}

static ArrayRef<CalledFunction> calledFunctions() {
  static const CalledFunction kFunctions[] = {
      {"aten.angle.", {{"Slice", 0, 0}}, form::kAngle},
      {"aten.atan2.", {{"Div", 0, 0}, {"Div", 0, 1}}, form::kAtan2},
      {"aten.bincount.",
       {{"ScatterElements", 0, 1}},
       form::kBinCount,
       tellBinCount},
      {"aten.embedding_bag.padding_idx",
       {{"Gather", 0, 0}, {"Gather", 0, 1}, {"Size", 0, 0}},
       form::kEmbeddingBag,
       tellEmbeddingBag},
      {"aten.expm1.", {{"Exp", 0, 0}}, form::kExpm1},
      {"aten.log1p.", {{"Add", 0, 0}}, form::kLog1p},
      {"aten.log_sigmoid.", {{"Sigmoid", 0, 0}}, form::kLogSigmoid},
      {"aten.logit.", {{"Less", 0, 0}}, form::kLogit, tellLogit},
      {"aten.logaddexp.", {{"Exp", 0, 0}, {"Exp", 1, 0}}, form::kLogAddExp},
      {"aten.logaddexp2.", {{"Pow", 0, 1}, {"Pow", 1, 1}}, form::kLogAddExp2},
      {"aten.scaled_dot_product_attention.", {}, form::kRowsWithKeys},
      {"aten.sinc.", {{"Mul", 0, 0}}, form::kSinc},
      {"aten.special_erfcx.", {{"Pow", 0, 0}}, form::kErfcx},
      {"aten.special_sinc.", {{"Mul", 0, 0}}, form::kSinc},
      {"aten.xlogy.", {{"Equal", 0, 0}, {"Log", 0, 0}}, form::kXLogY},
  };
  return kFunctions;
}

static const CalledFunction *functionOf(const Node &node) {
  StringRef target = OriginalCall(node).target();
  for (const CalledFunction &function : calledFunctions())
    if (target.starts_with(function.target))
      return &function;
  return nullptr;
}

/// The node of a call that makes `name`; or null.
static const Node *makerOf(ArrayRef<const Node *> nodes, StringRef name) {
  auto *found = find_if(nodes, [&](const Node *node) {
    return is_contained(node->outputs, name);
  });
  return found == nodes.end() ? nullptr : *found;
}

/// The value that the nodes of a call read at `place`, before a cast by them;
/// empty where the nodes are others.
static std::string readAt(ArrayRef<const Node *> nodes, const Place &place) {
  SmallVector<const Node *> found(make_filter_range(nodes, [&](auto *node) {
    return node->domain.empty() && node->opType == place.opType;
  }));
  if (found.empty())
    return "";
  const Node &node = *found[std::min(place.number, found.size() - 1)];
  if (place.input >= node.inputs.size())
    return "";
  const Node *maker = makerOf(nodes, node.inputs[place.input]);
  bool isCast = maker && maker->opType == "Cast" && maker->inputs.size() == 1;
  return isCast ? maker->inputs[0] : node.inputs[place.input];
}

/// The arguments of `function`, as the nodes of a call read them; empty where
/// the formula is another.
static std::vector<std::string> argumentsOf(ArrayRef<const Node *> nodes,
                                            const CalledFunction &function) {
  std::vector<std::string> arguments;
  for (const Place &place : function.arguments) {
    arguments.push_back(readAt(nodes, place));
    if (arguments.back().empty() || makerOf(nodes, arguments.back()))
      return {};
  }
  return arguments;
}

/// A bool mask of attention is written as a sum with the least number. In a row
/// that is masked as a whole, all probabilities are then equal, while the
/// function gives 0. The written guard where(isnan(softmax), 0, softmax) does
/// not recognize such rows. The guard's node reads the mask instead.
static void restoreEmptyRows(ArrayRef<Node *> nodes) {
  SmallVector<const Node *> given(nodes.begin(), nodes.end());
  const Node *mask = nullptr;
  for (Node *node : nodes) {
    if (node->opType != "Where" || node->inputs.size() != 3)
      continue;
    const Node *condition = makerOf(given, node->inputs[0]);
    const Node *softmax = makerOf(given, node->inputs[2]);
    bool isGuard = condition && condition->opType == "IsNaN" && softmax &&
                   softmax->opType == "Softmax";
    if (!isGuard)
      mask = node;
    if (!isGuard || !mask)
      continue;
    node->inputs = {mask->inputs[0], node->inputs[2]};
    node->form = form::kRowsWithKeys;
  }
}

namespace {

/// The nodes of a graph by their outputs, as long as none is added.
class Makers {
public:
  explicit Makers(const Graph &graph) {
    for (const Node &node : graph.nodes)
      for (const std::string &output : node.outputs)
        makers_[output] = &node;
  }

  [[nodiscard]] const Node *find(StringRef name) const {
    return makers_.lookup(name);
  }
  /// The node that makes `name`, if it has that op type; else null.
  [[nodiscard]] const Node *find(StringRef name, StringRef opType) const {
    const Node *node = find(name);
    bool isOfType = node && node->domain.empty() && node->opType == opType &&
                    !node->inputs.empty();
    return isOfType ? node : nullptr;
  }
  /// The value behind the casts that make `name`.
  [[nodiscard]] StringRef behindCasts(StringRef name) const {
    const Node *cast = find(name, "Cast");
    return cast ? behindCasts(cast->inputs[0]) : name;
  }

private:
  StringMap<const Node *> makers_;
};

} // namespace

/// The value x where `name` is all(x == number) over rows, as exporters write
/// it; else empty.
static StringRef maskedRowsOf(const Makers &makers, StringRef name) {
  const Node *all = makers.find(makers.behindCasts(name), "ReduceMin");
  const Node *equal =
      all ? makers.find(makers.behindCasts(all->inputs[0]), "Equal") : nullptr;
  return equal ? StringRef(equal->inputs[0]) : "";
}

/// The softmax whose rows that are masked as a whole `guard` replaces; or null.
static const Node *guardedSoftmax(const Makers &makers, const Node &guard) {
  if (guard.opType != "Where" || guard.inputs.size() != 3)
    return nullptr;
  const Node *softmax = makers.find(guard.inputs[2], "Softmax");
  bool isOfRows =
      softmax && softmax->inputs[0] == maskedRowsOf(makers, guard.inputs[0]);
  return isOfRows ? softmax : nullptr;
}

/// Turns where(masked, 0, softmax(x)), for rows that are masked as a whole,
/// into where(masked, 0, softmax(where(masked, 0, x))). The branch that is not
/// chosen then has a finite gradient.
static void restoreMaskedRows(Graph &graph) {
  Makers makers(graph);
  std::vector<std::pair<size_t, Node>> found;
  for (auto [at, guard] : enumerate(graph.nodes))
    if (const Node *softmax = guardedSoftmax(makers, guard))
      found.emplace_back(at, *softmax);
  for (auto &[at, softmax] : reverse(found)) {
    Node kept = graph.nodes[at];
    kept.inputs[2] = softmax.inputs[0];
    kept.outputs = {kept.outputs[0] + "/kept"};
    softmax.inputs = kept.outputs;
    softmax.outputs = {graph.nodes[at].outputs[0] + "/softmax"};
    graph.nodes[at].inputs[2] = softmax.outputs[0];
    auto place = graph.nodes.begin() + static_cast<ptrdiff_t>(at);
    place = graph.nodes.insert(place, std::move(softmax));
    graph.nodes.insert(place, std::move(kept));
  }
}

/// Whether `node` is beta * input, a product of values that its call was given.
/// The call's own product has a factor that the call computed.
static bool isScaledInput(const Makers &makers, const Node *node) {
  return node && any_of(node->inputs, [&](const std::string &input) {
           const Node *maker = makers.find(input);
           return !maker || maker->record.call != node->record.call;
         });
}

/// Turns beta * input + product with beta = 0 into the product alone, whatever
/// the input contains.
static void dropUnscaled(Graph &graph) {
  Makers makers(graph);
  for (Node &sum : graph.nodes) {
    OriginalCall call(sum);
    StringRef target = call.target();
    bool isSum = any_of(
        ArrayRef<StringRef>{"aten.addbmm.", "aten.addmv.", "aten.baddbmm."},
        [&](StringRef name) { return target.starts_with(name); });
    if (!isSum || sum.opType != "Add" || sum.inputs.size() != 2 ||
        call.number(3, "beta") != 0.0)
      continue;
    for (size_t side : {0, 1}) {
      const Node *scaled = makers.find(sum.inputs[side], "Mul");
      if (!scaled || scaled->record.call != sum.record.call ||
          !isScaledInput(makers, scaled))
        continue;
      sum.opType = "Identity";
      sum.inputs = {std::string(sum.inputs[1 - side])};
      break;
    }
  }
}

void restoreCalledFunctions(Graph &graph) {
  dropUnscaled(graph);
  restoreMaskedRows(graph);
  MapVector<StringRef, SmallVector<Node *>> calls;
  for (Node &node : graph.nodes)
    if (functionOf(node))
      calls[node.record.call].push_back(&node);
  std::vector<std::string> replaced;
  for (auto &[call, nodes] : calls) {
    SmallVector<const Node *> given(nodes.begin(), nodes.end());
    Node &last = *nodes.back();
    if (functionOf(last)->form == form::kRowsWithKeys)
      restoreEmptyRows(nodes);
    auto arguments = argumentsOf(given, *functionOf(last));
    if (arguments.empty() || last.outputs.size() != 1)
      continue;
    last.inputs = std::move(arguments);
    last.attributes.clear();
    last.form = functionOf(last)->form;
    if (functionOf(last)->tell)
      functionOf(last)->tell(OriginalCall(last), last);
    replaced.push_back(last.record.call);
  }
  for (const std::string &call : replaced)
    removeUnread(graph, call);
}

} // namespace mpc::onnx
