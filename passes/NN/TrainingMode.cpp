// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-training-mode: normalizes by statistics of the batch, and returns running
// statistics as results.
#include "passes/NN/Passes.h"

#include "dialects/NN/Annotations.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/FrozenNormalization.h"
#include "dialects/NN/FunctionNames.h"
#include "dialects/NN/NNDialect.h"
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
    for (Operation &op : llvm::make_early_inc_range(model_.getBody().front())) {
      builder.setInsertionPoint(&op);
      auto trains = dyn_cast<mpc::TrainingOpInterface>(op);
      if (trains && !op.hasAttr(kFrozen) &&
          (!isChosen || trains.isTrainingForm()))
        update(trains.toTrainingForm(builder));
    }
    addResults();
  }

private:
  /// Whether some op updates its statistics already. The model was then made
  /// for training, and its author froze the ops that do not.
  bool hasChosenForms() {
    return llvm::any_of(model_.getOps<mpc::TrainingOpInterface>(),
                        [](mpc::TrainingOpInterface op) {
                          return op.isTrainingForm() &&
                                 !op.getRunningState().empty();
                        });
  }

  void update(mpc::TrainingOpInterface op) {
    SmallVector<mpc::RunningState> states = op.getRunningState();
    if (!llvm::all_of(states, [](mpc::RunningState state) {
          return isa_and_present<GetOp>(state.old->get().getDefiningOp());
        })) {
      op.emitWarning("its running statistics are no initializers: training "
                     "does not keep them");
      return;
    }
    for (mpc::RunningState state : states)
      advance(*state.old, state.next);
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
    old.set(it->second);
    it->second = next;
  }

  void addResults() {
    Builder b(model_.getContext());
    SymbolTable symbols(model_->getParentOfType<ModuleOp>());
    Operation *terminator = model_.getBody().front().getTerminator();
    for (auto [name, value] : latest_) {
      symbols.lookup<ParameterOp>(name).setFrozen(true);
      unsigned index = model_.getNumResults();
      NamedAttribute attributes[] = {
          nameAttribute(b, "stat." + name.getValue()),
          b.getNamedAttr(kBuffer, FlatSymbolRefAttr::get(name))};
      (void)model_.insertResult(index, value.getType(),
                                b.getDictionaryAttr(attributes));
      terminator->insertOperands(index, value);
    }
  }

  func::FuncOp model_;
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
  }
};

} // namespace
