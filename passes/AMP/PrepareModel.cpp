// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-prepare-model: the model as the recipe wants it computed.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/Recipe.h"
#include "dialects/NN/NNDialect.h"
#include "passes/NN/AutocastPolicy.h"
#include "passes/Pipelines.h"

namespace mpc::amp {
#define GEN_PASS_DEF_PREPAREMODELPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// The policy that the recipe names, or whose file it holds; null, with an
/// error at the recipe, where that is none.
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
  recipe.emitError("'") << name << "' is no built-in autocast policy; "
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
    OpPassManager manager(ModuleOp::getOperationName());
    if (!ownStep)
      buildModelPipeline(manager, recipe, training);
    buildPrecisionPipeline(manager, recipe, policy, explain);
    if (failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }
};

} // namespace
