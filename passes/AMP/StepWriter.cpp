// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a training step.
#include "passes/AMP/StepWriter.h"

#include "passes/AMP/StepGradients.h"
#include "passes/AMP/StepUpdate.h"
#include "runtime/Program/StepNames.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

namespace {

/// Writes one entry: first its arguments, then its ops, last its results.
class EntryWriter {
public:
  EntryWriter(const StepPlan &plan, ModuleOp module, EntryKind kind,
              ArrayRef<nn::ParameterOp> pending = {})
      : plan_(plan), pending_(pending), entry_(plan, module, kind) {}

  /// Adds the loss and the gradients of the scaled loss of one batch, or the
  /// gradients that are inputs.
  void readBatch() {
    from_ = plan_.loss ? differentiateBatch(entry_) : readGradients(entry_);
  }

  void takeAccumulated() {
    for (auto [buffer, sum] : llvm::zip_equal(plan_.buffers, pending_))
      from_.buffers.push_back(
          entry_.g.add(entry_.read(buffer), entry_.read(sum)));
    for (const ParameterSet &set : plan_.sets)
      from_.gradients.push_back(TakeGradientsOp::create(
          entry_.b, entry_.loc, entry_.typeOf(set), pairsOf()));
  }

  void accumulate() {
    for (auto [buffer, sum, value] :
         llvm::zip_equal(plan_.buffers, pending_, from_.buffers))
      entry_.assign(sum, entry_.g.sub(value, entry_.read(buffer)));
    for (Value all : from_.gradients)
      AccumulateOp::create(entry_.b, entry_.loc, all, pairsOf());
  }

  /// Writes the part of a step that follows the gradients, and its metrics.
  void step() {
    OpBuilder &b = entry_.b;
    // Recorded steps have the learning rate as it was set, which is an f64.
    Type rate = plan_.loss ? b.getF32Type() : b.getF64Type();
    Value lr =
        entry_.addArgument(EntryBuilder::scalar(rate), rt::step::kLearningRate);
    if (choosesRate()) {
      Value afterSkip = entry_.addArgument(EntryBuilder::scalar(rate),
                                           rt::step::kRateAfterSkip);
      lr = GetRateOp::create(b, entry_.loc, lr.getType(), kScaler, lr,
                             afterSkip);
    }
    if (!from_.scale)
      from_.scale = readScale(entry_);
    StepFindings findings =
        plan_.trains() ? buildUpdate(entry_, from_.gradients, from_.scale, lr)
                       : buildEmptyUpdate(entry_);
    keepBuffers(findings.found);
    addMetrics(findings);
  }

  /// Returns the results, each with its name.
  void finish() {
    if (from_.loss)
      entry_.addFirstResults({{rt::step::kLoss, from_.loss}});
    for (auto &[name, value] : from_.outputs)
      entry_.addResult(name, value);
    entry_.finish();
  }

private:
  /// The batches of a window on this rank where they are summed by pairs.
  [[nodiscard]] IntegerAttr pairsOf() {
    RecipeOp recipe = entry_.recipe;
    return recipe.getPairwise()
               ? entry_.b.getI64IntegerAttr(recipe.getBatchesOfRank())
               : IntegerAttr();
  }

  /// Whether steps may be skipped and the scaler knows if the last one was. A
  /// scale that is updated before all checks are made may have counted a
  /// skipped step as applied.
  [[nodiscard]] bool choosesRate() const {
    return plan_.loss && plan_.trains() && entry_.scales() &&
           !rt::appliesNonFinite(entry_.policy.kind) && !entry_.updatesEarly();
  }

  /// A skipped step leaves the buffers unchanged too.
  void keepBuffers(Value found) {
    bool isAlways = rt::appliesNonFinite(entry_.policy.kind) ||
                    entry_.recipe.getAlwaysWriteBuffers();
    Value skip = isAlways ? Value() : found;
    for (auto [buffer, value] : llvm::zip_equal(plan_.buffers, from_.buffers))
      entry_.assign(buffer, value, skip);
    for (nn::ParameterOp sum : pending_)
      entry_.assign(sum,
                    entry_.g.splat(cast<RankedTensorType>(sum.getType()), 0.0));
  }

  void addMetrics(const StepFindings &findings) {
    SmallVector<EntryBuilder::Result> metrics = {
        {rt::step::kScale, from_.scale},
        {rt::step::kFoundInf, findings.found},
        {rt::step::kGradNorm, findings.norm},
        {rt::step::kGoodSteps, findings.counter},
        {rt::step::kScaleError, findings.error}};
    if (entry_.scales() && rt::appliesNonFinite(entry_.policy.kind))
      metrics.emplace_back(rt::step::kSkipped, entry_.flag(false));
    entry_.addFirstResults(metrics);
  }

  const StepPlan &plan_;
  /// In a window, the sum of changes of each buffer.
  ArrayRef<nn::ParameterOp> pending_;
  EntryBuilder entry_;
  StepGradients from_;
};

} // namespace

/// Adds for each buffer a sum of the changes that the batches of a window make,
/// and lets the loss read buffer plus sum, since the window may yet be skipped.
static SmallVector<nn::ParameterOp> addPending(const StepPlan &plan) {
  SmallVector<nn::ParameterOp> pending;
  for (nn::ParameterOp buffer : plan.buffers) {
    OpBuilder b(buffer->getContext());
    b.setInsertionPointAfter(buffer);
    auto sum = nn::ParameterOp::create(
        b, buffer.getLoc(), pendingName(buffer.getSymName()), buffer.getType(),
        nn::InitAttr::get(b.getContext(), "zeros", APFloat(0.0)),
        /*frozen=*/true);
    setPendingOf(sum, FlatSymbolRefAttr::get(buffer.getSymNameAttr()));
    func::FuncOp loss = plan.loss;
    loss.walk([&](nn::GetOp get) {
      if (get.getParameter() != buffer.getSymName())
        return;
      b.setInsertionPointAfter(get);
      auto change =
          nn::GetOp::create(b, get.getLoc(), get.getType(), sum.getSymName());
      auto whole = nn::AddOp::create(b, get.getLoc(), get, change);
      get.getOutput().replaceAllUsesExcept(whole, whole);
    });
    pending.push_back(sum);
  }
  return pending;
}

void mpc::amp::writeEntries(const StepPlan &plan, ModuleOp module) {
  RecipeOp recipe = plan.recipe;
  if (recipe.getBatchesOfRank() == 1) {
    EntryWriter step(plan, module, EntryKind::Step);
    step.readBatch();
    step.step();
    step.finish();
    return;
  }
  SmallVector<nn::ParameterOp> pending = addPending(plan);
  EntryWriter batch(plan, module, EntryKind::Accumulate, pending);
  batch.readBatch();
  batch.accumulate();
  batch.finish();
  EntryWriter apply(plan, module, EntryKind::Apply, pending);
  apply.takeAccumulated();
  apply.step();
  apply.finish();
}
