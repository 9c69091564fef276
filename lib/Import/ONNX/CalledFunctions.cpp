// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of PyTorch by the record of their calls. The exporter writes
//   sinc(x) as where(x == 0, 1, sin(pi x) / (pi x)), whose gradient at 0 is
//   NaN; atan2(y, x) as atan(y / x), of NaN gradient at x = 0, and with -pi for
//   +pi; logaddexp as log(exp(a) + exp(b)), which overflows from 88 on;
//   angle of a complex number by the same quotient;
//   logsigmoid as log(sigmoid(x)), which is -inf below -88;
//   xlogy(x, y) as where(x == 0, x, x log(y)), whose slope at x = 0 is 1;
//   log1p(x) and expm1(x) as log(x + 1) and exp(x) - 1, which a small x leaves
//   no digits;
//   attention of a row that is masked as a whole as a mean, which is 0;
//   bincount(x, minlength=n) as of a size that depends on the data.
#include "lib/Import/ONNX/CalledFunctions.h"

#include "lib/Import/ONNX/ExporterRecord.h"
#include "lib/Import/ONNX/ImportError.h"
#include "llvm/ADT/MapVector.h"

#include <numbers>

using namespace llvm;

namespace mpc::onnx {

using Kind = nn::CompareKind;

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

template <typename OpTy>
static Operand unaryOf(TensorBuilder &b, ArrayRef<Operand> arguments) {
  return b.unary<OpTy>(arguments[0]);
}

static Operand sincOf(TensorBuilder &b, ArrayRef<Operand> arguments) {
  const Operand &x = arguments[0];
  Operand isZero = b.compare(Kind::EQ, x, b.splatLike(x, 0));
  Operand angle = b.binary(Binary::Mul, x, std::numbers::pi);
  angle = b.select(isZero, b.splatLike(x, 1), angle);
  Operand ratio = b.binary(Binary::Div, b.unary<nn::SinOp>(angle), angle);
  return b.select(isZero, b.splatLike(x, 1), ratio);
}

/// Whether the sign of `x` is a minus, of zeros too.
static Operand isNegative(TensorBuilder &b, const Operand &x) {
  Operand zero = b.splatLike(x, 0);
  Operand isBelow = b.compare(Kind::LT, x, zero);
  Operand isZero = b.compare(Kind::EQ, x, zero);
  return b.select(isZero, b.compare(Kind::LT, b.reciprocal(x), zero), isBelow);
}

/// pi times `factor`, with the sign of `y`.
static Operand turn(TensorBuilder &b, const Operand &y, double factor) {
  double angle = factor * std::numbers::pi;
  return b.select(isNegative(b, y), b.splatLike(y, -angle),
                  b.splatLike(y, angle));
}

/// The smaller of the two is divided by the larger one: no quotient is
/// infinite. At (0, 0) it is of numbers.
static Operand atan2Of(TensorBuilder &b, ArrayRef<Operand> arguments) {
  const Operand &y = arguments[0], &x = arguments[1];
  Operand zero = b.splatLike(x, 0), one = b.splatLike(x, 1);
  Operand isSteep = b.compare(Kind::GT, b.abs(y), b.abs(x));
  Operand larger = b.select(isSteep, y, x);
  Operand isOrigin = b.compare(Kind::EQ, larger, zero);
  Operand ratio =
      b.binary(Binary::Div, b.select(isOrigin, zero, b.select(isSteep, x, y)),
               b.select(isOrigin, one, larger));
  Operand angle = b.unary<nn::AtanOp>(ratio);
  Operand steep = b.binary(Binary::Sub, turn(b, y, 0.5), angle);
  Operand behind = b.binary(Binary::Add, turn(b, y, 1), angle);
  return b.select(isSteep, steep, b.select(isNegative(b, x), behind, angle));
}

/// Of complex numbers, which are pairs along the last axis.
static Operand angleOf(TensorBuilder &b, ArrayRef<Operand> arguments) {
  const Operand &z = arguments[0];
  int64_t last = z.rank() - 1;
  auto part = [&](int64_t number) {
    return b.reshape(b.sliceAxis(z, last, number, number + 1),
                     ArrayRef(z.shape).drop_back());
  };
  return atan2Of(b, {part(1), part(0)});
}

/// max(x, y) + log(1 + exp(-|x - y|)), where equal infinities have no distance.
static Operand logAddExpOf(TensorBuilder &b, ArrayRef<Operand> arguments) {
  const Operand &x = arguments[0], &y = arguments[1];
  Operand distance = b.select(b.compare(Kind::EQ, x, y), b.splatLike(x, 0),
                              b.binary(Binary::Sub, x, y));
  Operand rest = b.unary<nn::SoftplusOp>(b.neg(b.abs(distance)));
  return b.binary(Binary::Add, b.binary(Binary::Max, x, y), rest);
}

static Operand logAddExp2Of(TensorBuilder &b, ArrayRef<Operand> arguments) {
  auto scaled = map_to_vector(arguments, [&](const Operand &x) {
    return b.binary(Binary::Mul, x, std::numbers::ln2);
  });
  return b.binary(Binary::Mul, logAddExpOf(b, scaled), std::numbers::log2e);
}

static Operand logSigmoidOf(TensorBuilder &b, ArrayRef<Operand> arguments) {
  return b.neg(b.unary<nn::SoftplusOp>(b.neg(arguments[0])));
}

/// x log(y), of a 1 where x is 0 and y has no finite logarithm.
static Operand xLogYOf(TensorBuilder &b, ArrayRef<Operand> arguments) {
  const Operand &x = arguments[0], &y = arguments[1];
  Operand no = b.splat(ElemType::Bool, x.shape, 0);
  Operand isZero = b.compare(Kind::EQ, x, b.splatLike(x, 0));
  Operand isPositive = b.compare(Kind::GT, y, b.splatLike(y, 0));
  Operand isInfinite = b.compare(
      Kind::EQ, y, b.splatLike(y, std::numeric_limits<double>::infinity()));
  Operand isNumber = b.compare(Kind::EQ, y, y);
  Operand isFree = b.select(isPositive, isInfinite, isNumber);
  Operand base = b.select(b.select(isZero, isFree, no), b.splatLike(y, 1), y);
  return b.binary(Binary::Mul, x, b.log(base));
}

/// Of floats, in f32 at least, rounded once.
template <Operand (*compute)(TensorBuilder &, ArrayRef<Operand>)>
static Error emitFormula(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY_ASSIGN(auto arguments, node.unifiedInputs());
  ElemType type = arguments.front().type;
  for (Operand &argument : arguments)
    argument = node.build.wide(argument);
  node.result(0, node.build.cast(compute(node.build, arguments), type));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// How many numbers a count of `x` has: up to the largest one that is known,
/// and at least as many as the call says.
static int64_t numberOfBins(const Node &node, const Operand &x) {
  int64_t bins = OriginalCall(node).integer(2, "minlength").value_or(0);
  if (x.known)
    for (int64_t number : nn::intsOf(x.known))
      bins = std::max(bins, number + 1);
  return bins;
}

/// Numbers that have no bin fall into one behind all others.
static Error emitBinCount(NodeImporter &node) {
  MPC_TRY(node.requireIndices(0));
  TensorBuilder &b = node.build;
  const Operand &x = node.in(0);
  int64_t bins = numberOfBins(node.node(), x);
  if (!x.known && bins == 0)
    return node.fail("how many numbers torch.bincount() counts depends on the "
                     "data, unless it is told by minlength");
  if (!x.known)
    node.note("counts the numbers below " + Twine(bins) +
              ", the minlength of torch.bincount()");
  Operand places = b.binary(Binary::Min, b.cast(x, ElemType::Int64),
                            b.splat(ElemType::Int64, x.shape, double(bins)));
  Operand counts = b.fold(nn::ScatterAddOp::create(
      b.builder(), b.location(), b.tensorType(ElemType::Int64, {bins + 1}),
      b.splat(ElemType::Int64, x.shape, 1).value, places.value, /*axis=*/0,
      /*batch_dims=*/0));
  node.result(0, b.sliceAxis(counts, 0, 0, bins));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Input 1, probabilities, where a row of input 0, a mask, is true anywhere,
/// and 0 in the other rows.
static Error emitRowsWithKeys(NodeImporter &node) {
  TensorBuilder &b = node.build;
  Operand mask = b.cast(node.in(0), ElemType::Bool);
  const Operand &probabilities = node.in(1);
  Shape column = mask.shape;
  if (!column.empty())
    column.back() = 1;
  Operand hasKey =
      mask.shape.empty()
          ? mask
          : b.reshape(b.reduceMax(mask, {mask.rank() - 1}), column);
  MPC_TRY_ASSIGN(hasKey,
                 node.broadcastTo(hasKey, probabilities.shape, "the mask"));
  node.result(0,
              b.select(hasKey, probabilities, b.splatLike(probabilities, 0)));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// In the graph
//===----------------------------------------------------------------------===//

namespace {

/// Input `input` of the call's node number `number` of `opType`, or of the last
/// one.
struct Place {
  StringRef opType;
  size_t number;
  size_t input;
};

struct CalledFunction {
  /// Up to the overload.
  StringRef target;
  /// Where the exporter's formula reads the arguments.
  SmallVector<Place, 3> arguments;
  Emitter emit;
};

} // namespace

static ArrayRef<CalledFunction> calledFunctions() {
  static const CalledFunction kFunctions[] = {
      {"aten.angle.", {{"Slice", 0, 0}}, emitFormula<angleOf>},
      {"aten.atan2.", {{"Div", 0, 0}, {"Div", 0, 1}}, emitFormula<atan2Of>},
      {"aten.bincount.", {{"ScatterElements", 0, 1}}, emitBinCount},
      {"aten.embedding_bag.padding_idx",
       {{"Gather", 0, 0}, {"Gather", 0, 1}, {"Size", 0, 0}},
       emitEmbeddingBag},
      {"aten.expm1.", {{"Exp", 0, 0}}, emitFormula<unaryOf<nn::Expm1Op>>},
      {"aten.log1p.", {{"Add", 0, 0}}, emitFormula<unaryOf<nn::Log1pOp>>},
      {"aten.log_sigmoid.", {{"Sigmoid", 0, 0}}, emitFormula<logSigmoidOf>},
      {"aten.logaddexp.",
       {{"Exp", 0, 0}, {"Exp", 1, 0}},
       emitFormula<logAddExpOf>},
      {"aten.logaddexp2.",
       {{"Pow", 0, 1}, {"Pow", 1, 1}},
       emitFormula<logAddExp2Of>},
      {"aten.scaled_dot_product_attention.", {}, emitRowsWithKeys},
      {"aten.sinc.", {{"Mul", 0, 0}}, emitFormula<sincOf>},
      {"aten.special_sinc.", {{"Mul", 0, 0}}, emitFormula<sincOf>},
      {"aten.xlogy.", {{"Equal", 0, 0}, {"Log", 0, 0}}, emitFormula<xLogYOf>},
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

/// The node of a call that makes `name`, or null.
static const Node *makerOf(ArrayRef<const Node *> nodes, StringRef name) {
  auto *found = find_if(nodes, [&](const Node *node) {
    return is_contained(node->outputs, name);
  });
  return found == nodes.end() ? nullptr : *found;
}

/// What the nodes of a call read at `place`, before a cast of theirs; empty
/// where they are others.
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

/// The arguments of `function`, as the nodes of a call read them; none where
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

/// A bool mask of attention is written as a sum with the least number. Where it
/// masks a whole row the probabilities are then all alike, and by the function
/// 0: where(isnan(softmax), 0, softmax), which is written, does not see them.
/// That node reads the mask instead.
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
    node->isOfCall = true;
  }
}

void restoreCalledFunctions(Graph &graph) {
  MapVector<StringRef, SmallVector<Node *>> calls;
  for (Node &node : graph.nodes)
    if (functionOf(node))
      calls[node.call].push_back(&node);
  std::vector<std::string> replaced;
  for (auto &[call, nodes] : calls) {
    SmallVector<const Node *> given(nodes.begin(), nodes.end());
    Node &last = *nodes.back();
    if (functionOf(last)->emit == emitRowsWithKeys)
      restoreEmptyRows(nodes);
    auto arguments = argumentsOf(given, *functionOf(last));
    if (arguments.empty() || last.outputs.size() != 1)
      continue;
    last.inputs = std::move(arguments);
    last.attributes.clear();
    last.isOfCall = true;
    replaced.push_back(last.call);
  }
  for (const std::string &call : replaced)
    removeUnread(graph, call);
}

//===----------------------------------------------------------------------===//
// As ops
//===----------------------------------------------------------------------===//

const OpRule &ruleOfCalled() {
  static const OpRule kRule = {"", 1, 1, 3, 1, "", [](NodeImporter &node) {
                                 return functionOf(node.node())->emit(node);
                               }};
  return kRule;
}

} // namespace mpc::onnx
