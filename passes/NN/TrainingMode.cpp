// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-training-mode: normalizes by statistics of the batch, and returns running
// statistics as results.
#include "passes/NN/Passes.h"

#include "dialects/NN/Annotations.h"
#include "dialects/NN/BufferResults.h"
#include "dialects/NN/FrozenNormalization.h"
#include "dialects/NN/FunctionNames.h"
#include "llvm/ADT/MapVector.h"

namespace mpc::nn {
#define GEN_PASS_DEF_TRAININGMODEPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc::nn;

namespace {

/// Goes through @model in order and keeps the latest value of each buffer.
class TrainingMode {
public:
  explicit TrainingMode(func::FuncOp model) : model_(model) {}

  void run() {
    bool isChosen = hasChosenForms();
    OpBuilder builder(model_.getContext());
    for (mpc::TrainingOpInterface op : findOps()) {
      builder.setInsertionPoint(op);
      if (!op->hasAttr(kFrozen) && (!isChosen || op.isTrainingForm()))
        update(op.toTrainingForm(builder));
    }
    addResults();
  }

private:
  /// In order, those in regions of nn.autocast too.
  SmallVector<mpc::TrainingOpInterface> findOps() {
    SmallVector<mpc::TrainingOpInterface> ops;
    model_.walk([&](mpc::TrainingOpInterface op) { ops.push_back(op); });
    return ops;
  }

  /// Whether some op updates its statistics already. The model was then made
  /// for training, and its author froze the ops that do not.
  bool hasChosenForms() {
    return llvm::any_of(findOps(), [](mpc::TrainingOpInterface op) {
      return op.isTrainingForm() && !op.getRunningState().empty();
    });
  }

  void update(mpc::TrainingOpInterface op) {
    SmallVector<mpc::RunningState> states = op.getRunningState();
    if (!llvm::all_of(states, [](mpc::RunningState state) {
          return isa_and_present<GetOp>(state.old->get().getDefiningOp());
        })) {
      op.emitWarning("its running statistics are not initializers: training "
                     "does not keep them");
      return;
    }
    for (mpc::RunningState state : states)
      advance(*state.old, state.next);
  }

  /// `value` as `user` reads it, which may stand outside of its regions. It is
  /// to be used at once: another such call makes regions anew.
  static Value visibleTo(Operation *user, Value value) {
    while (!value.getParentRegion()->isAncestor(user->getParentRegion()))
      value = addResult(
          cast<AutocastOp>(value.getParentRegion()->getParentOp()), value);
    return value;
  }

  static Value addResult(AutocastOp region, Value value) {
    SmallVector<Type> types(region.getResultTypes());
    types.push_back(value.getType());
    region.getBody().front().getTerminator()->insertOperands(
        region.getNumResults(), value);
    OpBuilder builder(region);
    auto wider = AutocastOp::create(builder, region.getLoc(), types,
                                    region.getEnabled(), region.getDtypeAttr());
    wider->setAttrs(region->getAttrs());
    wider.getBody().takeBody(region.getBody());
    region->replaceAllUsesWith(wider->getResults().drop_back());
    region.erase();
    return wider->getResults().back();
  }

  /// Records `next` as the latest value of the buffer that `old` reads.
  void advance(OpOperand &old, Value next) {
    auto get = cast<GetOp>(old.get().getDefiningOp());
    auto [it, isNew] =
        latest_.try_emplace(get.getParameterAttr().getAttr(), next);
    if (isNew)
      return;
    // An op that shares a buffer with an earlier one reads the value that the
    // earlier one computed.
    old.set(visibleTo(old.getOwner(), it->second));
    it->second = next;
  }

  void addResults() {
    Builder b(model_.getContext());
    SymbolTable symbols(model_->getParentOfType<ModuleOp>());
    Operation *terminator = model_.getBody().front().getTerminator();
    for (auto [name, value] : latest_) {
      symbols.lookup<ParameterOp>(name).setFrozen(true);
      unsigned index = model_.getNumResults();
      (void)model_.insertResult(index, value.getType(),
                                bufferAttributes(b, name));
      terminator->insertOperands(index, visibleTo(terminator, value));
    }
  }

  func::FuncOp model_;
  /// As the ops compute them, in regions too.
  llvm::MapVector<StringAttr, Value> latest_;
};

/// The mode of the ops of `model` that compute differently in training; null
/// where there are none.
StringAttr findMode(func::FuncOp model, bool training) {
  StringRef mode;
  model.walk([&](mpc::TrainingOpInterface op) {
    if (training || op.isTrainingForm())
      mode = kTrainingMode;
    else if (mode.empty())
      mode = kInferenceMode;
  });
  return mode.empty() ? nullptr : StringAttr::get(model.getContext(), mode);
}

/// An evaluation leaves buffers as they are.
LogicalResult eraseBufferResults(func::FuncOp model) {
  Operation *terminator = model.getBody().front().getTerminator();
  for (unsigned index = model.getNumResults(); index-- > 0;) {
    if (!isBufferResult(model, index))
      continue;
    terminator->eraseOperand(index);
    if (failed(model.eraseResult(index)))
      return failure();
  }
  return success();
}

struct TrainingModePass
    : mpc::nn::impl::TrainingModePassBase<TrainingModePass> {
  using TrainingModePassBase::TrainingModePassBase;

  void runOnOperation() override {
    auto model = getOperation().lookupSymbol<func::FuncOp>(kModelFunction);
    if (!model || model.isDeclaration() || !model.getBody().hasOneBlock())
      return;
    if (StringAttr mode = findMode(model, training))
      model->setAttr(kMode, mode);
    if (training)
      TrainingMode(model).run();
    else if (failed(eraseBufferResults(model)))
      signalPassFailure();
  }
};

} // namespace
