// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-prepare-model: prepares the model for computing as the recipe says.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Recipe.h"
#include "dialects/NN/FunctionNames.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/RunningStatistics.h"
#include "passes/NN/AutocastPolicy.h"
#include "passes/NN/Passes.h"
#include "passes/Pipelines.h"

namespace mpc::amp {
#define GEN_PASS_DEF_PREPAREMODELPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// The policy that the recipe names, or whose file it holds; null, with an
/// error at the recipe, where there is none.
static std::shared_ptr<const nn::AutocastPolicy> readPolicy(RecipeOp recipe) {
  StringRef named = recipe.getAutocast();
  if (std::optional<StringRef> rules = recipe.getRules()) {
    auto policy = nn::parseAutocastPolicy(*rules, named, *recipe->getContext());
    if (policy)
      return std::make_shared<nn::AutocastPolicy>(std::move(*policy));
    recipe.emitError(llvm::toString(policy.takeError()));
    return nullptr;
  }
  StringRef name = nn::withoutPresetPrefix(named);
  if (const nn::AutocastPreset *preset = nn::findAutocastPreset(name))
    return std::make_shared<nn::AutocastPolicy>(nn::makePolicy(*preset));
  recipe.emitError("'") << name << "' is not a built-in autocast policy; "
                        << "built in are " << nn::knownAutocastPresets();
  return nullptr;
}

namespace {

struct PrepareModelPass
    : mpc::amp::impl::PrepareModelPassBase<PrepareModelPass> {
  using PrepareModelPassBase::PrepareModelPassBase;

  void runOnOperation() override {
    RecipeOp recipe = findRecipe(getOperation());
    if (!recipe) {
      emitError(getOperation().getLoc())
          << "has no amp.recipe, which says how its model is computed";
      return signalPassFailure();
    }
    auto policy = readPolicy(recipe);
    if (!policy)
      return signalPassFailure();
    OwningOpRef<ModuleOp> evaluation;
    if ((evaluates || measures) && !ownStep)
      evaluation = getOperation().clone();
    OpPassManager manager(ModuleOp::getOperationName());
    if (!ownStep)
      buildModelPipeline(manager, recipe, training);
    buildPrecisionPipeline(manager, recipe, policy, explain);
    if (failed(runPipeline(manager, getOperation())) ||
        (evaluation && failed(addEvaluation(evaluation.release(), policy))))
      signalPassFailure();
  }

private:
  /// Prepares `copy`, the model as it was imported, and takes over its entries.
  /// `copy` lies in this module meanwhile, since passes run only inside of it.
  LogicalResult
  addEvaluation(ModuleOp copy,
                std::shared_ptr<const nn::AutocastPolicy> policy) {
    getOperation().push_back(copy);
    if (auto model = copy.lookupSymbol<func::FuncOp>(nn::kModelFunction))
      nn::useRunningStatistics(model);
    RecipeOp recipe = findRecipe(copy);
    OpPassManager manager(ModuleOp::getOperationName());
    buildModelPipeline(manager, recipe, /*training=*/false, measures);
    buildPrecisionPipeline(manager, recipe, std::move(policy),
                           /*explain=*/false);
    nn::BuildEvalPassOptions eval;
    eval.evaluates = evaluates;
    manager.addPass(nn::createBuildEvalPass(eval));
    // The step has given the same warnings already.
    ScopedDiagnosticHandler quiet(&getContext(), [](Diagnostic &diagnostic) {
      return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
    });
    if (failed(runPipeline(manager, copy)) || failed(takeEntries(copy)))
      return failure();
    copy.erase();
    return success();
  }

  LogicalResult takeEntries(ModuleOp copy) {
    for (auto entry : llvm::make_early_inc_range(copy.getOps<func::FuncOp>())) {
      if (!isEntry(entry))
        continue;
      if (getOperation().lookupSymbol(entry.getName()))
        return emitError(getOperation().getLoc())
               << nn::takenSymbol(entry.getName());
      entry->remove();
      getOperation().push_back(entry);
    }
    return success();
  }
};

} // namespace
