// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-find-attention: turns attention that a model writes out into nn.attention.
#include "passes/NN/Passes.h"

#include "dialects/Interfaces/NodeNames.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/Constants.h"
#include "dialects/NN/Random.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/NN/AttentionMask.h"
#include "passes/NN/AutocastPolicy.h"

#include <cmath>
#include <limits>

namespace mpc::nn {
#define GEN_PASS_DEF_FINDATTENTIONPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

static constexpr double kLowest = -std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Single ops
//===----------------------------------------------------------------------===//

static std::optional<double> numberOf(Value value) {
  DenseElementsAttr constant;
  if (!matchPattern(movedFrom(value), m_Constant(&constant)))
    return std::nullopt;
  return splatOf(constant);
}

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

/// Whether a reshape leaves the last two axes, of rows and columns.
static bool keepsMatrices(ReshapeOp reshape) {
  ArrayRef<int64_t> from = shapeOf(reshape.getInput());
  ArrayRef<int64_t> to = shapeOf(reshape.getOutput());
  return from.size() >= 2 && to.size() >= 2 &&
         from.take_back(2) == to.take_back(2);
}

/// Whether a transpose exchanges the last two axes and leaves the others.
static bool swapsMatrices(TransposeOp transpose) {
  SmallVector<int64_t> order(transpose.getPermutation());
  if (order.size() < 2)
    return false;
  std::swap(order.back(), order[order.size() - 2]);
  return llvm::is_sorted(order);
}

/// The operand that `op` multiplies by a number, and the number.
static std::optional<std::pair<Value, double>> scaledBy(Operation *op) {
  if (auto product = dyn_cast_or_null<MulOp>(op)) {
    if (auto number = numberOf(product.getRhs()))
      return std::pair(product.getLhs(), *number);
    if (auto number = numberOf(product.getLhs()))
      return std::pair(product.getRhs(), *number);
  }
  if (auto quotient = dyn_cast_or_null<DivOp>(op))
    if (auto number = numberOf(quotient.getRhs()); number && *number != 0.0)
      return std::pair(quotient.getLhs(), 1.0 / *number);
  return std::nullopt;
}

/// The operand of an op that leaves numbers where they are in each matrix: a
/// cast between floats, or a reshape of the other axes. Null of others.
static Value behindMove(Operation *op) {
  auto cast = dyn_cast_or_null<CastOp>(op);
  auto reshape = dyn_cast_or_null<ReshapeOp>(op);
  bool moves =
      (cast && isFloat(cast.getInput())) || (reshape && keepsMatrices(reshape));
  return moves ? op->getOperand(0) : Value();
}

//===----------------------------------------------------------------------===//
// A factor of a product
//===----------------------------------------------------------------------===//

namespace {

/// An operand of a product of matrices, without what attention does itself.
struct Factor {
  /// Takes numbers that `value` is multiplied by into `scale`, if given.
  Factor(Value value, bool isSwapped, double *scale = nullptr)
      : value(value), isSwapped(isSwapped) {
    while (strip(scale))
      ;
  }

  /// Builds the factor as [batch, heads, rows, columns].
  Value build(GradientBuilder &g, int64_t batch, int64_t heads) const;

  /// The number of heads, each of which is repeated for as many of `heads`;
  /// `heads` where none is.
  [[nodiscard]] int64_t groups(int64_t batch, int64_t heads) const;

  Value value;
  bool isSwapped; ///< Whether `value` has columns before rows.

private:
  bool strip(double *scale);
};

} // namespace

bool Factor::strip(double *scale) {
  Operation *op = value.getDefiningOp();
  if (auto scaled = scale ? scaledBy(op) : std::nullopt) {
    value = scaled->first;
    *scale *= scaled->second;
    return true;
  }
  if (auto transpose = dyn_cast_or_null<TransposeOp>(op);
      transpose && swapsMatrices(transpose)) {
    value = transpose.getInput();
    isSwapped = !isSwapped;
    return true;
  }
  auto reshape = dyn_cast_or_null<ReshapeOp>(op);
  if (!reshape || !keepsMatrices(reshape))
    return false;
  value = reshape.getInput();
  return true;
}

/// The broadcast of [b, g, ..] to [b, g, r, ..] behind a factor, where g r is
/// the number of heads.
static BroadcastOp repetitionOf(Value value, int64_t batch, int64_t heads) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return {};
  ArrayRef<int64_t> to = shapeOf(broadcast.getOutput());
  ArrayRef<int64_t> from = shapeOf(broadcast.getInput());
  if (to.size() != 5 || to[0] != batch || to[1] * to[2] != heads)
    return {};
  int64_t places = 0;
  for (auto [axis, size] : llvm::zip_equal(broadcast.getAxes(), from)) {
    if (axis != 2 && size != to[axis])
      return {};
    if (axis == 2 && size != 1)
      return {};
    places += axis != 2;
  }
  return places == 4 ? broadcast : BroadcastOp();
}

