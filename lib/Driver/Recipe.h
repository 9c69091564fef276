// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the RECIPE flags say, and how it becomes the module's amp.recipe.
#ifndef MPC_LIB_DRIVER_RECIPE_H
#define MPC_LIB_DRIVER_RECIPE_H

#include "dialects/AMP/Recipe.h"
#include "lib/Driver/Compile.h"
#include "lib/Driver/ImportFlags.h"
#include "runtime/LossScale/PolicyInfo.h"
#include "runtime/Train/Trainer.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mpc {

/// Which loss is taken of the model: --loss.
struct LossFlag {
  const nn::LossFunction *function;
  std::string output; ///< The model's output that it is taken of; or empty.
};

/// Reads "KIND[:OUTPUT]" or "output:NAME".
rt::Result<LossFlag> parseLoss(const std::string &text);
/// What it reads, for people.
std::string knownLossFlags();

/// What else was said of a loss.
struct LossOptions {
  std::optional<nn::LossReduction> reduction;
  std::optional<int64_t> ignoreIndex;
  std::vector<double> classWeights;
  std::optional<double> labelSmoothing, delta;
  std::optional<int64_t> classAxis;

  [[nodiscard]] nn::LossParameter given() const;
};

/// The flag of a hyper-parameter or of a parameter of losses: "--loss-delta" of
/// "loss_delta".
std::string flagOf(llvm::StringRef name);

/// How the model's ops get their precision.
struct PrecisionFlags {
  Precision precision = Precision::FP32;
  std::vector<std::string> keepFp32, lower; ///< Regular expressions on names.
  std::optional<Precision> outputType;      ///< None: as the model declares.
  bool costAware = false;
  bool saturateWeights = true;
  /// A built-in autocast policy, or a file; "preset:NAME" is no file.
  std::string policy = nn::kDefaultAutocast.str();
  std::optional<std::string> rules; ///< What the file says.
};

/// Reads what `flags.policy` names. Usage errors name the flag, errors in a
/// file its line.
rt::Status readAutocastPolicy(PrecisionFlags &flags,
                              mlir::MLIRContext &context);

/// The RECIPE flags as given.
struct RecipeFlags {
  std::string loss = "cross_entropy";
  LossOptions lossOptions;
  bool noDropout = false;
  PrecisionFlags precision;
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
  std::string larc; ///< --larc, or empty.
  double l1 = 0.0, l2 = 0.0, ema = 0.0;
  std::string masterWeights = "on";
  std::string slotType = "f32";
  bool countUnderflow = false;
  int64_t accumulate = 1;
  ImportFlags import; ///< Its batch size is the data's.
  TargetOptions target;
  bool noFuse = false;
  bool strictCasts = false;
  /// Flags that were given and say how a step is made.
  std::vector<std::string> stepFlags;
};

/// For a module that writes its step out: a usage error where a flag says how a
/// step is made, or asks for entries that are not there.
rt::Status checkOwnStep(const RecipeFlags &flags, ImportedModel &model);

/// A recipe of defaults in `module`, in place of one that it came with.
amp::RecipeOp addRecipe(mlir::ModuleOp module);
/// Writes how a model is computed.
void writePrecision(const PrecisionFlags &flags, amp::RecipeOp recipe);
/// Writes which loss is taken. A usage error where an option is not one of it.
rt::Status writeLoss(const LossFlag &loss, const LossOptions &options,
                     amp::RecipeOp recipe);
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
