// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From an imported model and its recipe to a Program.
#ifndef MPC_LIB_DRIVER_COMPILE_H
#define MPC_LIB_DRIVER_COMPILE_H

#include "lib/Driver/Explain.h"
#include "lib/Driver/ModelFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/Program/Program.h"
#include "runtime/Train/Data.h"
#include "runtime/Train/Metrics.h"

#include <memory>

namespace mpc {

/// What code is made of, for someone to read.
struct CodeListing {
  enum class Level {
    MLIR, ///< As all passes leave it: kernels, their launches, the state.
    LLVM  ///< The kernels of a CPU as LLVM is given them.
  };
  Level level = Level::MLIR;
  std::string text = {}; ///< Of the first target.
};

/// How code is made, whatever it computes.
struct TargetOptions {
  /// host, x86-64-v3 or x86-64-v4; of a GPU cuda:sm_80 or later.
  std::string cpu = "host";
  bool runsHere = true; ///< A CPU that this machine lacks is an error.
  bool fuse = true;
  bool naive = false; ///< Every kernel by scalar loops.
  /// Places of 64 bits in every kernel of a GPU, as large tensors need them.
  bool wide = false;
  /// Survive a crash of a pass, by handlers of signals as long as passes run,
  /// and write a reproducer of a bug into the working folder: a tool may, a
  /// library inside of another program not.
  bool isTool = true;
  /// Filled in on the way to code, of which nothing is taken from the cache
  /// then; or null.
  CodeListing *listing = nullptr;
  /// Of a GPU: its text becomes machine code too, where that can be. Where not
  /// asked for, nothing is taken from the cache.
  bool machineCode = true;

  /// Whether what is asked for is more, or less, than a program of the cache.
  [[nodiscard]] bool isPartial() const { return listing || !machineCode; }
};

/// What a recipe leaves open.
struct CompileOptions {
  TargetOptions target;
  bool explain = false; ///< Fill CompileReport::explanation.
  /// What a training has beside its step: entries "eval" and "measure".
  bool evaluates = false, measures = false;
};

struct EvalOptions : CompileOptions {
  bool gradients = false;
  bool training = false; ///< In training mode: batch statistics, dropout.
  int64_t seed = 0;      ///< Of random numbers.
};

/// What compilation found beside the program.
struct CompileReport {
  std::vector<std::string> warnings;
  rt::StageSeconds stages; ///< Empty where the program was in the cache.
  Explanation explanation; ///< Filled where the options ask for it.
};

//===----------------------------------------------------------------------===//
// Of a module with its amp.recipe, which is done afterwards. One that is none
// is an error in its own words.
//===----------------------------------------------------------------------===//

/// The model as compileEval computes it, in its mode, with its loss and its
/// casts; explained where that is asked for.
rt::Status explainModel(ImportedModel &model, const EvalOptions &options,
                        CompileReport &report);

/// The passes of compileTraining and of compileEval as a text, which
/// `mpc-opt --pass-pipeline` runs: with the module all that there is to say of
/// the compilation but the CPU.
rt::Result<std::string> trainingPasses(const ImportedModel &model,
                                       const CompileOptions &options);
rt::Result<std::string> evalPasses(const ImportedModel &model,
                                   const EvalOptions &options);

/// A program with the entries of a training step: "step", or "accumulate" and
/// "apply"; and, where there are 16-bit copies of parameters, "init". A module
/// that writes its step out (OwnStep.h) has what it has; of its recipe only how
/// models are computed counts then.
rt::Result<std::shared_ptr<rt::Program>>
compileTraining(ImportedModel &model, const CompileOptions &options,
                CompileReport &report);

/// compileTraining's step, with entries that yield the largest magnitude of
/// each value: see amp-add-probes. Their `sites` say which.
rt::Result<std::shared_ptr<rt::Program>>
compileProbe(ImportedModel &model, const CompileOptions &options,
             CompileReport &report);

/// The step of an optimizer alone: of `model` only the parameters count, and
/// its recipe says `gradients`.
rt::Result<std::shared_ptr<rt::Program>>
compileOptimizer(ImportedModel &model, const TargetOptions &options,
                 CompileReport &report);

/// A program with the entry "eval"; of a module without @model that writes its
/// step out, with the entries of that.
rt::Result<std::shared_ptr<rt::Program>> compileEval(ImportedModel &model,
                                                     const EvalOptions &options,
                                                     CompileReport &report);

} // namespace mpc

#endif // MPC_LIB_DRIVER_COMPILE_H