int64_t Factor::groups(int64_t batch, int64_t heads) const {
  BroadcastOp repetition = repetitionOf(value, batch, heads);
  return repetition ? shapeOf(repetition.getOutput())[1] : heads;
}

Value Factor::build(GradientBuilder &g, int64_t batch, int64_t heads) const {
  Value built = value;
  SmallVector<int64_t> rowsAndColumns(ArrayRef(shapeOf(value)).take_back(2));
  BroadcastOp repetition;
  int64_t all = 1;
  for (int64_t size : shapeOf(value).drop_back(2))
    all *= size;
  if (all != batch * heads)
    repetition = repetitionOf(value, batch, all / batch);
  if (repetition)
    built = repetition.getInput();
  built =
      g.reshape(built, {batch, heads, rowsAndColumns[0], rowsAndColumns[1]});
  if (isSwapped)
    built =
        TransposeOp::create(g.b, g.loc, built, ArrayRef<int64_t>{0, 1, 3, 2});
  return built;
}

//===----------------------------------------------------------------------===//
// What lies between the products
//===----------------------------------------------------------------------===//

/// Whether scores, a product of matrices, are behind what may be done to them.
static bool leadsToProduct(Value value) {
  for (Operation *op = value.getDefiningOp(); op; op = value.getDefiningOp()) {
    if (isa<MatmulOp>(op))
      return true;
    if (Value behind = behindMove(op))
      value = behind;
    else if (auto scaled = scaledBy(op))
      value = scaled->first;
    else if (auto select = dyn_cast<SelectOp>(op))
      value = numberOf(select.getOnTrue()) ? select.getOnFalse()
                                           : select.getOnTrue();
    else if (auto sum = dyn_cast<AddOp>(op))
      value = leadsToProduct(sum.getLhs()) ? sum.getLhs() : sum.getRhs();
    else
      return false;
  }
  return false;
}

namespace {

/// The scores between a product and a softmax, walked backwards.
class Scores {
public:
  /// Walks from `value` to the product. False where something else is done to
  /// scores; `reason` says what.
  bool walk(Value value);
  /// Walks from numbers that are -inf where no score is left: masks without
  /// scores. True where they have the same masks.
  bool masksAs(Value value) const;

  MatmulOp product;
  double scale = 1.0;
  SmallVector<MaskTerm> terms;
  SmallVector<SmallVector<int64_t>> shapes; ///< Those that scores have.
  SmallVector<Operation *> ops;
  std::string reason;

private:
  bool step(Value &value);
  bool choose(SelectOp select, Value &value);
  bool add(AddOp sum, Value &value);
  bool fail(const Twine &why) {
    reason = why.str();
    return false;
  }
};

} // namespace

bool Scores::choose(SelectOp select, Value &value) {
  std::optional<double> onTrue = numberOf(select.getOnTrue());
  std::optional<double> fill = onTrue ? onTrue : numberOf(select.getOnFalse());
  if (!fill)
    return fail("it selects between scores and numbers that differ");
  bool inverted = onTrue.has_value();
  terms.push_back({SmallVector<int64_t>(shapeOf(select.getOutput())),
                   PlacedTensor::whole(select.getCondition()), true, inverted,
                   *fill * scale});
  terms.back().tensor = terms.back().tensor.origin();
  value = inverted ? select.getOnFalse() : select.getOnTrue();
  return *fill * scale < 0.0 || fail("masked scores are not low");
}

