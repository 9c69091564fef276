// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// amp.recipe: how a model is computed and trained, in IR.
#ifndef MPC_DIALECTS_AMP_RECIPE_H
#define MPC_DIALECTS_AMP_RECIPE_H

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Clauses.h"
#include "dialects/AMP/Optimizers.h"
#include "dialects/Interfaces/Precision.h"
#include "dialects/NN/AutocastPreset.h"
#include "dialects/NN/Losses.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/LossScale/PolicyInfo.h"

#include <functional>
#include <optional>

#define GET_OP_CLASSES
#include "dialects/AMP/AMPRecipe.h.inc"

namespace mpc::amp {

/// The module's recipe; null where it has none.
RecipeOp findRecipe(mlir::ModuleOp module);

/// How whoever wrote a recipe writes a clause, or a field of it, with a value
/// where that is not empty: "--larc=clip" of ("larc", "name", "clip").
using Spelling = std::function<std::string(
    llvm::StringRef clause, llvm::StringRef key, llvm::StringRef value)>;
/// What is wrong with a recipe, in those words; empty for nothing.
std::string checkClauses(RecipeOp recipe, const Spelling &spell);

/// What a checkpoint says of it: its text without numbers that are state. Only
/// of `section` where that is given.
std::string recordOf(RecipeOp recipe,
                     std::optional<Section> section = std::nullopt);

/// The strings of one of its lists, as patterns.
std::vector<std::string> stringsOf(mlir::ArrayAttr strings);

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_RECIPE_H
