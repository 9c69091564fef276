// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the RECIPE flags say, and how it becomes the module's amp.recipe.
#ifndef MPC_LIB_DRIVER_RECIPE_H
#define MPC_LIB_DRIVER_RECIPE_H

#include "dialects/AMP/Recipe.h"
#include "lib/Driver/ClauseFlags.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"

#include <optional>
#include <string>
#include <vector>

namespace mpc {

struct ImportedModel;

/// The RECIPE flags as given.
struct RecipeFlags {
  GivenClauses clauses;
  /// What the file of --autocast-policy says; none where that is no file.
  std::optional<std::string> rules;

  /// What was given to `flag`; null for nothing.
  template <typename T>
  const T *find(std::string_view flag) const {
    auto it = clauses.find(flag);
    return it == clauses.end() ? nullptr : std::get_if<T>(&it->second);
  }
  /// --autocast-policy, which may name a file.
  [[nodiscard]] std::string autocastPolicy() const;
};

/// Reads the file that --autocast-policy names, where it names one. Usage
/// errors name the flag, errors in a file its line.
rt::Status readAutocastPolicy(RecipeFlags &flags, mlir::MLIRContext &context);

/// For a module that writes its step out: a usage error where a flag says how a
/// step is made, or asks for entries that are not there.
rt::Status checkOwnStep(const RecipeFlags &flags, ImportedModel &model);

/// A recipe of defaults in `module`, in place of one that it came with.
amp::RecipeOp addRecipe(mlir::ModuleOp module);
/// Writes how a model is computed.
rt::Status writePrecision(const RecipeFlags &flags, amp::RecipeOp recipe);
/// Writes the loss, where one is given, and whether there is dropout. A usage
/// error where a flag is not one of that loss.
rt::Status writeLoss(const RecipeFlags &flags, amp::RecipeOp recipe);
/// Writes the shape of one batch of `target`; empty where it is not known.
void writeTarget(llvm::ArrayRef<int64_t> shape, amp::RecipeOp recipe);
/// Writes all that the flags say but the shape of `target`. Usage errors name
/// the flag.
rt::Status writeRecipe(const RecipeFlags &flags, amp::RecipeOp recipe);

/// The recipe as a module has it: Program::recipe.
std::string textOf(amp::RecipeOp recipe);

/// Where skipped steps are run again: a usage error for a policy that would run
/// them at the same scale.
rt::Status checkReplay(amp::RecipeOp recipe);
/// The least scale of the recipe's policy; 0 where it has none.
double floorOf(amp::RecipeOp recipe);
/// Whether a step that is not finite may change more than the loss scale, or
/// changes it before it is read.
bool changesState(amp::RecipeOp recipe);

/// The numbers among these flags that were given and are state of the program:
/// a resumed run is to have them.
std::vector<rt::GivenNumber> givenNumbers(const RecipeFlags &flags);

} // namespace mpc

#endif // MPC_LIB_DRIVER_RECIPE_H
