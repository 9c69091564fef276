// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses, composed of nn ops.
#include "dialects/NN/Losses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mpc::nn;

#include "dialects/NN/NNLossEnums.cpp.inc"

static RankedTensorType typeOf(Value x) {
  return cast<RankedTensorType>(x.getType());
}

static SmallVector<int64_t> allAxes(Value x) {
  return otherAxes(typeOf(x).getRank(), {});
}

//===----------------------------------------------------------------------===//
// Losses against values
//===----------------------------------------------------------------------===//

static Value absolute(GradientBuilder &g, Value x) {
  return AbsOp::create(g.b, g.loc, x.getType(), x);
}

static Value square(GradientBuilder &g, Value x, Value target,
                    const LossSettings &) {
  Value d = g.sub(x, target);
  return g.mul(d, d);
}

static Value distance(GradientBuilder &g, Value x, Value target,
                      const LossSettings &) {
  return absolute(g, g.sub(x, target));
}

/// d^2 / 2 below `delta`, then delta (|d| - delta / 2).
static Value huber(GradientBuilder &g, Value x, Value target,
                   const LossSettings &s) {
  Value d = g.sub(x, target), size = absolute(g, d);
  Value line = g.scale(g.sub(size, g.splat(d, s.delta / 2.0)), s.delta);
  Value isSmall = g.compare(CompareKind::LT, size, g.splat(d, s.delta));
  return g.select(isSmall, g.scale(g.mul(d, d), 0.5), line);
}

/// huber / delta, which is the distance where `delta` is 0.
static Value smoothL1(GradientBuilder &g, Value x, Value target,
                      const LossSettings &s) {
  if (s.delta == 0.0)
    return distance(g, x, target, s);
  Value d = g.sub(x, target), size = absolute(g, d);
  Value line = g.sub(size, g.splat(d, s.delta / 2.0));
  Value isSmall = g.compare(CompareKind::LT, size, g.splat(d, s.delta));
  return g.select(isSmall, g.scale(g.mul(d, d), 0.5 / s.delta), line);
}

/// On logits: (1 - t) x - log(sigmoid(x)).
static Value binaryCrossEntropy(GradientBuilder &g, Value x, Value target,
                                const LossSettings &) {
  Value rest = g.mul(g.sub(g.splat(target, 1.0), target), x);
  return g.add(rest, SoftplusOp::create(g.b, g.loc, x.getType(), g.neg(x)));
}

/// On logarithms of probabilities: t (log t - x), where t log t is 0 at t = 0.
static Value divergence(GradientBuilder &g, Value x, Value target,
                        const LossSettings &) {
  Value zero = g.splat(target, 0.0);
  Value isZero = g.compare(CompareKind::EQ, target, zero);
  Value entropy =
      g.mul(target, LogOp::create(g.b, g.loc, target.getType(), target));
  return g.sub(g.select(isZero, zero, entropy), g.mul(target, x));
}

/// The divisor of the sum: the number of elements or, for batchmean, of
/// samples.
static int64_t divisorOf(RankedTensorType type, LossReduction reduction) {
  if (reduction == LossReduction::Sum)
    return 1;
  bool ofSamples = reduction == LossReduction::BatchMean && type.getRank() > 0;
  return ofSamples ? type.getDimSize(0) : type.getNumElements();
}

template <auto element>
static LossElements each(GradientBuilder &g, const LossOperands &operands,
                         const LossSettings &settings) {
  return {element(g, operands.output, operands.target, settings), Value()};
}

/// Whether logits and probabilities are on the same side of a half.
static Value sameSide(GradientBuilder &g, const LossOperands &operands) {
  auto [logits, target, axis] = operands;
  auto side = [&](Value x, double middle) {
    return g.as(g.compare(CompareKind::GT, x, g.splat(x, middle)), logits);
  };
  return g.compare(CompareKind::EQ, side(logits, 0.0), side(target, 0.5));
}

/// A loss whose elements are computed by `element`.
template <auto element>
static Value reduced(GradientBuilder &g, const LossOperands &operands,
                     const LossSettings &settings) {
  Value losses = element(g, operands.output, operands.target, settings);
  Value sum = g.sum(losses, allAxes(losses));
  int64_t divisor = divisorOf(typeOf(losses), settings.reduction);
  return divisor == 1 ? sum : g.scale(sum, 1.0 / static_cast<double>(divisor));
}

//===----------------------------------------------------------------------===//
// Losses against labels
//===----------------------------------------------------------------------===//

