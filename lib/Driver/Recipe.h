// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How a model is trained: what the RECIPE flags say.
#ifndef MPC_LIB_DRIVER_RECIPE_H
#define MPC_LIB_DRIVER_RECIPE_H

#include "lib/Driver/Compile.h"
#include "lib/Driver/ImportFlags.h"
#include "runtime/LossScale/PolicyInfo.h"
#include "runtime/Train/Trainer.h"

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

namespace mpc {

/// The RECIPE flags as given.
struct RecipeFlags {
  std::string loss = "cross_entropy";
  PrecisionOptions precision;
  std::string optimizer = "adamw";
  /// Hyper-parameters and flags of the optimizer, by our names.
  std::map<std::string, double> hyper;
  bool nesterov = false;
  std::vector<std::string> optArgs; ///< NAME=VALUE
  /// Numbers around the optimizer's rule that were given: flag and value by
  /// the hyper-parameter's name.
  std::map<std::string, std::pair<std::string, double>> given;
  std::vector<std::string> noDecay, freeze, trainable;
  std::string lossScale; ///< Empty: dynamic for fp16, else none.
  std::map<rt::Setting, double> scaleSettings;
  double clipGlobalNorm = 0.0, clipNorm = 0.0, clipValue = 0.0;
  std::string clipNormOrder = "f64";
  LarcOptions larc;
  double l1 = 0.0, l2 = 0.0, ema = 0.0;
  std::string masterWeights = "on";
  std::string slotType = "f32";
  bool countUnderflow = false;
  int64_t accumulate = 1;
  ImportFlags import; ///< Its batch size is the data's.
  TargetOptions target;
  bool noFuse = false;
  bool strictCasts = false;
  const CLI::App *app = nullptr; ///< Whose flags these are.
};

/// Registers the flags of the group Precision that every tool has.
void addPrecisionFlags(CLI::App &app, PrecisionOptions &options);

/// Registers the flags; `flags` must outlive parsing. --lr and its schedule
/// are the runtime's.
void addRecipeFlags(CLI::App &app, RecipeFlags &flags);

/// For a module that writes its step out: a usage error where a flag says how a
/// step is made, or asks for entries that are not there.
rt::Status checkOwnStep(const RecipeFlags &flags, ImportedModel &model);

/// Where skipped steps are run again: a usage error for a policy that would run
/// them at the same scale.
rt::Status checkReplay(const TrainingOptions &options);

/// The options of compileTraining that these flags set. Usage errors name the
/// flag.
rt::Result<TrainingOptions> toTrainingOptions(const RecipeFlags &flags);

/// The numbers among these flags that were given and are state of the program:
/// a resumed run is to have them.
std::vector<rt::GivenNumber> givenNumbers(const RecipeFlags &flags);

} // namespace mpc

#endif // MPC_LIB_DRIVER_RECIPE_H
