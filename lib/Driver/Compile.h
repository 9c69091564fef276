// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From an imported model and a recipe to a Program.
#ifndef MPC_LIB_DRIVER_COMPILE_H
#define MPC_LIB_DRIVER_COMPILE_H

#include "lib/Driver/Explain.h"
#include "lib/Driver/ModelFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Pipelines.h"
#include "runtime/Program/Program.h"
#include "runtime/Train/Data.h"

#include <memory>

namespace mpc {

/// Which loss is taken of the model: --loss.
struct LossOptions {
  std::string kind;   ///< cross_entropy, mse, output; empty for none.
  std::string output; ///< The model's output that it is taken of.
  /// Shape of one batch of `target`, which decides the class axis; empty where
  /// it is not known.
  std::vector<int64_t> targetShape;
};

/// Reads "cross_entropy[:OUTPUT]", "mse[:OUTPUT]" or "output:NAME".
rt::Result<LossOptions> parseLoss(const std::string &text);

/// How code is made, whatever it computes.
struct TargetOptions {
  std::string cpu = "host"; ///< host, x86-64-v3 or x86-64-v4.
  bool fuse = true;
  bool naive = false; ///< Every kernel by scalar loops.
};

/// Reads what `options.policy` names. Usage errors name the flag, errors in a
/// file its line.
rt::Status readAutocastPolicy(PrecisionOptions &options,
                              mlir::MLIRContext &context);

struct EvalOptions {
  LossOptions loss;
  bool gradients = false;
  bool training = false; ///< In training mode, with statistics of the batch.
  PrecisionOptions precision;
  TargetOptions target;
};

/// Layer-wise adaptive rates, in place of clipping.
struct LarcOptions {
  std::string mode; ///< clip, scale or, as Apex has them, apex-...; or empty.
  double eta = 1e-3, minUpdate = 1e-7, eps = 1e-7;

  /// With the defaults of the system that `mode` is from.
  static LarcOptions of(const std::string &mode);
  bool isApex() const { return mode.rfind("apex-", 0) == 0; }
};

/// One training step: what amp-build-step is told (passes/AMP/Passes.td).
struct TrainingOptions {
  LossOptions loss;
  PrecisionOptions precision;
  std::string policy = "none";
  std::vector<std::string> settings; ///< NAME=VALUE
  double minScale = 0.0;             ///< The policy's floor; 0 for none.
  /// A step that is not finite may change more than the loss scale, or changes
  /// it before it is read.
  bool keepState = false;
  std::string optimizer = "adamw";
  std::vector<std::string> hyper; ///< NAME=VALUE
  std::vector<std::string> flags;
  std::vector<std::string> noDecay, freeze, trainable; ///< Patterns.
  double clipGlobalNorm = 0.0, clipNorm = 0.0, clipValue = 0.0;
  bool clipScaled = false;           ///< Clip as if before the unscale.
  std::string clipNormOrder = "f64"; ///< Or torch: see amp.vector_norm.
  LarcOptions larc;
  double l1 = 0.0, l2 = 0.0;    ///< Penalties on the parameters.
  double ema = 0.0;             ///< Decay of an average of them; 0 for none.
  bool masterWeights = true;    ///< Else they are of bf16,
  uint64_t roundingSeed = 0;    ///< and rounded stochastically by this.
  std::string slotType = "f32"; ///< Of the optimizer's slots: bf16, f16.
  int64_t accumulate = 1;       ///< Batches a step.
  bool countUnderflow = false;  ///< Of 16-bit gradients.
  /// Empty: gradients come from the loss. Else f16, bf16 or f32: the scaled
  /// gradients are inputs "grad.<parameter>" of this type.
  std::string gradientType;
  std::vector<std::string> noGradient; ///< Patterns: these get none then.
  /// Patterns: these get one where the input "present.INDEX" says so.
  std::vector<std::string> gradientSets;
  TargetOptions target;
};

/// By whose statistics a model normalizes: its results depend on that.
enum class ModelMode { Either, Inference, Training };

/// What compilation found beside the program.
struct CompileReport {
  std::vector<std::string> warnings;
  /// Inputs that are class labels or row numbers, with their ranges.
  std::vector<rt::InputBound> bounds;
  ModelMode mode = ModelMode::Either;
  Explanation explanation; ///< Filled where the precision options ask for it.
};

/// The model as compileEval computes it, in its mode, with its loss and its
/// casts; explained where that is asked for.
rt::Status explainModel(ImportedModel &model, const EvalOptions &options,
                        CompileReport &report);

/// A program with the entries of a training step: "step", or "accumulate" and
/// "apply"; and, where there are 16-bit copies of parameters, "init". A module
/// that writes its step out (OwnStep.h) has what it has; of `options` only how
/// it is computed counts then.
rt::Result<std::shared_ptr<rt::Program>>
compileTraining(ImportedModel &model, const TrainingOptions &options,
                CompileReport &report);

/// compileTraining's step, with entries that yield the largest
/// magnitude of each value: see amp-add-probes. `inspect` is shown each entry
/// before it is lowered.
rt::Result<std::shared_ptr<rt::Program>>
compileProbe(ImportedModel &model, const TrainingOptions &options,
             CompileReport &report,
             llvm::function_ref<void(mlir::func::FuncOp)> inspect);

/// The step of an optimizer alone: of `model` only the parameters count, and
/// `options.gradientType` is set.
rt::Result<std::shared_ptr<rt::Program>>
compileOptimizer(ImportedModel &model, const TrainingOptions &options,
                 CompileReport &report);

/// A program with the entry "eval"; of a module without @model that writes its
/// step out, with the entries of that.
rt::Result<std::shared_ptr<rt::Program>> compileEval(ImportedModel &model,
                                                     const EvalOptions &options,
                                                     CompileReport &report);

} // namespace mpc

#endif // MPC_LIB_DRIVER_COMPILE_H
