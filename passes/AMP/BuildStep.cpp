// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-build-step: makes @step from @loss and a recipe.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Recipe.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/FunctionNames.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/AMP/BufferRules.h"
#include "passes/AMP/ParameterChoice.h"
#include "passes/AMP/StepState.h"
#include "passes/AMP/StepWriter.h"
#include "passes/AMP/TrainedParameters.h"

namespace mpc::amp {
#define GEN_PASS_DEF_BUILDSTEPPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

namespace {

struct BuildStepPass : mpc::amp::impl::BuildStepPassBase<BuildStepPass> {
  using BuildStepPassBase::BuildStepPassBase;

  void runOnOperation() override {
    recipe_ = findRecipe(getOperation());
    StepPlan plan;
    plan.recipe = recipe_;
    if (failed(checkNames()) || failed(findLoss(plan)))
      return signalPassFailure();
    addScaler(getOperation(), recipe_);
    addOptimizer(getOperation(), plan);
    if (failed(chooseParameters(getOperation(), plan)))
      return signalPassFailure();
    writeEntries(plan, getOperation());
  }

private:
  InFlightDiagnostic fail() { return emitError(getOperation().getLoc()); }

  LogicalResult checkNames() {
    if (!recipe_)
      return fail() << "has no amp.recipe, which says what its step is";
    for (StringRef name : {stringifyEntryKind(EntryKind::Step),
                           stringifyEntryKind(EntryKind::Accumulate),
                           stringifyEntryKind(EntryKind::Apply),
                           StringRef(kScaler), StringRef(kOptimizer)})
      if (getOperation().lookupSymbol(name))
        return fail() << nn::takenSymbol(name);
    return success();
  }

  LogicalResult findLoss(StepPlan &plan) {
    if (recipe_.getGradients())
      return success();
    auto loss = getOperation().lookupSymbol<func::FuncOp>(nn::kLossFunction);
    if (!loss || loss.isDeclaration())
      return fail() << "has no function @loss";
    auto type = loss.getNumResults() > 0
                    ? dyn_cast<RankedTensorType>(loss.getResultTypes().front())
                    : RankedTensorType();
    if (!type || type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
      return loss.emitError("must yield one floating scalar");
    plan.loss = loss;
    if (failed(findBuffers(plan)) || failed(findInputs(plan)))
      return failure();
    return recipe_.getRanks() > 1 ? findBufferRules(plan) : success();
  }

  LogicalResult findBuffers(StepPlan &plan) {
    func::FuncOp loss = plan.loss;
    for (unsigned i = 1, e = loss.getNumResults(); i < e; ++i) {
      auto symbol = loss.getResultAttrOfType<FlatSymbolRefAttr>(i, nn::kBuffer);
      if (!symbol && recipe_.getStepOutputs()) {
        plan.results.emplace_back();
        continue;
      }
      auto buffer =
          symbol
              ? getOperation().lookupSymbol<nn::ParameterOp>(symbol.getAttr())
              : nn::ParameterOp();
      if (!buffer || buffer.getType() != loss.getResultTypes()[i])
        return loss.emitError("must yield one floating scalar; result ")
               << i << " is not the next value of a parameter (nn.buffer)";
      if (elementTypeOf(buffer).isF64())
        return buffer.emitError("'")
               << buffer.getSymName() << "' is " << buffer.getType()
               << ": running statistics are kept in f32; export the model in "
                  "f32 (PyTorch: model.float())";
      std::string pending = pendingName(buffer.getSymName());
      if (recipe_.getAccumulate() > 1 && getOperation().lookupSymbol(pending))
        return buffer.emitError("'")
               << buffer.getSymName() << "' waits in '" << pending
               << "' for the end of a window of batches, but the model has a "
                  "symbol of that name; rename it";
      buffer.setFrozen(true);
      if (isa<FloatType>(elementTypeOf(buffer)) &&
          !elementTypeOf(buffer).isF32())
        retype(buffer, Float32Type::get(&getContext()));
      plan.buffers.push_back(buffer);
      plan.results.push_back(buffer);
    }
    return success();
  }

  /// Finds the inputs of which a gradient is wanted.
  LogicalResult findInputs(StepPlan &plan) {
    func::FuncOp loss = plan.loss;
    for (const std::string &name : stringsOf(recipe_.getInputGradients())) {
      auto arguments = llvm::seq<unsigned>(0, loss.getNumArguments());
      auto found = llvm::find_if(arguments, [&](unsigned index) {
        StringAttr own = nn::getArgumentName(loss, index);
        return own && own == name;
      });
      if (found == arguments.end())
        return fail() << "has no input '" << name
                      << "', of which a gradient is wanted";
      if (!isFloat(loss.getArgumentTypes()[*found]))
        return fail() << "input '" << name << "' is "
                      << loss.getArgumentTypes()[*found]
                      << ", which has no gradient";
      if (!llvm::is_contained(plan.inputs, *found))
        plan.inputs.push_back(*found);
    }
    return success();
  }

  static bool isFloat(Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  }

  static Type elementTypeOf(nn::ParameterOp parameter) {
    return cast<RankedTensorType>(parameter.getType()).getElementType();
  }

  RecipeOp recipe_;
};

} // namespace