/// The weight of each class along `axis`, broadcast to the shape of the
/// logarithms.
static Value classWeights(GradientBuilder &g, Value logs, int64_t axis,
                          const LossSettings &settings) {
  if (settings.classWeights.empty())
    return g.splat(logs, 1.0);
  auto type =
      RankedTensorType::get(static_cast<int64_t>(settings.classWeights.size()),
                            typeOf(logs).getElementType());
  SmallVector<Attribute> values = llvm::map_to_vector(
      settings.classWeights, [&](double weight) -> Attribute {
        return g.b.getFloatAttr(type.getElementType(), weight);
      });
  Value vector = ConstantOp::create(g.b, g.loc, type,
                                    DenseElementsAttr::get(type, values));
  return g.broadcast(vector, axis, shapeOf(logs));
}

namespace {

/// log p(c) at each place, and which places count.
class LabelLoss {
public:
  LabelLoss(GradientBuilder &g, Value logs, Value labels, int64_t axis,
            const LossSettings &settings)
      : g_(g), settings_(settings), logs_(logs), axis_(axis) {
    SmallVector<int64_t> rows = otherAxes(shapeOf(logs).size(), axis);
    Value counts = countedLabels(labels);
    // No class has the number -1, so that an excluded label matches none.
    Value known = g.select(counts, labels, g.splat(labels, -1.0));
    Value classes =
        IotaOp::create(g.b, g.loc, typeOf(labels).clone(shapeOf(logs)), axis);
    isCounted_ = g.broadcast(counts, rows, shapeOf(logs));
    isTarget_ = g.compare(CompareKind::EQ, classes,
                          g.broadcast(known, rows, shapeOf(logs)));
    weights_ = classWeights(g, logs, axis, settings);
  }

  Value build() {
    Value loss =
        weightedLoss([&](Value mask, Value x) { return sumWhere(mask, x); });
    if (settings_.reduction == LossReduction::Sum)
      return loss;
    // PyTorch divides by the sum of the weights of the labels that count.
    return g_.div(loss, sumWhere(isTarget_, weights_));
  }

  /// The loss and the weight at each place; both are 0 where a label is
  /// excluded.
  LossElements elements() {
    Value losses = weightedLoss(
        [&](Value mask, Value x) { return alongClasses(mask, x); });
    return {losses, alongClasses(isTarget_, weights_)};
  }

private:
  /// Whether each of `labels` counts.
  Value countedLabels(Value labels) {
    if (!settings_.ignoreIndex)
      return g_.splat(typeOf(labels).clone(g_.b.getI1Type()), 1.0);
    Value ignored =
        g_.splat(labels, static_cast<double>(*settings_.ignoreIndex));
    return g_.compare(CompareKind::NE, labels, ignored);
  }

  /// The loss, where `add` sums a value over the places at which a mask is
  /// true.
  Value weightedLoss(llvm::function_ref<Value(Value, Value)> add) {
    Value weighted =
        settings_.classWeights.empty() ? logs_ : g_.mul(logs_, weights_);
    double smoothing = settings_.labelSmoothing;
    Value loss = g_.scale(add(isTarget_, weighted), smoothing - 1.0);
    if (smoothing == 0.0)
      return loss;
    auto count = static_cast<double>(shapeOf(logs_)[axis_]);
    return g_.sub(loss, g_.scale(add(isCounted_, weighted), smoothing / count));
  }

  /// Sums the selected values along the classes. It selects rather than
  /// multiplies, since an excluded value may be infinite.
  Value alongClasses(Value mask, Value x) {
    return g_.sum(g_.select(mask, x, g_.splat(x, 0.0)), axis_);
  }

  Value sumWhere(Value mask, Value x) {
    Value perRow = alongClasses(mask, x);
    return g_.sum(perRow, allAxes(perRow));
  }

  GradientBuilder &g_;
  const LossSettings &settings_;
  Value logs_;
  int64_t axis_;
  Value isCounted_, isTarget_, weights_;
};

} // namespace

/// On logarithms of probabilities.
static Value negativeLogLikelihood(GradientBuilder &g,
                                   const LossOperands &operands,
                                   const LossSettings &settings) {
  return LabelLoss(g, operands.output, operands.target, operands.classAxis,
                   settings)
      .build();
}

/// Whether nn.cross_entropy can express the loss by itself.
static bool isPlain(const LossSettings &s) {
  return s.reduction == LossReduction::Mean && s.classWeights.empty() &&
         s.labelSmoothing == 0.0;
}

static LossElements likelihoods(GradientBuilder &g,
                                const LossOperands &operands,
                                const LossSettings &settings) {
  return LabelLoss(g, operands.output, operands.target, operands.classAxis,
                   settings)
      .elements();
}

