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

namespace mpc::amp {

/// A group of parameters, as a recipe describes it.
struct GroupClause {
  std::string pattern;
  /// Its own numbers: `lr_factor` and hyper-parameters of the optimizer's rule.
  mlir::DictionaryAttr numbers;
  bool noDecay; ///< Whether its parameters have no weight decay.
};

} // namespace mpc::amp

#define GET_OP_CLASSES
#include "dialects/AMP/AMPRecipe.h.inc"

namespace mpc::amp {

/// The module's recipe; null where it has none.
RecipeOp findRecipe(mlir::ModuleOp module);

/// Spells a clause or a field of it in the form in which the recipe was
/// written, with a value where that is not empty: "--larc=clip" for ("larc",
/// "name", "clip").
using Spelling = std::function<std::string(
    llvm::StringRef clause, llvm::StringRef key, llvm::StringRef value)>;
/// The first fault of a recipe, in the spelling of `spell`; empty for none.
std::string checkClauses(RecipeOp recipe, const Spelling &spell);

/// A checkpoint's record of a recipe: its text without numbers that are state.
/// A given `section` alone is recorded.
std::string recordOf(RecipeOp recipe,
                     std::optional<Section> section = std::nullopt);

/// The strings of a list of the recipe, as patterns.
std::vector<std::string> stringsOf(mlir::ArrayAttr strings);

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_RECIPE_H