bool Scores::add(AddOp sum, Value &value) {
  bool isLeft = leadsToProduct(sum.getLhs());
  Value mask = isLeft ? sum.getRhs() : sum.getLhs();
  if (isLeft && leadsToProduct(mask))
    return fail("scores are a sum of products");
  if (scale != 1.0)
    return fail("a mask is added before the scale");
  terms.push_back({SmallVector<int64_t>(shapeOf(sum.getOutput())),
                   PlacedTensor::whole(mask).origin()});
  value = isLeft ? sum.getLhs() : sum.getRhs();
  return true;
}

bool Scores::step(Value &value) {
  Operation *op = value.getDefiningOp();
  if (auto matmul = dyn_cast_or_null<MatmulOp>(op)) {
    product = matmul;
    return !matmul.getBias() || fail("the product of scores has a bias");
  }
  if (Value behind = behindMove(op)) {
    value = behind;
    return true;
  }
  if (auto scaled = scaledBy(op)) {
    scale *= scaled->second;
    value = scaled->first;
    return true;
  }
  if (auto select = dyn_cast_or_null<SelectOp>(op))
    return choose(select, value);
  if (auto sum = dyn_cast_or_null<AddOp>(op))
    return add(sum, value);
  return fail(op ? "scores go through " + op->getName().getStringRef().str()
                 : "scores are given");
}

bool Scores::walk(Value value) {
  while (!product) {
    Operation *op = value.getDefiningOp();
    if (!value.hasOneUse())
      return fail("scores have another reader");
    shapes.emplace_back(shapeOf(value));
    if (op)
      ops.push_back(op);
    if (!step(value))
      return false;
  }
  return true;
}

