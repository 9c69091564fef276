// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses, composed of nn ops.
#include "passes/NN/Losses.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mpc::nn;

static RankedTensorType typeOf(Value x) {
  return cast<RankedTensorType>(x.getType());
}

static SmallVector<int64_t> allAxes(Value x) {
  return otherAxes(typeOf(x).getRank(), {});
}

//===----------------------------------------------------------------------===//
// Of elements
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

/// Of logits: (1 - t) x - log(sigmoid(x)).
static Value binaryCrossEntropy(GradientBuilder &g, Value x, Value target,
                                const LossSettings &) {
  Value rest = g.mul(g.sub(g.splat(target, 1.0), target), x);
  return g.add(rest, SoftplusOp::create(g.b, g.loc, x.getType(), g.neg(x)));
}

/// Of logarithms of probabilities: t (log t - x), where t log t is 0 at 0.
static Value divergence(GradientBuilder &g, Value x, Value target,
                        const LossSettings &) {
  Value zero = g.splat(target, 0.0);
  Value isZero = g.compare(CompareKind::EQ, target, zero);
  Value entropy =
      g.mul(target, LogOp::create(g.b, g.loc, target.getType(), target));
  return g.sub(g.select(isZero, zero, entropy), g.mul(target, x));
}

/// How many elements or, of batchmean, samples the sum is divided by.
static int64_t divisorOf(RankedTensorType type, const LossSettings &s) {
  if (s.reduction == "sum")
    return 1;
  bool ofSamples = s.reduction == "batchmean" && type.getRank() > 0;
  return ofSamples ? type.getDimSize(0) : type.getNumElements();
}

Value mpc::nn::buildElementLoss(GradientBuilder &g,
                                const LossFunction &function, Value prediction,
                                Value target, const LossSettings &settings) {
  Value losses = function.ofElements(g, prediction, target, settings);
  Value sum = g.sum(losses, allAxes(losses));
  int64_t divisor = divisorOf(typeOf(losses), settings);
  return divisor == 1 ? sum : g.scale(sum, 1.0 / static_cast<double>(divisor));
}

//===----------------------------------------------------------------------===//
// Of labels
//===----------------------------------------------------------------------===//

namespace {

/// log p(c) of each place, and which of them count.
class LabelLoss {
public:
  LabelLoss(GradientBuilder &g, Value logs, Value labels, int64_t axis,
            const LossSettings &settings)
      : g_(g), settings_(settings), logs_(logs), axis_(axis) {
    SmallVector<int64_t> rows = otherAxes(shapeOf(logs).size(), axis);
    Value counts = countedLabels(labels);
    // No class has the number -1.
    Value known = g.select(counts, labels, g.splat(labels, -1.0));
    Value classes =
        IotaOp::create(g.b, g.loc, typeOf(labels).clone(shapeOf(logs)), axis);
    isCounted_ = g.broadcast(counts, rows, shapeOf(logs));
    isTarget_ = g.compare(CompareKind::EQ, classes,
                          g.broadcast(known, rows, shapeOf(logs)));
    weights_ = classWeights();
  }

  Value build() {
    Value weighted =
        settings_.classWeights.empty() ? logs_ : g_.mul(logs_, weights_);
    double smoothing = settings_.labelSmoothing;
    Value loss = g_.scale(sumWhere(isTarget_, weighted), smoothing - 1.0);
    if (smoothing > 0.0) {
      auto count = static_cast<double>(shapeOf(logs_)[axis_]);
      Value all = g_.scale(sumWhere(isCounted_, weighted), smoothing / count);
      loss = g_.sub(loss, all);
    }
    if (settings_.reduction == "sum")
      return loss;
    // PyTorch divides by the weights of the labels that count.
    return g_.div(loss, sumWhere(isTarget_, weights_));
  }

private:
  /// Which of `labels` take part.
  Value countedLabels(Value labels) {
    if (!settings_.ignoreIndex)
      return g_.splat(typeOf(labels).clone(g_.b.getI1Type()), 1.0);
    Value ignored =
        g_.splat(labels, static_cast<double>(*settings_.ignoreIndex));
    return g_.compare(CompareKind::NE, labels, ignored);
  }

  /// Broadcast to the shape of the logarithms.
  Value classWeights() {
    if (settings_.classWeights.empty())
      return g_.splat(logs_, 1.0);
    auto type = RankedTensorType::get(
        static_cast<int64_t>(settings_.classWeights.size()),
        typeOf(logs_).getElementType());
    SmallVector<Attribute> values = llvm::map_to_vector(
        settings_.classWeights, [&](double weight) -> Attribute {
          return g_.b.getFloatAttr(type.getElementType(), weight);
        });
    Value vector = ConstantOp::create(g_.b, g_.loc, type,
                                      DenseElementsAttr::get(type, values));
    return g_.broadcast(vector, axis_, shapeOf(logs_));
  }

  /// The sum of what is selected, not multiplied: what is left out may be
  /// infinite.
  Value sumWhere(Value mask, Value x) {
    Value chosen = g_.select(mask, x, g_.splat(x, 0.0));
    Value perRow = g_.sum(chosen, axis_);
    return g_.sum(perRow, allAxes(perRow));
  }

  GradientBuilder &g_;
  const LossSettings &settings_;
  Value logs_;
  int64_t axis_;
  Value isCounted_, isTarget_, weights_;
};

} // namespace

/// Whether nn.cross_entropy can express the loss by itself.
static bool isPlain(const LossSettings &s) {
  return s.reduction == "mean" && s.classWeights.empty() &&
         s.labelSmoothing == 0.0;
}

Value mpc::nn::buildLabelLoss(GradientBuilder &g, const LossFunction &function,
                              Value scores, Value labels, int64_t axis,
                              const LossSettings &settings) {
  auto scalar = RankedTensorType::get({}, typeOf(scores).getElementType());
  if (!function.ofLogProbabilities && isPlain(settings))
    return CrossEntropyOp::create(
        g.b, g.loc, scalar, scores, labels, axis,
        settings.ignoreIndex ? g.b.getI64IntegerAttr(*settings.ignoreIndex)
                             : IntegerAttr());
  Value logs = function.ofLogProbabilities
                   ? scores
                   : Value(LogSoftmaxOp::create(g.b, g.loc, scores.getType(),
                                                scores, axis));
  return LabelLoss(g, logs, labels, axis, settings).build();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr LossFunction kLosses[] = {
    {.name = "cross_entropy"},
    {.name = "nll", .ofLogProbabilities = true},
    {.name = "mse", .ofElements = square},
    {.name = "l1", .ofElements = distance},
    {.name = "huber", .ofElements = huber},
    {.name = "smooth_l1", .ofElements = smoothL1},
    {.name = "bce", .ofElements = binaryCrossEntropy},
    {.name = "kl", .ofElements = divergence},
};

const LossFunction *mpc::nn::findLossFunction(StringRef name) {
  const LossFunction *found = llvm::find_if(
      kLosses, [&](const LossFunction &loss) { return loss.name == name; });
  return found == std::end(kLosses) ? nullptr : found;
}
