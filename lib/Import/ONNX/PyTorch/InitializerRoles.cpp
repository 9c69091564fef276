// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The table by which parameters are distinguished from values that an exporter
/// has made.
#include "lib/Import/ONNX/PyTorch/InitializerRoles.h"

#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace llvm;

namespace mpc::onnx {

GraphUses::GraphUses(const Graph &graph) : record_(graph) { add(graph); }

void GraphUses::add(const Graph &graph) {
  for (const Node &node : graph.nodes) {
    for (auto [index, name] : enumerate(node.inputs))
      if (!name.empty())
        uses_[name].push_back({&node, index});
    for (const std::string &name : node.outputs)
      if (!name.empty())
        producers_[name] = &node;
    // Subgraphs read outer values by name.
    for (const Attribute &attribute : node.attributes)
      if (attribute.g)
        add(*attribute.g);
  }
  for (const ValueInfo &output : graph.outputs)
    outputs_[output.name] = true;
}

ArrayRef<GraphUses::Use> GraphUses::usesOf(StringRef name) const {
  auto found = uses_.find(name);
  return found == uses_.end() ? ArrayRef<Use>() : ArrayRef(found->second);
}

const Node *GraphUses::producerOf(StringRef name) const {
  return producers_.lookup(name);
}

std::vector<std::string> GraphUses::readersOf(StringRef name) const {
  std::vector<std::string> readers;
  for (const Use &use : usesOf(name)) {
    std::string path = modulePath(use.node->record.scopes);
    std::string reader = path.empty() ? use.node->name : path;
    if (!is_contained(readers, reader))
      readers.push_back(std::move(reader));
  }
  return readers;
}

/// The class of the module to which a node belongs: the part before the last.
static StringRef classOf(const Node &node) {
  SmallVector<StringRef> parts;
  StringRef(node.record.classes).split(parts, ',');
  return parts.size() < 2 ? "" : parts[parts.size() - 2].trim(" []'\"");
}

/// Whether PyTorch's own module makes this call with its own weight and bias.
/// An attention calls a layer's function with that layer's parameters.
static bool callsOwnWeight(const Node &node) {
  StringRef type = classOf(node), target = OriginalCall(node).target();
  if (!type.starts_with("torch.nn.modules.") ||
      type.ends_with(".MultiheadAttention"))
    return false;
  target.consume_front("aten.");
  target = target.split('.').first;
  return target.ends_with("_norm") || target.contains("batch_norm") ||
         target.starts_with("conv") || target.starts_with("embedding") ||
         target == "linear" || target == "bilinear" || target == "prelu" ||
         target.starts_with("_prelu");
}

/// The attribute of a PyTorch module that is parameter `name`, which the node
/// reads; empty where it reads it as another operand. The weight comes after
/// the data, except in an embedding, and the bias after the weight.
static StringRef layerAttribute(const Node &node, StringRef name) {
  OriginalCall call(node);
  SmallVector<StringRef> values = call.values();
  size_t weight = call.target().starts_with("aten.embedding") ? 0 : 1;
  weight += call.target().starts_with("aten.bilinear");
  std::string wanted = "p_" + nameInCalls(name);
  for (auto [index, value] : enumerate(values))
    if (value == wanted && index == weight)
      return "weight";
    else if (value == wanted && index == weight + 1)
      return "bias";
  return "";
}

/// Whether a line of code contains `self.ATTRIBUTE`.
static bool readsOwn(StringRef line, StringRef attribute) {
  auto isOfName = [](char c) { return isAlnum(c) || c == '_'; };
  std::string wanted = ("self." + attribute).str();
  for (size_t at = line.find(wanted); at != StringRef::npos;
       at = line.find(wanted, at + 1)) {
    StringRef behind = line.substr(at + wanted.size());
    bool isWhole = (at == 0 || !isOfName(line[at - 1])) &&
                   (behind.empty() || !isOfName(behind.front()));
    if (isWhole)
      return true;
  }
  return false;
}

/// The attribute of `node`'s module that is parameter `name`; empty where the
/// parameter belongs to another module, from which the module may get it.
static StringRef ownAttribute(const Node &node, StringRef name) {
  StringRef last = name.substr(name.rfind('.') + 1);
  // A file without classes has no such attributes.
  if (node.record.classes.empty())
    return last;
  if (callsOwnWeight(node))
    return layerAttribute(node, name);
  return readsOwn(node.record.sourceLine, last) ? last : "";
}

std::vector<std::string> GraphUses::otherNamesOf(StringRef name) const {
  std::vector<std::string> names;
  for (const Use &use : usesOf(name)) {
    std::string path = modulePath(use.node->record.scopes);
    StringRef attribute = ownAttribute(*use.node, name);
    if (path.empty() || attribute.empty())
      continue;
    std::string other = path + "." + attribute.str();
    if (other != name && !is_contained(names, other))
      names.push_back(std::move(other));
  }
  return names;
}

bool GraphUses::isOutput(StringRef name) const {
  return outputs_.contains(name);
}

namespace {

/// The last part of a dotted name: "weight" of "fc.weight".
StringRef lastPart(StringRef name) {
  return name.rsplit('.').second.empty() ? name : name.rsplit('.').second;
}

/// `name` without a trailing "_12".
StringRef withoutCounter(StringRef name) {
  StringRef stem = name.rtrim("0123456789");
  return stem.size() != name.size() && stem.ends_with("_") ? stem.drop_back()
                                                           : name;
}

bool isAnonymous(StringRef name) {
  return name.starts_with("onnx::") || all_of(name, isDigit);
}

bool isOneOf(StringRef text, ArrayRef<StringRef> words) {
  return is_contained(words, text);
}

bool everyUse(const Tensor &tensor, const GraphUses &uses, auto predicate) {
  ArrayRef<GraphUses::Use> list = uses.usesOf(tensor.name);
  return !list.empty() && all_of(list, predicate);
}

bool notFloating(const Tensor &tensor, const GraphUses &) {
  return !isFloat(tensor.type);
}

bool unused(const Tensor &tensor, const GraphUses &uses) {
  return uses.usesOf(tensor.name).empty() && !uses.isOutput(tensor.name);
}

bool namedByExporter(const Tensor &tensor, const GraphUses &) {
  return StringRef(tensor.name).starts_with("val_");
}

/// A tensor that training updates.
bool normalizationStatistic(const Tensor &tensor, const GraphUses &uses) {
  return everyUse(tensor, uses, [](const GraphUses::Use &use) {
    return use.node->opType == "BatchNormalization" && use.input >= 3;
  });
}

bool runningStatistic(const Tensor &tensor, const GraphUses &) {
  return isOneOf(lastPart(tensor.name),
                 {"running_mean", "running_var", "num_batches_tracked",
                  "moving_mean", "moving_variance"});
}

/// A use as the weight or bias of an op.
bool isWeightUse(const GraphUses::Use &use) {
  StringRef op = use.node->opType;
  if (op == "MatMul")
    return true;
  if (isOneOf(op, {"Conv", "ConvTranspose", "Gemm"}))
    return use.input >= 1;
  return isOneOf(op, {"LSTM", "GRU", "RNN"}) && use.input >= 1 &&
         use.input <= 3;
}

bool anonymousWeight(const Tensor &tensor, const GraphUses &uses) {
  return isAnonymous(tensor.name) &&
         any_of(uses.usesOf(tensor.name), isWeightUse);
}

bool anonymous(const Tensor &tensor, const GraphUses &) {
  return isAnonymous(tensor.name);
}

/// ATen ops that compute shapes, positions and masks.
constexpr StringLiteral kATenOps[] = {
    // Ops that make values.
    "arange", "empty", "eye", "full", "full_like", "linspace", "new_ones",
    "new_zeros", "ones", "ones_like", "scalar_tensor", "tensor_constant",
    "zeros", "zeros_like",
    // Ops that move elements.
    "_to_copy", "_unsafe_view", "cat", "clone", "convert_element_type",
    "detach", "expand", "flip", "gather", "index", "permute", "repeat",
    "reshape", "roll", "select", "slice", "squeeze", "stack", "transpose",
    "unsqueeze", "view",
    // Ops that choose elements.
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "eq", "ge", "gt",
    "le", "logical_and", "logical_not", "logical_or", "logical_xor", "lt",
    "masked_fill", "ne", "tril", "triu", "where",
    // Ops that compute.
    "abs", "add", "ceil", "clamp", "cos", "cumsum", "div", "exp", "floor",
    "floor_divide", "log", "maximum", "minimum", "mul", "neg", "outer", "pow",
    "reciprocal", "remainder", "round", "rsqrt", "rsub", "sign", "sin", "sqrt",
    "sub"};

/// PyTorch names a value after the ATen op that makes it. An initializer with
/// such a name is a result that the exporter has computed.
bool namedAfterATen(const Tensor &tensor, const GraphUses &) {
  StringRef name = withoutCounter(tensor.name);
  name.consume_back("_default");
  return name.starts_with("lifted_tensor") ||
         name.starts_with("_tensor_constant") || is_contained(kATenOps, name);
}

bool namedMask(const Tensor &tensor, const GraphUses &) {
  StringRef name = withoutCounter(lastPart(tensor.name));
  return name == "mask" || name == "masked_bias" || name.ends_with("_mask");
}

/// Whether an element is `bits`, or `bits` + 1.
template <typename Bits>
bool holdsBits(ArrayRef<char> bytes, Bits bits) {
  for (size_t at = 0; at + sizeof(Bits) <= bytes.size(); at += sizeof(Bits)) {
    Bits element;
    std::memcpy(&element, bytes.data() + at, sizeof(Bits));
    if (element == bits || element == static_cast<Bits>(bits + 1))
      return true;
  }
  return false;
}

/// No parameter contains -inf or the lowest number of its type.
bool valuedMask(const Tensor &tensor, const GraphUses &) {
  // The bits of the lowest number; -inf is one above.
  switch (tensor.type) {
  case ElemType::Float16:
    return holdsBits<uint16_t>(tensor.bytes, 0xfbff);
  case ElemType::BFloat16:
    return holdsBits<uint16_t>(tensor.bytes, 0xff7f);
  case ElemType::Float:
    return holdsBits<uint32_t>(tensor.bytes, 0xff7fffff);
  default:
    return holdsBits<uint64_t>(tensor.bytes, 0xffefffffffffffff);
  }
}

bool rotaryTable(const Tensor &tensor, const GraphUses &) {
  return isOneOf(withoutCounter(lastPart(tensor.name)),
                 {"inv_freq", "freqs", "freqs_cis", "freqs_cos", "freqs_sin",
                  "cos", "sin", "cos_cached", "sin_cached", "cos_cache",
                  "sin_cache", "cos_table", "sin_table", "cos_sin_cache",
                  "rope_cos", "rope_sin", "rotary_cos", "rotary_sin",
                  "rope_cache"});
}

bool initialState(const Tensor &tensor, const GraphUses &uses) {
  return everyUse(tensor, uses, [](const GraphUses::Use &use) {
    return isOneOf(use.node->opType, {"LSTM", "GRU", "RNN"}) && use.input >= 5;
  });
}

/// Whether `name` reaches a Softmax through masking alone.
bool reachesSoftmax(StringRef name, const GraphUses &uses, int depth) {
  return any_of(uses.usesOf(name), [&](const GraphUses::Use &use) {
    StringRef op = use.node->opType;
    if (op == "Softmax")
      return true;
    return depth > 0 && isOneOf(op, {"Add", "Where", "Cast", "Identity"}) &&
           !use.node->outputs.empty() &&
           reachesSoftmax(use.node->outputs[0], uses, depth - 1);
  });
}

bool attentionScale(const Tensor &tensor, const GraphUses &uses) {
  if (countElements(tensor.shape) != 1)
    return false;
  return everyUse(tensor, uses, [&](const GraphUses::Use &use) {
    const Node &node = *use.node;
    if (!isOneOf(node.opType, {"Mul", "Div"}) || node.inputs.size() != 2 ||
        node.outputs.empty())
      return false;
    const Node *scaled = uses.producerOf(node.inputs[1 - use.input]);
    return scaled && scaled->opType == "MatMul" &&
           reachesSoftmax(node.outputs[0], uses, 2);
  });
}

/// Inputs that are settings of their op and no operands.
bool isSetting(const GraphUses::Use &use) {
  StringRef op = use.node->opType;
  if (isOneOf(op, {"Shape", "Size", "Equal", "Less", "LessOrEqual", "Greater",
                   "Floor", "Ceil", "Round", "GreaterOrEqual", "IsNaN", "IsInf",
                   "ArgMax", "ArgMin"}))
    return true;
  if (isOneOf(op, {"Clip", "Resize", "Upsample", "Dropout", "Pad", "OneHot",
                   "Range"}))
    return use.input >= 1 || op == "Range";
  if (op != "Cast")
    return false;
  return any_of(use.node->attributes, [](const Attribute &attribute) {
    return attribute.name == "to" &&
           !isFloat(static_cast<ElemType>(static_cast<int32_t>(attribute.i)));
  });
}

bool onlySettings(const Tensor &tensor, const GraphUses &uses) {
  return everyUse(tensor, uses, isSetting);
}

using Recorded = ExporterRecord::Kind;

template <Recorded kind>
bool isRecorded(const Tensor &tensor, const GraphUses &uses) {
  return uses.record().kindOf(tensor.name) == kind;
}

/// A number that is a setting of an op must be known at compile time.
bool recordedSetting(const Tensor &tensor, const GraphUses &uses) {
  return isRecorded<Recorded::Buffer>(tensor, uses) &&
         onlySettings(tensor, uses);
}

/// A parameter whose value the exporter has recomputed.
bool rewritten(const Tensor &tensor, const GraphUses &uses) {
  const ExporterRecord &record = uses.record();
  if (!record.exists() || record.kindOf(tensor.name))
    return false;
  return record.isCalled(tensor.name) ||
         (StringRef(tensor.name).contains('.') &&
          any_of(uses.usesOf(tensor.name), isWeightUse));
}

bool unrecorded(const Tensor &tensor, const GraphUses &uses) {
  return uses.record().exists() && !uses.record().kindOf(tensor.name);
}

bool always(const Tensor &, const GraphUses &) { return true; }

struct RoleRule {
  bool (*matches)(const Tensor &, const GraphUses &);
  RoleKind kind;
  StringRef text;
};

constexpr RoleKind kParameter = RoleKind::Parameter;
constexpr RoleKind kBuffer = RoleKind::Buffer;
constexpr RoleKind kConstant = RoleKind::Constant;

/// The first row that matches decides.
const RoleRule kRoleRules[] = {
    {notFloating, kConstant, "not floating-point"},
    {unused, kConstant, "used by no node"},
    {isRecorded<Recorded::Parameter>, kParameter, "the exporter's record"},
    {recordedSetting, kConstant, "a setting of an op"},
    {isRecorded<Recorded::Buffer>, kBuffer, "the exporter's record"},
    {isRecorded<Recorded::PassingBuffer>, kConstant,
     "the exporter's record: a buffer that is not saved"},
    {isRecorded<Recorded::Other>, kConstant, "the exporter's record"},
    {rewritten, kParameter, "a parameter that the exporter has rewritten"},
    {unrecorded, kConstant, "not in the exporter's record"},
    {namedByExporter, kConstant, "val_*: a value the exporter computed"},
    {normalizationStatistic, kBuffer, "running statistic"},
    {runningStatistic, kConstant, "running statistic of no normalization"},
    {anonymousWeight, kParameter, "weight without a name (folded export)"},
    {anonymous, kConstant, "no name, and no weight of an op"},
    {namedAfterATen, kConstant, "named after the ATen op that made it"},
    {namedMask, kConstant, "mask, by its name"},
    {rotaryTable, kConstant, "rotary table, by its name"},
    {initialState, kConstant, "initial state of a recurrent layer"},
    {attentionScale, kConstant, "attention scale"},
    {onlySettings, kConstant, "used only where no gradient flows"},
    {valuedMask, kConstant, "mask: holds -inf or the lowest number"},
    {always, kParameter, "floating-point initializer"},
};

/// A weight of a contraction that is neither a graph input nor an activation.
bool isWeightSlot(const Node &node, size_t input) {
  return isWeightUse({&node, input}) && input < 2;
}

} // namespace

Role roleOf(const Tensor &tensor, const GraphUses &uses) {
  for (const RoleRule &rule : kRoleRules)
    if (rule.matches(tensor, uses))
      return {rule.kind, rule.text};
  return {RoleKind::Constant, "no rule"};
}

static InitializerRole describe(const Tensor &tensor, const GraphUses &uses) {
  Role role = roleOf(tensor, uses);
  std::optional<rt::DType> dtype = dtypeOf(tensor.type);
  InitializerRole result{
      tensor.name,
      dtype ? std::string(rt::name(*dtype)) : toString(tensor.type),
      std::vector<int64_t>(tensor.shape.begin(), tensor.shape.end()), role.kind,
      role.rule.str()};
  if (role.kind == RoleKind::Parameter)
    result.readers = uses.readersOf(tensor.name);
  if (role.kind == RoleKind::Parameter)
    result.otherNames = uses.otherNamesOf(tensor.name);
  return result;
}

std::vector<InitializerRole> listInitializers(const Model &model,
                                              const GraphUses &uses) {
  std::vector<InitializerRole> roles;
  for (const Tensor &tensor : model.graph.initializers)
    roles.push_back(describe(tensor, uses));
  return roles;
}

Error overrideRoles(const Model &model, const RoleFlags &flags,
                    std::vector<InitializerRole> &roles) {
  StringMap<size_t> byName;
  for (auto [index, tensor] : enumerate(model.graph.initializers))
    byName[tensor.name] = index;
  for (const auto &[name, kind] : flags) {
    auto found = byName.find(name);
    if (found == byName.end())
      return invalidModel(model.path + ": --" + toString(kind) + "=" + name +
                          ": the file has no such initializer");
    ElemType type = model.graph.initializers[found->second].type;
    if (kind != RoleKind::Constant && !isFloat(type))
      return invalidModel(model.path + ": --" + toString(kind) + "=" + name +
                          ": it is " + toString(type) +
                          ", expected a floating-point type");
    InitializerRole &role = roles[found->second];
    role.kind = kind;
    role.rule = "chosen by a flag";
  }
  return Error::success();
}

/// Whether a value of that name is no parameter, by the rules that need only
/// names.
static bool isMadeUpName(StringRef name) {
  Tensor tensor;
  tensor.name = name.str();
  GraphUses none{Graph()};
  return any_of(ArrayRef({namedByExporter, runningStatistic, namedAfterATen,
                          namedMask, rotaryTable}),
                [&](auto rule) { return rule(tensor, none); });
}

/// "3 PARTS (the first is 'NAME')"
static std::string countText(ArrayRef<std::string> names, StringRef parts) {
  return (Twine(names.size()) + " " + parts + " (the first is '" +
          printable(names.front()) + "')")
      .str();
}

/// Finds, by the exporter's record, parameters that were changed.
static std::vector<std::string> findRecordedLosses(const Graph &graph,
                                                   const GraphUses &uses) {
  std::vector<std::string> losses, changed;
  std::vector<std::string> missing = uses.record().missing(graph);
  for (const Tensor &tensor : graph.initializers)
    if (isFloat(tensor.type) && rewritten(tensor, uses))
      changed.push_back(tensor.name);
  if (!missing.empty())
    losses.push_back(countText(missing, "parameters are gone"));
  std::vector<std::string> folded = uses.record().foldedAway(graph);
  erase_if(folded, [&](StringRef name) {
    return is_contained(missing, name) || isMadeUpName(name);
  });
  if (!folded.empty())
    losses.push_back(
        countText(folded, "parameters or buffers are folded into constants"));
  if (!changed.empty())
    losses.push_back(countText(changed,
                               "parameters hold other values than the model's, "
                               "those of a normalization multiplied in"));
  return losses;
}

std::vector<std::string> findLosses(const Graph &graph, const GraphUses &uses) {
  std::vector<std::string> signs = findRecordedLosses(graph, uses);
  StringRef firstUnnamed, firstFused;
  size_t numUnnamed = 0, numFused = 0;
  for (const Tensor &tensor : graph.initializers) {
    StringRef name = tensor.name;
    bool unnamed = isFloat(tensor.type) && tensor.shape.size() >= 2 &&
                   (isAnonymous(name) || name.starts_with("val_")) &&
                   any_of(uses.usesOf(name), [](const GraphUses::Use &use) {
                     return isWeightSlot(*use.node, use.input);
                   });
    if (unnamed && numUnnamed++ == 0)
      firstUnnamed = name;
    // onnxscript gives this name to a bias that it makes from a normalization.
    bool fused = name.ends_with(".weight_bias") &&
                 any_of(uses.usesOf(name), [](const GraphUses::Use &use) {
                   return use.node->opType == "Conv" && use.input == 2;
                 });
    if (fused && numFused++ == 0)
      firstFused = name;
  }
  if (numUnnamed != 0)
    signs.push_back(std::to_string(numUnnamed) +
                    " weights have lost their names (the first is '" +
                    printable(firstUnnamed) + "')");
  if (numFused != 0)
    signs.push_back(std::to_string(numFused) +
                    " BatchNormalizations are multiplied into convolutions "
                    "(the first made '" +
                    printable(firstFused) + "')");
  return signs;
}

} // namespace mpc::onnx