bool Scores::masksAs(Value value) const {
  SmallVector<MaskTerm> left;
  while (auto select = value.getDefiningOp<SelectOp>()) {
    std::optional<double> fill = numberOf(select.getOnFalse());
    if (!fill)
      break;
    left.push_back({SmallVector<int64_t>(shapeOf(select.getOutput())),
                    PlacedTensor::whole(select.getCondition()).origin(), true,
                    false, *fill});
    value = select.getOnTrue();
  }
  if (numberOf(value) != 0.0)
    left.push_back({SmallVector<int64_t>(shapeOf(value)),
                    PlacedTensor::whole(value).origin()});
  return left == terms;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

namespace {

/// An attention that is written out around a softmax.
class Candidate {
public:
  explicit Candidate(SoftmaxOp softmax) : softmax_(softmax) {}

  /// Whether the softmax's result leads to a product, so that attention may be
  /// meant.
  bool findProduct();
  /// Whether it is what nn.attention computes; else `reason` says why not.
  bool match();
  /// Puts nn.attention in its place. Builds nothing where a mask is in the way.
  bool replace(OpBuilder &builder);
  /// The ops that it replaces.
  [[nodiscard]] SmallVector<Operation *> ops() const;

  std::string reason;

private:
  bool matchWeights();
  bool matchEmptyRows(Value &start);
  void chooseShape();
  bool fail(const Twine &why) {
    reason = why.str();
    return false;
  }

  SoftmaxOp softmax_;
  SmallVector<Operation *> readers_; ///< From the softmax to the product.
  MatmulOp output_;                  ///< The product of weights and values.
  SelectOp zeros_; ///< What gives a row without keys the weights 0.
  Value reach_;    ///< Of such a form: -inf where no key takes part.
  Scores scores_;
  SmallVector<int64_t> shape_; ///< Of the scores, on four axes.
};

} // namespace

/// A reader of weights that may lead to a product.
static Operation *readerOf(Value value) {
  for (Operation *user : value.getUsers())
    if (isa<MatmulOp, DropoutOp, SelectOp>(user) || behindMove(user))
      return user;
  return nullptr;
}

bool Candidate::findProduct() {
  Value value = softmax_.getOutput();
  if (static_cast<int64_t>(softmax_.getAxis()) + 1 !=
      rankedType(value).getRank())
    return false;
  while (Operation *reader = readerOf(value)) {
    readers_.push_back(reader);
    output_ = dyn_cast<MatmulOp>(reader);
    if (output_)
      return output_.getLhs() == value && !output_.getTransposeLhs();
    value = reader->getResult(0);
  }
  return false;
}

bool Candidate::matchWeights() {
  Value value = softmax_.getOutput();
  for (Operation *reader : readers_) {
    if (!value.hasOneUse())
      return fail("weights have another reader");
    auto dropout = dyn_cast<DropoutOp>(reader);
    if (dropout && !dropout.getKey().empty())
      return fail("weights are dropped at random");
    if (auto select = dyn_cast<SelectOp>(reader)) {
      if (zeros_ || select.getOnFalse() != value)
        return fail("weights go through nn.select");
      zeros_ = select;
    }
    value = reader->getResult(0);
  }
  return !output_.getBias() || fail("the product of values has a bias");
}

/// Matches what replaces NaN, the weights of a row without keys, by 0: such
/// rows have the scores 0 instead, and are those whose greatest reach is -inf.
bool Candidate::matchEmptyRows(Value &start) {
  if (!zeros_)
    return true;
  auto scores = start.getDefiningOp<SelectOp>();
  auto isEmpty = zeros_.getCondition().getDefiningOp<CompareOp>();
  bool isKnown = scores && isEmpty && numberOf(zeros_.getOnTrue()) == 0.0 &&
                 scores.getCondition() == zeros_.getCondition() &&
                 numberOf(scores.getOnTrue()) == 0.0 &&
                 isEmpty.getKind() == CompareKind::EQ &&
                 numberOf(isEmpty.getRhs()) == kLowest;
  if (!isKnown)
    return fail("weights go through nn.select");
  PlacedTensor most = PlacedTensor::whole(isEmpty.getLhs()).origin();
  auto max = most.value.getDefiningOp<ReduceMaxOp>();
  int64_t rank = rankedType(start).getRank();
  bool isOfRows = max && max.getAxes() == ArrayRef<int64_t>{rank - 1};
  for (int64_t axis = 0; isOfRows && axis < rank - 1; ++axis)
    isOfRows = most.axes[axis] == axis || shapeOf(most.value)[axis] == 1;
  if (!isOfRows)
    return fail("weights go through nn.select");
  reach_ = max.getInput();
  start = scores.getOnFalse();
  return true;
}

/// Chooses the axes of batch and heads: those of a tensor of scores that has
/// four axes, so that masks need not be repeated.
void Candidate::chooseShape() {
  SmallVector<int64_t> chosen = scores_.shapes.back();
  for (const SmallVector<int64_t> &shape : llvm::reverse(scores_.shapes))
    if (shape.size() == 4) {
      chosen = shape;
      break;
    }
  while (chosen.size() < 4)
    chosen.insert(chosen.end() - 2, 1);
  while (chosen.size() > 4) {
    chosen[1] *= chosen[0];
    chosen.erase(chosen.begin());
  }
  shape_ = chosen;
}

bool Candidate::match() {
  Value start = softmax_.getInput();
  if (!matchWeights() || !matchEmptyRows(start))
    return false;
  if (!scores_.walk(start))
    return fail(scores_.reason);
  if (reach_ && !scores_.masksAs(reach_))
    return fail("weights go through nn.select");
  for (Operation *op : ops())
    if (op->getBlock() != softmax_->getBlock())
      return fail("it is in two regions");
  Type type = getElementTypeOrSelf(scores_.product.getLhs());
  if (getElementTypeOrSelf(output_.getRhs()) != type)
    return fail("queries and values have two types");
  chooseShape();
  return true;
}

SmallVector<Operation *> Candidate::ops() const {
  // The op whose result it is gives it its name.
  SmallVector<Operation *> all{output_};
  all.append(readers_.begin(), readers_.end() - 1);
  all.push_back(softmax_);
  all.append(scores_.ops);
  return all;
}

bool Candidate::replace(OpBuilder &builder) {
  SmallVector<Location> places;
  for (Operation *op : ops())
    places.push_back(op->getLoc());
  builder.setInsertionPoint(output_);
  GradientBuilder g(builder, builder.getFusedLoc(places));
  MatmulOp product = scores_.product;
  double scale = scores_.scale;
  Factor query(product.getLhs(), product.getTransposeLhs(), &scale);
  Factor key(product.getRhs(), !product.getTransposeRhs(), &scale);
  Factor value(output_.getRhs(), output_.getTransposeRhs());
  int64_t batch = shape_[0], heads = shape_[1];
  Type element = getElementTypeOrSelf(query.value);
  bool isWide = element.isF64();
  auto type =
      RankedTensorType::get(shape_, isWide ? element : builder.getF32Type());
  std::optional<AttentionMask> mask = buildMask(g, scores_.terms, type, reason);
  if (!mask)
    return false;
  int64_t groups = key.groups(batch, heads);
  if (value.groups(batch, heads) != groups)
    groups = heads;
  auto window = mask->band.window;
  auto attention = AttentionOp::create(
      builder, g.loc, query.build(g, batch, heads), key.build(g, batch, groups),
      value.build(g, batch, groups), mask->mask, llvm::APFloat(scale),
      mask->band.causal,
      window ? builder.getI64IntegerAttr(*window) : IntegerAttr());
  output_.replaceAllUsesWith(
      g.reshape(attention.getOutput(), shapeOf(output_.getOutput())));
  return true;
}

/// Erases ops of which nothing is read any more, readers first.
static void eraseUnread(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (op->use_empty())
      op->erase();
}

namespace {

struct FindAttentionPass
    : mpc::nn::impl::FindAttentionPassBase<FindAttentionPass> {
  using FindAttentionPassBase::FindAttentionPassBase;

  FindAttentionPass(const FindAttentionPassOptions &options,
                    std::shared_ptr<const AutocastPolicy> loaded)
      : FindAttentionPassBase(options), loaded_(std::move(loaded)) {}

  LogicalResult initialize(MLIRContext *context) override {
    SmallVector<std::string> expressions(named.begin(), named.end());
    auto compiled =
        NamePatterns::compile(expressions, [&](const std::string &message) {
          emitError(UnknownLoc::get(context), message);
        });
    if (failed(compiled))
      return failure();
    named_ = *compiled;
    if (loaded_)
      return success();
    PolicyOrError found = loadAutocastPolicy(policy, *context);
    if (!found.first)
      return emitError(UnknownLoc::get(context), found.second.message);
    loaded_ = found.first;
    return success();
  }

  void runOnOperation() override {
    if (!loaded_->base->isOwn || !loaded_->rules.empty() || !hasKernel())
      return;
    SmallVector<SoftmaxOp> softmaxes;
    getOperation().walk([&](SoftmaxOp op) { softmaxes.push_back(op); });
    for (SoftmaxOp softmax : softmaxes)
      visit(softmax);
  }

private:
  /// Whether the target computes attention in both types that the model's may
  /// get.
  bool hasKernel() {
    if (force)
      return true;
    kernel::TargetAttrInterface target = kernel::getTarget(getOperation());
    return target && target.hasAttention(Float32Type::get(&getContext())) &&
           target.hasAttention(typeOf(precision, &getContext()));
  }

  void visit(SoftmaxOp softmax) {
    Candidate candidate(softmax);
    if (!candidate.findProduct())
      return;
    OpBuilder builder(softmax);
    bool isFound =
        candidate.match() && !isNamed(candidate) && candidate.replace(builder);
    if (!isFound) {
      softmax.emitRemark("attention stays written out: ") << candidate.reason;
      return;
    }
    ++numFound;
    eraseUnread(candidate.ops());
  }

  /// Whether a flag gives one of the ops a type.
  bool isNamed(Candidate &candidate) {
    bool found = llvm::any_of(candidate.ops(), [&](Operation *op) {
      SmallVector<StringRef> names = getNodeNames(op->getLoc());
      names.push_back(op->getName().stripDialect());
      return llvm::any_of(names,
                          [&](StringRef name) { return named_.matches(name); });
    });
    if (found)
      candidate.reason = "a flag gives one of its ops a type";
    return found;
  }

  std::shared_ptr<const AutocastPolicy> loaded_;
  NamePatterns named_;
};

} // namespace

std::unique_ptr<Pass>
mpc::nn::createFindAttentionPass(const FindAttentionPassOptions &options,
                                 std::shared_ptr<const AutocastPolicy> policy) {
  return std::make_unique<FindAttentionPass>(options, std::move(policy));
}
