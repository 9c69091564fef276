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
//   erfcx(x) as exp(x^2) (1 - erf(x)), which is inf * 0 from 9 on, and so
//   log_ndtr(x) below -13;
//   logit(x, eps) with the bounds in the other order, which shows where eps is
//   above 1/2;
//   addbmm, addmv and baddbmm with beta = 0 as a product with 0, which keeps
//   NaN;
//   _safe_softmax as where(masked, 0, softmax(x)), whose gradient is NaN in a
//   row that is masked as a whole;
//   attention of a row that is masked as a whole as a mean, which is 0;
//   bincount(x, minlength=n) as of a size that depends on the data.
#include "lib/Import/ONNX/PyTorch/CalledFunctions.h"

#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/PyTorch/ExporterRecord.h"
#include "llvm/ADT/MapVector.h"

#include <cmath>
#include <limits>
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
  Operand no = b.splat(b.i1(), x.shape, 0);
  Operand isZero = b.compare(Kind::EQ, x, b.splatLike(x, 0));
  Operand isPositive = b.compare(Kind::GT, y, b.splatLike(y, 0));
  Operand isInfinite = b.compare(
      Kind::EQ, y, b.splatLike(y, std::numeric_limits<double>::infinity()));
  Operand isNumber = b.compare(Kind::EQ, y, y);
  Operand isFree = b.select(isPositive, isInfinite, isNumber);
  Operand base = b.select(b.select(isZero, isFree, no), b.splatLike(y, 1), y);
  return b.binary(Binary::Mul, x, b.log(base));
}

/// Of x >= 0, in t = 3 / (3 + x): t times a polynomial in 2t - 1, which was
/// fitted at the nodes of Chebyshev's polynomials against float64 values. Off
/// by 1.1e-12 at most, relative to the value.
static Operand scaledComplement(TensorBuilder &b, const Operand &x) {
  static constexpr double kCoefficients[] = {
      -8.7115529383181343e-08, -1.3589284887402772e-07, 8.5970221364188939e-07,
      1.307139065282944e-06,   -5.7897619242218908e-06, -9.9083764179416899e-06,
      3.5851868697865384e-05,  9.215173461489297e-05,   -0.00018277595304052241,
      -0.0010113243684737143,  -0.00040413625201782787, 0.0089424072040648391,
      0.039842586683028702,    0.10348908758347226,     0.19674278572345194,
      0.29446481771797461,     0.35800230236259856};
  Operand three = b.splatLike(x, 3);
  Operand t = b.binary(Binary::Div, three, b.binary(Binary::Add, x, 3));
  Operand s =
      b.binary(Binary::Sub, b.binary(Binary::Add, t, t), b.splatLike(x, 1));
  Operand sum = b.splatLike(x, kCoefficients[0]);
  for (double coefficient : ArrayRef(kCoefficients).drop_front())
    sum = b.binary(Binary::Add, b.binary(Binary::Mul, sum, s), coefficient);
  return b.binary(Binary::Mul, t, sum);
}

/// exp(x^2) (1 - erf(x)); of negative x, 2 exp(x^2) less that of -x. No
/// gradient comes from where it is infinite: of log_ndtr(x) this is not the
/// branch that counts.
static Operand erfcxOf(TensorBuilder &b, ArrayRef<Operand> arguments) {
  const Operand &x = arguments[0];
  Operand isNegative = b.compare(Kind::LT, x, b.splatLike(x, 0));
  // Unlike |x|, this has a slope at 0.
  Operand size = b.select(isNegative, b.neg(x), x);
  Operand positive = scaledComplement(b, size);
  double most =
      std::log(x.type == b.f64() ? std::numeric_limits<double>::max()
                                 : std::numeric_limits<float>::max()) -
      std::numbers::ln2;
  Operand zero = b.splatLike(x, 0);
  Operand square = b.binary(Binary::Mul, x, x);
  square = b.select(isNegative, square, zero);
  Operand isHeld = b.compare(Kind::LT, square, b.splatLike(x, most));
  Operand power = b.exp(b.select(isHeld, square, zero));
  Operand negative = b.select(
      isHeld,
      b.binary(Binary::Sub, b.binary(Binary::Add, power, power), positive),
      b.splatLike(x, std::numeric_limits<double>::infinity()));
  return b.select(isNegative, negative, positive);
}

/// Of floats, in f32 at least, rounded once.
template <Operand (*compute)(TensorBuilder &, ArrayRef<Operand>)>
static Error emitFormula(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY_ASSIGN(auto arguments, node.unifiedInputs());
  mlir::Type type = arguments.front().type;
  for (Operand &argument : arguments)
    argument = node.build.wide(argument);
  node.result(0, node.build.cast(compute(node.build, arguments), type));
  return Error::success();
}