/// Whether the label is the first class with the largest value. Where a class
/// has NaN, it is not.
static Value isLargest(GradientBuilder &g, const LossOperands &operands) {
  auto [x, labels, axis] = operands;
  if (isa<FloatType>(typeOf(labels).getElementType()))
    return {};
  SmallVector<int64_t> rows = otherAxes(shapeOf(x).size(), axis);
  Value classes =
      IotaOp::create(g.b, g.loc, typeOf(labels).clone(shapeOf(x)), axis);
  Value label = g.broadcast(labels, rows, shapeOf(x));
  Value isLabel = g.compare(CompareKind::EQ, classes, label);
  Value own = g.sum(g.select(isLabel, x, g.splat(x, 0.0)), axis);
  own = g.broadcast(own, rows, shapeOf(x));
  Value isBelow = g.select(g.compare(CompareKind::LT, classes, label),
                           g.compare(CompareKind::LT, x, own),
                           g.compare(CompareKind::LE, x, own));
  Value below = g.sum(g.as(isBelow, x), axis);
  return g.compare(CompareKind::EQ, below,
                   g.splat(below, static_cast<double>(shapeOf(x)[axis])));
}

/// The terms of each class against probabilities t: w log p ((1 - s) t + s /
/// C).
static Value probabilityTerms(GradientBuilder &g, const LossOperands &operands,
                              const LossSettings &settings) {
  auto [logits, target, axis] = operands;
  Value logs = LogSoftmaxOp::create(g.b, g.loc, logits.getType(), logits, axis);
  double smoothing = settings.labelSmoothing;
  auto classes = static_cast<double>(shapeOf(logits)[axis]);
  if (smoothing > 0.0)
    target = g.add(g.scale(target, 1.0 - smoothing),
                   g.splat(target, smoothing / classes));
  if (!settings.classWeights.empty())
    logs = g.mul(logs, classWeights(g, logs, axis, settings));
  return g.mul(logs, target);
}

/// The mean is over places, whatever the weights of classes.
static Value probabilityLoss(GradientBuilder &g, const LossOperands &operands,
                             const LossSettings &settings) {
  Value terms = probabilityTerms(g, operands, settings);
  Value sum = g.neg(g.sum(terms, allAxes(terms)));
  if (settings.reduction == LossReduction::Sum)
    return sum;
  auto classes = static_cast<double>(shapeOf(terms)[operands.classAxis]);
  auto elements = static_cast<double>(typeOf(terms).getNumElements());
  return g.scale(sum, classes / elements);
}

/// Of logits.
static LossElements crossEntropies(GradientBuilder &g,
                                   const LossOperands &operands,
                                   const LossSettings &settings) {
  auto [logits, labels, axis] = operands;
  if (isa<FloatType>(typeOf(labels).getElementType()))
    return {g.neg(g.sum(probabilityTerms(g, operands, settings), axis)),
            Value()};
  Value logs = LogSoftmaxOp::create(g.b, g.loc, logits.getType(), logits, axis);
  return likelihoods(g, {logs, labels, axis}, settings);
}

/// Of logits.
static Value crossEntropy(GradientBuilder &g, const LossOperands &operands,
                          const LossSettings &settings) {
  auto [logits, labels, axis] = operands;
  if (isa<FloatType>(typeOf(labels).getElementType()))
    return probabilityLoss(g, operands, settings);
  if (isPlain(settings)) {
    auto scalar = RankedTensorType::get({}, typeOf(logits).getElementType());
    return CrossEntropyOp::create(
        g.b, g.loc, scalar, logits, labels, axis,
        settings.ignoreIndex ? g.b.getI64IntegerAttr(*settings.ignoreIndex)
                             : IntegerAttr());
  }
  Value logs = LogSoftmaxOp::create(g.b, g.loc, logits.getType(), logits, axis);
  return negativeLogLikelihood(g, {logs, labels, axis}, settings);
}

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

/// The model's output as the loss.
static Value identity(GradientBuilder &, const LossOperands &operands,
                      const LossSettings &) {
  return operands.output;
}

using P = LossParameter;

static constexpr LossParameter kOfLabels =
    P::Reduction | P::IgnoreIndex | P::ClassWeights | P::ClassAxis;

