// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over the rows that count, and the number of these rows.
#include "passes/NN/MetricSums.h"

#include "dialects/NN/EntryNames.h"
#include "runtime/Program/StepNames.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// Whether the type is one value, or one value for each row.
static bool isMetric(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() == 1 ||
         (tensor.getRank() > 0 &&
          tensor.getNumElements() == tensor.getDimSize(0));
}

static bool isLabels(Value target) {
  return !isa<FloatType>(rankedType(target).getElementType());
}

namespace {

/// Adds results to a function. `g` stands before its terminator.
class MetricWriter {
public:
  MetricWriter(GradientBuilder &g, func::FuncOp function)
      : g_(g), function_(function),
        terminator_(function.getBody().front().getTerminator()) {}

  /// Leaves out the results of the model that are no metrics, or that have the
  /// name of the loss.
  void keepModelMetrics() {
    for (unsigned i = function_.getNumResults(); i-- > 0;) {
      StringAttr name = getResultName(function_, i);
      if (name && name.getValue() != StringRef(rt::step::kLoss) &&
          isMetric(function_.getResultTypes()[i])) {
        ownNames_.insert(name.getValue());
        continue;
      }
      terminator_->eraseOperand(i);
      (void)function_.eraseResult(i);
    }
  }

  void addRows() {
    unsigned index = function_.getNumArguments();
    auto type = RankedTensorType::get({}, g_.b.getI64Type());
    (void)function_.insertArgument(
        index, type,
        g_.b.getDictionaryAttr(
            nameAttribute(g_.b, StringRef(rt::step::kCountedRows))),
        function_.getLoc());
    rows_ = function_.getArgument(index);
  }

  /// Adds a result in front of the model's own.
  void addResult(const Twine &name, Value value) {
    unsigned index = numAdded_++;
    terminator_->insertOperands(index, value);
    (void)function_.insertResult(
        index, value.getType(),
        g_.b.getDictionaryAttr(nameAttribute(g_.b, name)));
  }

  /// Adds a metric of the rows that count; without `counts` it is a sum. A
  /// result of the model with the same name takes its place.
  void addMetric(StringRef name, Value values, Value counts) {
    if (ownNames_.contains(name))
      return;
    addResult(name + StringRef(rt::step::kSumSuffix), sum(values));
    if (counts)
      addResult(name + StringRef(rt::step::kCountSuffix), sum(counts));
  }

  Value ones(ArrayRef<int64_t> shape) {
    return g_.splat(RankedTensorType::get(shape, g_.b.getF32Type()), 1.0);
  }

private:
  /// The sum of x over the rows that count. Values are selected and not
  /// multiplied, since a row that does not count may be infinite. The sum is in
  /// f64, so that batch sizes do not change it.
  Value sum(Value x) {
    RankedTensorType type = rankedType(x);
    Value row = IotaOp::create(g_.b, g_.loc, type.clone(g_.b.getI64Type()),
                               /*axis=*/0);
    Value end = g_.broadcast(rows_, {}, type.getShape());
    Value counts = g_.compare(CompareKind::LT, row, end);
    Value counted = g_.select(counts, x, g_.splat(x, 0.0));
    return g_.sum(g_.cast(counted, g_.b.getF64Type()),
                  otherAxes(type.getRank(), {}));
  }

  GradientBuilder &g_;
  func::FuncOp function_;
  Operation *terminator_;
  llvm::StringSet<> ownNames_;
  Value rows_;
  unsigned numAdded_ = 0; ///< The number of results added.
};

} // namespace

static void addLoss(GradientBuilder &g, MetricWriter &writer,
                    const LossFunction &rule, const LossOperands &operands,
                    const LossSettings &settings) {
  auto [losses, counts] = rule.elements(g, operands, settings);
  ArrayRef<int64_t> shape = shapeOf(losses);
  if (settings.reduction == LossReduction::Sum)
    counts = {};
  else if (settings.reduction == LossReduction::BatchMean)
    counts = writer.ones(shape.take_front());
  else if (!counts)
    counts = writer.ones(shape);
  writer.addMetric(rt::step::kLoss, losses, counts);
}

/// 1 for each target that counts, else 0.
static Value countTargets(GradientBuilder &g, MetricWriter &writer,
                          Value target, const LossSettings &settings) {
  if (!settings.ignoreIndex || !isLabels(target))
    return writer.ones(shapeOf(target));
  Value ignored = g.splat(target, static_cast<double>(*settings.ignoreIndex));
  return g.cast(g.compare(CompareKind::NE, target, ignored), g.b.getF32Type());
}

static void addAccuracy(GradientBuilder &g, MetricWriter &writer,
                        const LossFunction &rule, const LossOperands &operands,
                        const LossSettings &settings) {
  Value hits = rule.hits ? rule.hits(g, operands) : Value();
  if (!hits)
    return;
  Value counts = countTargets(g, writer, operands.target, settings);
  writer.addMetric(rt::step::kAccuracy,
                   g.select(hits, counts, g.splat(counts, 0.0)), counts);
}

static void addPerplexity(GradientBuilder &g, MetricWriter &writer,
                          const LossFunction &rule,
                          const LossOperands &operands,
                          const LossSettings &settings) {
  if (!rule.isLikelihood || !isLabels(operands.target))
    return;
  LossSettings plain;
  plain.ignoreIndex = settings.ignoreIndex;
  auto [losses, counts] = rule.elements(g, operands, plain);
  writer.addMetric(rt::step::kPerplexity, losses, counts);
}

void mpc::nn::addMetricSums(GradientBuilder &g, func::FuncOp function,
                            const LossFunction &rule,
                            const LossOperands &operands,
                            const LossSettings &settings) {
  MetricWriter writer(g, function);
  writer.keepModelMetrics();
  // A loss that the model reduces has no elements, and a target that is one
  // number has no rows.
  if (!rule.elements || rankedType(operands.target).getRank() == 0)
    return writer.addResult(StringRef(rt::step::kLoss),
                            rule.build(g, operands, settings));
  writer.addRows();
  addLoss(g, writer, rule, operands, settings);
  addAccuracy(g, writer, rule, operands, settings);
  addPerplexity(g, writer, rule, operands, settings);
}
