// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The RECIPE flags, and how they become the module's amp.recipe.
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

/// The RECIPE flags as they were given.
struct RecipeFlags {
  GivenClauses clauses;
  /// The text of the file of --autocast-policy; empty where that names no file.
  std::optional<std::string> rules;
  /// The learning rate that --lr gives the run, or its default. The rates of
  /// --group are kept as multiples of it.
  double rate = 1e-3;

  /// The value given to `flag`; null for none.
  template <typename T>
  const T *find(std::string_view flag) const {
    auto it = clauses.find(flag);
    return it == clauses.end() ? nullptr : std::get_if<T>(&it->second);
  }
  /// The value of --autocast-policy, which may name a file.
  [[nodiscard]] std::string autocastPolicy() const;
};

/// Reads the file of --autocast-policy, where it names one. Usage errors name
/// the flag, and errors in a file name the line.
rt::Status readAutocastPolicy(RecipeFlags &flags, mlir::MLIRContext &context);

/// For a module that writes its step out: a usage error where a flag decides
/// how a step is made, or needs entries that are missing.
rt::Status checkOwnStep(const RecipeFlags &flags, ImportedModel &model);

/// Adds a recipe of defaults to `module`, and removes one that it has.
amp::RecipeOp addRecipe(mlir::ModuleOp module);
/// Writes the clauses that decide how a model is computed.
rt::Status writePrecision(const RecipeFlags &flags, amp::RecipeOp recipe);
/// Writes the loss, where one is given, and whether there is dropout. A usage
/// error where the loss does not take a given flag.
rt::Status writeLoss(const RecipeFlags &flags, amp::RecipeOp recipe);
/// Writes the shape of one batch of `target`; empty where it is not known.
void writeTarget(llvm::ArrayRef<int64_t> shape, amp::RecipeOp recipe);
/// Writes all clauses except the shape of `target`. Usage errors name the flag.
rt::Status writeRecipe(const RecipeFlags &flags, amp::RecipeOp recipe);

/// The recipe's text as in a module: Program::recipe.
std::string textOf(amp::RecipeOp recipe);

/// For a run that repeats skipped steps: a usage error where the policy would
/// repeat them at the same scale.
rt::Status checkReplay(amp::RecipeOp recipe);
/// The least scale of the recipe's policy; 0 where it has none.
double floorOf(amp::RecipeOp recipe);
/// Whether a step that is not finite may change more than the loss scale, or
/// changes the scale before it is read.
bool changesState(amp::RecipeOp recipe);

/// The given numbers that are state of the program. A resumed run must set them
/// again.
std::vector<rt::GivenNumber> givenNumbers(const RecipeFlags &flags);

} // namespace mpc

#endif // MPC_LIB_DRIVER_RECIPE_H
