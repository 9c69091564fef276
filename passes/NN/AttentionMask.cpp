// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes one mask of all that is done to scores.
#include "passes/NN/AttentionMask.h"

#include "dialects/NN/Constants.h"
#include "dialects/NN/NNDialect.h"

#include "llvm/Support/FormatVariadic.h"
#include <limits>

using namespace mlir;
using namespace mpc::nn;

static constexpr double kLowest = -std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Terms that are made of others
//===----------------------------------------------------------------------===//

/// Whether each element of `value` is `number`.
static bool isSplatOf(Value value, double number) {
  DenseElementsAttr constant = constantOf(movedFrom(value));
  std::optional<double> splat = splatOf(constant);
  return splat && *splat == number;
}

/// Splits a choice that is the conjunction of two.
static bool splitChoice(const MaskTerm &term,
                        SmallVectorImpl<MaskTerm> &parts) {
  PlacedTensor at = term.tensor.origin();
  auto select = at.value.getDefiningOp<SelectOp>();
  if (!select)
    return false;
  MaskTerm first = term, second = term;
  first.tensor = at.with(select.getCondition());
  Value onTrue = select.getOnTrue(), onFalse = select.getOnFalse();
  bool isNot = isSplatOf(onTrue, 0.0) && isSplatOf(onFalse, 1.0);
  if (isNot) {
    first.inverted = !term.inverted;
    parts.push_back(first);
    return true;
  }
  // x and y is select(x, y, false); not (x or y) is that of
  // select(x, true, y).
  if (!isSplatOf(term.inverted ? onTrue : onFalse, term.inverted ? 1.0 : 0.0))
    return false;
  second.tensor = at.with(term.inverted ? onFalse : onTrue);
  parts.append({first, second});
  return true;
}

/// Splits a sum of numbers, and makes a choice of numbers that are one.
static bool splitNumbers(const MaskTerm &term,
                         SmallVectorImpl<MaskTerm> &parts) {
  PlacedTensor at = term.tensor.origin();
  if (auto sum = at.value.getDefiningOp<AddOp>()) {
    for (Value addend : {sum.getLhs(), sum.getRhs()}) {
      parts.push_back(term);
      parts.back().tensor = at.with(addend);
    }
    return true;
  }
  auto select = at.value.getDefiningOp<SelectOp>();
  if (!select)
    return false;
  for (auto [zero, other, inverted] :
       {std::tuple(select.getOnTrue(), select.getOnFalse(), false),
        std::tuple(select.getOnFalse(), select.getOnTrue(), true)}) {
    std::optional<double> fill = splatOf(constantOf(movedFrom(other)));
    if (!isSplatOf(zero, 0.0) || !fill || !(*fill <= kHidesScore))
      continue;
    parts.push_back(
        {term.scores, at.with(select.getCondition()), true, inverted, *fill});
    return true;
  }
  return false;
}

/// The least terms that `term` is made of, unless none of them is a band: then
/// it stays as the model computes it.
static void split(const MaskTerm &term, SmallVectorImpl<MaskTerm> &terms) {
  SmallVector<MaskTerm> parts, leaves;
  std::optional<Band> band = findBand(term);
  bool isSplit = !band && (term.chooses ? splitChoice(term, parts)
                                        : splitNumbers(term, parts));
  if (!isSplit) {
    terms.push_back(term);
    terms.back().band = band;
    return;
  }
  for (const MaskTerm &part : parts)
    split(part, leaves);
  bool isWorth = llvm::any_of(leaves, [](const MaskTerm &leaf) {
    return leaf.band || (leaf.chooses && leaf.fill == kLowest);
  });
  if (isWorth)
    terms.append(leaves);
  else
    terms.push_back(term);
}

//===----------------------------------------------------------------------===//
// One mask
//===----------------------------------------------------------------------===//

namespace {

class MaskBuilder {
public:
  MaskBuilder(GradientBuilder &g, RankedTensorType scores)
      : g_(g), scores_(scores) {}