/// log(z / (1 - z)), where z is x between eps and 1 - eps: eps is the one that
/// counts where they cross.
static Error emitLogit(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  std::optional<double> eps = OriginalCall(node.node()).number(1, "eps");
  if (!eps)
    return node.fail("the record does not say which eps torch.logit() has");
  TensorBuilder &b = node.build;
  mlir::Type type = node.in(0).type;
  Operand x = b.wide(node.in(0));
  Operand low = b.splatLike(x, *eps), high = b.splatLike(x, 1 - *eps);
  Operand z = b.select(b.compare(Kind::GT, x, high), high, x);
  z = b.select(b.compare(Kind::LT, x, low), low, z);
  Operand rest = b.binary(Binary::Sub, b.splatLike(x, 1), z);
  node.result(0, b.cast(b.log(b.binary(Binary::Div, z, rest)), type));
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
  Operand places = b.binary(Binary::Min, b.cast(x, b.i64()),
                            b.splat(b.i64(), x.shape, double(bins)));
  Operand counts = b.fold(nn::ScatterAddOp::create(
      b.builder(), b.location(), b.tensorType(b.i64(), {bins + 1}),
      b.splat(b.i64(), x.shape, 1).value, places.value, /*axis=*/0,
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
  Operand mask = b.cast(node.in(0), b.i1());
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
      {"aten.logit.", {{"Less", 0, 0}}, emitLogit},
      {"aten.logaddexp.",
       {{"Exp", 0, 0}, {"Exp", 1, 0}},
       emitFormula<logAddExpOf>},
      {"aten.logaddexp2.",
       {{"Pow", 0, 1}, {"Pow", 1, 1}},
       emitFormula<logAddExp2Of>},
      {"aten.scaled_dot_product_attention.", {}, emitRowsWithKeys},
      {"aten.sinc.", {{"Mul", 0, 0}}, emitFormula<sincOf>},
      {"aten.special_erfcx.", {{"Pow", 0, 0}}, emitFormula<erfcxOf>},
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

namespace {

/// The nodes of a graph by what they make, while none is added.
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
  /// The node that makes `name`, if it is of `opType`.
  [[nodiscard]] const Node *find(StringRef name, StringRef opType) const {
    const Node *node = find(name);
    bool isOfType = node && node->domain.empty() && node->opType == opType &&
                    !node->inputs.empty();
    return isOfType ? node : nullptr;
  }
  /// What `name` is a cast of.
  [[nodiscard]] StringRef behindCasts(StringRef name) const {
    const Node *cast = find(name, "Cast");
    return cast ? behindCasts(cast->inputs[0]) : name;
  }

private:
  StringMap<const Node *> makers_;
};

} // namespace

/// The value x where `name` is all(x == number) over rows, as exporters write
/// it; empty where it is not.
static StringRef maskedRowsOf(const Makers &makers, StringRef name) {
  const Node *all = makers.find(makers.behindCasts(name), "ReduceMin");
  const Node *equal =
      all ? makers.find(makers.behindCasts(all->inputs[0]), "Equal") : nullptr;
  return equal ? StringRef(equal->inputs[0]) : "";
}

/// The softmax that `guard` hides in rows that are masked as a whole, or null.
static const Node *guardedSoftmax(const Makers &makers, const Node &guard) {
  if (guard.opType != "Where" || guard.inputs.size() != 3)
    return nullptr;
  const Node *softmax = makers.find(guard.inputs[2], "Softmax");
  bool isOfRows =
      softmax && softmax->inputs[0] == maskedRowsOf(makers, guard.inputs[0]);
  return isOfRows ? softmax : nullptr;
}

/// where(masked, 0, softmax(x)), of rows that are masked as a whole, becomes
/// where(masked, 0, softmax(where(masked, 0, x))): what is not chosen then has
/// a gradient that is a number.
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

/// Whether `node` is beta * input: a product of what its call was given. The
/// call's own product has a factor that the call made.
static bool isScaledInput(const Makers &makers, const Node *node) {
  return node && any_of(node->inputs, [&](const std::string &input) {
           const Node *maker = makers.find(input);
           return !maker || maker->call != node->call;
         });
}

/// beta * input + product, of beta = 0: the product alone, whatever the input
/// holds.
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
      if (!scaled || scaled->call != sum.call || !isScaledInput(makers, scaled))
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
