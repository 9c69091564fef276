// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-find-attention: turns attention that a model writes out into nn.attention.
#include "passes/NN/Passes.h"

#include "dialects/Interfaces/NodeNames.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/Kernel/Philox.h"
#include "dialects/NN/Attention.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/NN/AutocastPolicy.h"
#include "passes/NN/WrittenAttention.h"

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
  /// Whether one node of the model stands for it, and not one for each op.
  bool isOneNode();
  /// Puts nn.attention in its place. Builds nothing where a mask is in the way.
  bool replace(OpBuilder &builder);
  /// The ops that it replaces, readers first.
  [[nodiscard]] SmallVector<Operation *> ops() const;

  std::string reason;

private:
  bool matchWeights();
  bool matchSelect(SelectOp select, Value weights);
  bool matchEmptyRows(Value &start);
  void chooseShape();
  bool drawsAlike();
  bool fail(const Twine &why) {
    reason = why.str();
    return false;
  }

  SoftmaxOp softmax_;
  SmallVector<Operation *> readers_; ///< From the softmax to the product.
  MatmulOp output_;                  ///< The product of weights and values.
  SelectOp zeros_;    ///< What gives a row without keys the weights 0.
  DropoutOp dropout_; ///< What drops weights.
  Value reach_;       ///< Of such a form: -inf where no key takes part.
  WrittenScores scores_;
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
    if (dropout && !dropout.getRandomKey().empty()) {
      if (dropout_)
        return fail("weights are dropped twice");
      dropout_ = dropout;
    }
    if (auto select = dyn_cast<SelectOp>(reader);
        select && !matchSelect(select, value))
      return fail("weights go through nn.select");
    value = reader->getResult(0);
  }
  return !output_.getBias() || fail("the product of values has a bias");
}

bool Candidate::matchSelect(SelectOp select, Value weights) {
  if (zeros_ || select.getOnFalse() != weights)
    return false;
  zeros_ = select;
  return true;
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
  return drawsAlike() || fail("weights are dropped under another shape");
}

bool Candidate::isOneNode() {
  StringRef node = getNodeName(softmax_.getLoc());
  bool isOne = !node.empty() && node == getNodeName(output_.getLoc()) &&
               node == getNodeName(scores_.product.getLoc());
  return isOne || fail("the policy says of each of its ops how it rounds");
}

/// Whether dropout of a tensor of the chosen shape has the same numbers.
bool Candidate::drawsAlike() {
  if (!dropout_)
    return true;
  auto rows = kernel::getRandomRows(shapeOf(dropout_.getInput()));
  auto chosen = kernel::getRandomRows(shape_);
  return rows.length == chosen.length;
}

SmallVector<Operation *> Candidate::ops() const {
  // The op whose result it is gives it its name.
  SmallVector<Operation *> all(llvm::reverse(readers_));
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
  AttentionFactor query(product.getLhs(), product.getTransposeLhs(), &scale);
  AttentionFactor key(product.getRhs(), !product.getTransposeRhs(), &scale);
  AttentionFactor value(output_.getRhs(), output_.getTransposeRhs());
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
      value.build(g, batch, groups), mask->mask,
      dropout_ ? ValueRange(dropout_.getRandomKey()) : ValueRange(),
      llvm::APFloat(scale),
      scores_.softcap ? builder.getF64FloatAttr(*scores_.softcap) : FloatAttr(),
      mask->band.causal,
      window ? builder.getI64IntegerAttr(*window) : IntegerAttr(),
      dropout_ ? dropout_.getRatioAttr() : FloatAttr(),
      dropout_ ? dropout_.getStream() : 0);
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
    return loadIfMissing(loaded_, policy, *context);
  }

  void runOnOperation() override {
    const AutocastPreset &base = *loaded_->base;
    if (!loaded_->rules.empty() || !hasKernel() ||
        !(base.isOwn || base.runsAttention))
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
    return target && target.hasAttention(Float32Type::get(&getContext()), 1) &&
           target.hasAttention(typeOf(precision, &getContext()), 1);
  }

  void visit(SoftmaxOp softmax) {
    Candidate candidate(softmax);
    if (!candidate.findProduct())
      return;
    OpBuilder builder(softmax);
    bool isFound =
        candidate.match() && isAllowed(candidate) && candidate.replace(builder);
    if (!isFound) {
      softmax.emitRemark("attention stays written out: ") << candidate.reason;
      return;
    }
    ++numFound;
    eraseUnread(candidate.ops());
  }

  bool isAllowed(Candidate &candidate) {
    return (loaded_->base->isOwn || candidate.isOneNode()) &&
           !isNamed(candidate);
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
