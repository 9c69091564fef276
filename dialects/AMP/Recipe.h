// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// amp.recipe: how a model is computed and trained, in IR.
#ifndef MPC_DIALECTS_AMP_RECIPE_H
#define MPC_DIALECTS_AMP_RECIPE_H

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Optimizers.h"
#include "dialects/Interfaces/Precision.h"
#include "dialects/NN/AutocastPreset.h"
#include "dialects/NN/Losses.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/LossScale/PolicyInfo.h"

#include "dialects/AMP/AMPRecipeEnums.h.inc"

#define GET_OP_CLASSES
#include "dialects/AMP/AMPRecipe.h.inc"

namespace mpc::amp {

/// The module's recipe; null where it has none.
RecipeOp findRecipe(mlir::ModuleOp module);

/// Whether `kind` is a rule of Apex, which takes weight decay in.
bool isApex(std::optional<LarcKind> kind);

/// The rule that users call clip, scale, apex-clip or apex-scale.
std::optional<LarcKind> parseLarcKind(llvm::StringRef name);
/// What users call it.
std::string nameOf(LarcKind kind);

/// The strings of one of its lists, as patterns.
std::vector<std::string> stringsOf(mlir::ArrayAttr strings);

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_RECIPE_H