  /// A term's tensor as [b, h, t, s], with 1 where it is repeated.
  Value placed(const MaskTerm &term);
  Value choice(const MaskTerm &term);
  Value numbers(const MaskTerm &term);
  /// Both of shape [b, h, t, s] or 1.
  Value both(Value x, Value y, llvm::function_ref<Value(Value, Value)> join);
  Value conjunction(Value x, Value y);
  Value sum(Value x, Value y);
  /// `choice` as numbers: 0 where it is true and otherwise `fill`.
  Value numbersOf(Value choice, double fill);

private:
  GradientBuilder &g_;
  RankedTensorType scores_;
};

} // namespace

static bool isAllOnes(ArrayRef<int64_t> sizes) {
  return llvm::all_of(sizes, [](int64_t size) { return size == 1; });
}

/// A constant without the axes along which it repeats itself, as folds leave
/// it; any other tensor as it is.
static PlacedTensor compacted(GradientBuilder &g, PlacedTensor at) {
  DenseElementsAttr constant = constantOf(at.value);
  if (!constant || constant.isSplat())
    return at;
  for (size_t axis = 0; axis < at.axes.size(); ++axis) {
    auto type = cast<RankedTensorType>(constant.getType());
    SmallVector<int64_t> shape(type.getShape()), strides = denseStrides(shape);
    shape[axis] = 1;
    DenseElementsAttr first =
        foldStrided(constant, type.clone(shape), 0, strides);
    SmallVector<int64_t> repeats = denseStrides(shape);
    repeats[axis] = 0;
    if (first && foldStrided(first, type, 0, repeats) == constant)
      constant = first;
  }
  return at.with(ConstantOp::create(g.b, g.loc, constant.getType(), constant));
}

/// The tensor of a term with all axes of the term's scores, 1 where it is
/// repeated.
static Value aligned(GradientBuilder &g, const MaskTerm &term) {
  PlacedTensor at = compacted(g, term.tensor.origin());
  SmallVector<int64_t> order, sizes;
  for (auto [axis, size] : llvm::enumerate(term.scores)) {
    int64_t place = placeOf(at, static_cast<int64_t>(axis));
    bool isRepeated = place == PlacedTensor::kNowhere;
    sizes.push_back(isRepeated ? 1 : size);
    if (!isRepeated)
      order.push_back(place);
  }
  Value value = at.value;
  // Axes of size 1 matter to no order.
  if (!llvm::is_sorted(order)) {
    for (int64_t place : llvm::seq<int64_t>(at.axes.size()))
      if (!llvm::is_contained(order, place))
        order.push_back(place);
    value = TransposeOp::create(g.b, g.loc, value, order);
  }
  return g.reshape(value, sizes);
}

static int64_t productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

Value MaskBuilder::placed(const MaskTerm &term) {
  Value value = aligned(g_, term);
  SmallVector<int64_t> sizes(shapeOf(value)), full = sizes;
  ArrayRef<int64_t> batch = ArrayRef(term.scores).drop_back(2);
  // Axes of the batch before those of heads; all are one where they mix.
  size_t cut = 0;
  while (cut < batch.size() &&
         productOf(batch.take_front(cut)) != scores_.getDimSize(0))
    ++cut;
  bool isMixed = productOf(batch.drop_front(cut)) != scores_.getDimSize(1);
  SmallVector<int64_t> shape;
  auto merge = [&](size_t from, size_t to) {
    if (isAllOnes(ArrayRef(sizes).slice(from, to - from)))
      return false;
    llvm::copy(batch.slice(from, to - from), full.begin() + from);
    return true;
  };
  bool hasBatch, hasHeads;
  if (isMixed) {
    hasBatch = hasHeads = merge(0, batch.size());
  } else {
    hasBatch = merge(0, cut);
    hasHeads = merge(cut, batch.size());
  }
  shape = {hasBatch ? scores_.getDimSize(0) : 1,
           hasHeads ? scores_.getDimSize(1) : 1, sizes[batch.size()],
           sizes.back()};
  value = g_.broadcast(value, llvm::to_vector(llvm::seq<int64_t>(sizes.size())),
                       full);
  return g_.reshape(value, shape);
}

Value MaskBuilder::choice(const MaskTerm &term) {
  Value value = placed(term);
  if (!term.inverted)
    return value;
  return g_.select(value, g_.splat(value, 0.0), g_.splat(value, 1.0));
}

