// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a training step.
#include "passes/AMP/StepWriter.h"

#include "passes/AMP/BufferRules.h"
#include "passes/AMP/StepGradients.h"
#include "passes/AMP/StepUpdate.h"
#include "runtime/Program/StepNames.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

namespace {

/// What a window keeps of buffers until it is applied.
struct WindowState {
  /// The sum of changes of each buffer. With ranks it is zero, and there
  /// because one process has it in the checkpoints of the same window.
  SmallVector<nn::ParameterOp> pending;
  /// On ranks with several batches, what each adds to each buffer; null for a
  /// count.
  SmallVector<nn::ParameterOp> batches;

  bool keepsBatches() const { return !batches.empty(); }
};

/// Writes one entry: first its arguments, then its ops, last its results.
class EntryWriter {
public:
  EntryWriter(const StepPlan &plan, ModuleOp module, EntryKind kind,
              const WindowState &state)
      : plan_(plan), state_(state), entry_(plan, module, kind) {}

  /// Adds the loss and the gradients of the scaled loss of one batch, or the
  /// gradients that are inputs.
  void readBatch() {
    from_ = plan_.loss ? differentiateBatch(entry_) : readGradients(entry_);
  }

  /// Makes the buffers' next values of what this batch and those of the other
  /// ranks add to them.
  void advance() { from_.buffers = advanceBuffers(entry_, from_.buffers); }

  void takeAccumulated() {
    for (nn::ParameterOp batches : state_.batches)
      from_.buffers.push_back(batches ? entry_.read(batches) : Value());
    if (state_.keepsBatches())
      advance();
    else
      for (auto [buffer, sum] : llvm::zip_equal(plan_.buffers, state_.pending))
        from_.buffers.push_back(
            entry_.g.add(entry_.read(buffer), entry_.read(sum)));
    for (const ParameterSet &set : plan_.sets)
      from_.gradients.push_back(TakeGradientsOp::create(
          entry_.b, entry_.loc, entry_.typeOf(set), pairsOf()));
  }

  void accumulate() {
    if (state_.keepsBatches())
      for (auto [batches, added] :
           llvm::zip_equal(state_.batches, from_.buffers)) {
        if (batches)
          keepBatch(batches, added);
      }
    else
      for (auto [buffer, sum, value] :
           llvm::zip_equal(plan_.buffers, state_.pending, from_.buffers))
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

  /// Keeps what a batch adds as the last row of `batches`; the first one goes.
  void keepBatch(nn::ParameterOp batches, Value added) {
    auto type = cast<RankedTensorType>(batches.getType());
    SmallVector<int64_t> begin(type.getRank(), 0), step(type.getRank(), 1),
        row(type.getShape());
    begin.front() = row.front() = 1;
    Value later =
        nn::SliceOp::create(entry_.b, entry_.loc, entry_.read(batches), begin,
                            type.getShape(), step);
    entry_.assign(batches, nn::ConcatOp::create(
                               entry_.b, entry_.loc,
                               {later, entry_.g.reshape(added, row)}, 0));
  }

  /// A skipped step leaves the buffers unchanged too.
  void keepBuffers(Value found) {
    bool isAlways = rt::appliesNonFinite(entry_.policy.kind) ||
                    entry_.recipe.getAlwaysWriteBuffers();
    Value skip = isAlways ? Value() : found;
    for (auto [buffer, value] : llvm::zip_equal(plan_.buffers, from_.buffers))
      entry_.assign(buffer, value, skip);
    for (nn::ParameterOp sum : state_.pending)
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
  const WindowState &state_;
  EntryBuilder entry_;
  StepGradients from_;
};

} // namespace

/// Declares state of a window that belongs to `buffer`, of zeros.
static nn::ParameterOp declare(nn::ParameterOp buffer, const std::string &name,
                               RankedTensorType type) {
  OpBuilder b(buffer->getContext());
  b.setInsertionPointAfter(buffer);
  return nn::ParameterOp::create(
      b, buffer.getLoc(), StringRef(name), type,
      nn::InitAttr::get(b.getContext(), "zeros", APFloat(0.0)),
      /*frozen=*/true);
}

/// Adds for each buffer a sum of the changes that the batches of a window make.
static void addPending(const StepPlan &plan, WindowState &state) {
  for (nn::ParameterOp buffer : plan.buffers) {
    nn::ParameterOp sum =
        declare(buffer, pendingName(buffer.getSymName()), buffer.getType());
    setPendingOf(sum, FlatSymbolRefAttr::get(buffer.getSymNameAttr()));
    state.pending.push_back(sum);
  }
}

/// Lets the loss read each buffer with the changes of the window so far, which
/// may yet be skipped.
static void readWithPending(const StepPlan &plan, const WindowState &state) {
  func::FuncOp loss = plan.loss;
  for (auto [buffer, sum] : llvm::zip_equal(plan.buffers, state.pending))
    loss.walk([&, buffer = buffer, sum = sum](nn::GetOp get) mutable {
      if (get.getParameter() != buffer.getSymName())
        return;
      OpBuilder b(get->getContext());
      b.setInsertionPointAfter(get);
      auto change =
          nn::GetOp::create(b, get.getLoc(), get.getType(), sum.getSymName());
      auto whole = nn::AddOp::create(b, get.getLoc(), get, change);
      get.getOutput().replaceAllUsesExcept(whole, whole);
    });
}

/// Adds for each buffer one row for each batch of a window on this rank.
static void addBatches(const StepPlan &plan, WindowState &state) {
  RecipeOp recipe = plan.recipe;
  for (auto [index, declared] : llvm::enumerate(plan.buffers)) {
    nn::ParameterOp buffer = declared;
    if (plan.rules[index].count) {
      state.batches.emplace_back();
      continue;
    }
    auto type = cast<RankedTensorType>(buffer.getType());
    SmallVector<int64_t> shape = {recipe.getBatchesOfRank()};
    llvm::append_range(shape, type.getShape());
    nn::ParameterOp batches =
        declare(buffer, batchesName(buffer.getSymName()),
                RankedTensorType::get(shape, type.getElementType()));
    setBatchesOf(batches, FlatSymbolRefAttr::get(buffer.getSymNameAttr()));
    state.batches.push_back(batches);
  }
}

static void writeStep(const StepPlan &plan, const WindowState &state,
                      ModuleOp module) {
  RecipeOp recipe = plan.recipe;
  EntryWriter step(plan, module, EntryKind::Step, state);
  step.readBatch();
  if (recipe.getRanks() > 1)
    step.advance();
  step.step();
  step.finish();
}

static void writeWindow(const StepPlan &plan, const WindowState &state,
                        ModuleOp module) {
  EntryWriter batch(plan, module, EntryKind::Accumulate, state);
  batch.readBatch();
  batch.accumulate();
  batch.finish();
  EntryWriter apply(plan, module, EntryKind::Apply, state);
  apply.takeAccumulated();
  apply.step();
  apply.finish();
}

void mpc::amp::writeEntries(const StepPlan &plan, ModuleOp module) {
  RecipeOp recipe = plan.recipe;
  bool hasRanks = recipe.getRanks() > 1,
       isWindow = recipe.getBatchesOfRank() > 1;
  WindowState state;
  if (recipe.getAccumulate() > 1)
    addPending(plan, state);
  if (isWindow && hasRanks)
    addBatches(plan, state);
  if (isWindow && !hasRanks)
    readWithPending(plan, state);
  if (isWindow)
    writeWindow(plan, state, module);
  else
    writeStep(plan, state, module);
}