static constexpr LossFunction kLosses[] = {
    {.name = "cross_entropy",
     .summary = "-log softmax(x)[t]",
     .output = "logits",
     .target = LossTarget::Classes,
     .takes = kOfLabels | P::LabelSmoothing,
     .build = crossEntropy,
     .elements = crossEntropies,
     .hits = isLargest,
     .isLikelihood = true},
    {.name = "nll",
     .summary = "-x[t]",
     .output = "logarithms of probabilities",
     .target = LossTarget::Labels,
     .takes = kOfLabels,
     .build = negativeLogLikelihood,
     .elements = likelihoods,
     .hits = isLargest,
     .isLikelihood = true},
    {.name = "mse",
     .summary = "(x - t)^2",
     .output = "",
     .target = LossTarget::Values,
     .takes = P::Reduction,
     .build = reduced<square>,
     .elements = each<square>},
    {.name = "l1",
     .summary = "|x - t|",
     .output = "",
     .target = LossTarget::Values,
     .takes = P::Reduction,
     .build = reduced<distance>,
     .elements = each<distance>},
    {.name = "huber",
     .summary = "(x - t)^2 / 2 where |x - t| < delta, else "
                "delta * (|x - t| - delta / 2)",
     .output = "",
     .target = LossTarget::Values,
     .takes = P::Reduction | P::Delta,
     .build = reduced<huber>,
     .elements = each<huber>,
     .vanishesAtDelta0 = true},
    {.name = "smooth_l1",
     .summary = "(x - t)^2 / (2 * delta) where |x - t| < delta, else "
                "|x - t| - delta / 2",
     .output = "",
     .target = LossTarget::Values,
     .takes = P::Reduction | P::Delta,
     .build = reduced<smoothL1>,
     .elements = each<smoothL1>},
    {.name = "bce",
     .summary = "(1 - t) * x - log(sigmoid(x))",
     .output = "logits",
     .target = LossTarget::Values,
     .takes = P::Reduction,
     .build = reduced<binaryCrossEntropy>,
     .elements = each<binaryCrossEntropy>,
     .hits = sameSide},
    {.name = "kl",
     .summary = "t * (log(t) - x), where t * log(t) is 0 at 0",
     .output = "logarithms of probabilities",
     .target = LossTarget::Values,
     .takes = P::Reduction | P::BatchMean,
     .build = reduced<divergence>,
     .elements = each<divergence>},
    {.name = "output",
     .summary = "x, a scalar that the model has computed",
     .output = "",
     .target = LossTarget::None,
     .takes = P::None,
     .build = identity},
};

static constexpr LossParameterName kParameterNames[] = {
    {P::Reduction, "reduction"},
    {P::BatchMean, "reduction=batchmean"},
    {P::IgnoreIndex, "ignore_index"},
    {P::ClassWeights, "class_weights"},
    {P::LabelSmoothing, "label_smoothing"},
    {P::Delta, "delta"},
    {P::ClassAxis, "class_axis"},
};

ArrayRef<LossParameterName> mpc::nn::lossParameterNames() {
  return kParameterNames;
}

LossParameter LossSettings::given() const {
  const LossSettings defaults;
  LossParameter given = P::None;
  auto note = [&](bool isGiven, LossParameter parameter) {
    if (isGiven)
      given |= parameter;
  };
  note(reduction != defaults.reduction, P::Reduction);
  note(reduction == LossReduction::BatchMean, P::BatchMean);
  note(ignoreIndex.has_value(), P::IgnoreIndex);
  note(!classWeights.empty(), P::ClassWeights);
  note(labelSmoothing != defaults.labelSmoothing, P::LabelSmoothing);
  note(delta != defaults.delta, P::Delta);
  note(classAxis.has_value(), P::ClassAxis);
  return given;
}

const LossParameterName *LossFunction::findForeign(LossParameter given) const {
  const LossParameterName *found =
      llvm::find_if(kParameterNames, [&](const LossParameterName &entry) {
        return (given & entry.parameter) != P::None && !has(entry.parameter);
      });
  return found == std::end(kParameterNames) ? nullptr : found;
}

ArrayRef<LossFunction> mpc::nn::allLosses() { return kLosses; }

const LossFunction *mpc::nn::findLoss(StringRef name) {
  const LossFunction *found = llvm::find_if(
      kLosses, [&](const LossFunction &loss) { return loss.name == name; });
  return found == std::end(kLosses) ? nullptr : found;
}

/// "a, b and c".
static std::string listOf(ArrayRef<StringRef> names) {
  if (names.size() < 2)
    return llvm::join(names, "");
  return llvm::join(names.drop_back(), ", ") + " and " + names.back().str();
}

std::string mpc::nn::knownLosses() {
  return listOf(
      llvm::map_to_vector(kLosses, [](const LossFunction &loss) -> StringRef {
        return loss.name;
      }));
}

std::string mpc::nn::lossesWith(LossParameter parameter) {
  SmallVector<StringRef> names;
  for (const LossFunction &loss : kLosses)
    if (loss.has(parameter))
      names.push_back(loss.name);
  return listOf(names);
}