Value MaskBuilder::numbers(const MaskTerm &term) {
  if (term.chooses)
    return numbersOf(choice(term), term.fill);
  return g_.cast(placed(term), scores_.getElementType());
}

Value MaskBuilder::both(Value x, Value y,
                        llvm::function_ref<Value(Value, Value)> join) {
  if (!x || !y)
    return x ? x : y;
  SmallVector<int64_t> shape;
  for (auto [a, b] : llvm::zip_equal(shapeOf(x), shapeOf(y)))
    shape.push_back(std::max(a, b));
  SmallVector<int64_t> axes{0, 1, 2, 3};
  return join(g_.broadcast(x, axes, shape), g_.broadcast(y, axes, shape));
}

Value MaskBuilder::conjunction(Value x, Value y) {
  return both(x, y, [&](Value a, Value b) {
    return g_.select(a, b, g_.splat(a, 0.0));
  });
}

Value MaskBuilder::sum(Value x, Value y) {
  return both(x, y, [&](Value a, Value b) { return g_.add(a, b); });
}

Value MaskBuilder::numbersOf(Value choice, double fill) {
  auto type = rankedType(choice).clone(scores_.getElementType());
  return g_.select(choice, g_.splat(type, 0.0), g_.splat(type, fill));
}

/// Whether `term` puts a number in the place of scores that adding it to them
/// does not give.
static bool isNoSum(const MaskTerm &term) {
  return term.replaces && !(term.fill <= kSwallowsScore);
}

/// Whether each query sees a key, so that what hides the others has no weight.
static bool reachesAKey(const Band &band, ArrayRef<int64_t> shape) {
  return !band.window || shape[2] <= shape[3];
}

/// Whether a score that `term` hides has no weight whatever the others are.
static bool isTotal(const MaskTerm &term) {
  if (term.chooses)
    return term.fill == kLowest;
  DenseElementsAttr constant = constantOf(term.tensor.origin().value);
  return constant &&
         llvm::all_of(llvm::seq(constant.getNumElements()), [&](int64_t i) {
           double number = realAt(constant, i);
           return number == 0.0 || number == kLowest;
         });
}

/// The band of those terms that are one. The others are left in `terms`.
static Band takeBands(SmallVectorImpl<MaskTerm> &terms,
                      ArrayRef<int64_t> shape) {
  Band all, total;
  bool areBands = true;
  for (const MaskTerm &term : terms) {
    areBands &= term.band.has_value();
    if (term.band)
      all.intersect(*term.band);
    if (term.band && isTotal(term))
      total.intersect(*term.band);
  }
  // Where finite numbers hide all keys of a row, all keys have one weight.
  if (areBands && reachesAKey(all, shape)) {
    terms.clear();
    return all;
  }
  llvm::erase_if(
      terms, [](const MaskTerm &term) { return term.band && isTotal(term); });
  return total;
}

std::optional<AttentionMask> mpc::nn::buildMask(GradientBuilder &g,
                                                ArrayRef<MaskTerm> given,
                                                RankedTensorType scores,
                                                std::string &reason) {
  SmallVector<MaskTerm> terms;
  for (const MaskTerm &term : given)
    split(term, terms);
  AttentionMask result{takeBands(terms, scores.getShape()), {}};
  if (result.band.window && !result.band.causal) {
    reason = "a window has keys behind the query";
    return std::nullopt;
  }
  if (const auto *term = llvm::find_if(terms, isNoSum); term != terms.end()) {
    reason = llvm::formatv("hidden scores become {0:e}, and a row may have no "
                           "others",
                           term->fill);
    return std::nullopt;
  }
  MaskBuilder builder(g, scores);
  Value choice, numbers;
  for (const MaskTerm &term : terms) {
    if (term.chooses && term.fill == kLowest)
      choice = builder.conjunction(choice, builder.choice(term));
    else
      numbers = builder.sum(numbers, builder.numbers(term));
  }
  if (choice && numbers)
    choice = builder.numbersOf(choice, kLowest);
  result.mask = numbers ? builder.sum(choice, numbers) : choice;
  return result;
}
