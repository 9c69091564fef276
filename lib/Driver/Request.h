// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What somebody wants compiled, and the one way from there to a Program.
#ifndef MPC_LIB_DRIVER_REQUEST_H
#define MPC_LIB_DRIVER_REQUEST_H

#include "lib/Driver/Explain.h"
#include "lib/Driver/ImportFlags.h"
#include "lib/Driver/ModelFile.h"
#include "lib/Driver/Recipe.h"
#include "lib/Driver/TargetBackend.h"
#include "runtime/Program/ProgramFile.h"
#include "runtime/Train/Metrics.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mpc {

/// What a program computes.
enum class ProgramKind {
  /// A training step: "step", or "accumulate" and "apply", and "init" where
  /// there are 16-bit copies of parameters. A module that writes its step out
  /// (OwnStep.h) has the entries that it has; of its recipe only how models are
  /// computed counts then.
  Step,
  /// The step, with entries that yield the largest magnitude of each value
  /// instead: see amp-add-probes. Their `sites` say which.
  Probe,
  /// "eval"; of a module without @model that writes its step out, the entries
  /// of that.
  Evaluation,
  /// The step of an optimizer alone: of the module only the parameters count,
  /// and its recipe says `gradients`.
  Optimizer,
};

/// What is known of the data before a program runs.
struct DataShape {
  /// Samples of a batch; several where the program is for several, none where
  /// it is left to the model.
  std::vector<int64_t> batchSizes;
  /// Where the data fills no whole batches the program is for its last one too.
  bool smallerLastBatch = false;
  /// Training data, whose labels' shape decides the class axis; empty for none.
  std::vector<std::string> files;
  std::vector<std::string> shared; ///< Inputs without a sample axis.
  /// A whole batch, where it is at hand; its bytes must outlive the reading of
  /// the model.
  std::vector<ModelTensor> batch;
};

/// What the loop around a step asks of it: a usage error where the step does
/// not have that.
struct StepNeeds {
  bool replays = false;   ///< Skipped steps are run again.
  bool nanReport = false; ///< It tells whether it was finite.
  bool floor = false;     ///< The loss scale has a floor.
};

/// What the code of a program is made of, for someone to read.
enum class CodeListing {
  None,
  MLIR, ///< As all passes leave it: kernels, their launches, the state.
  LLVM  ///< The kernels of a CPU as LLVM is given them.
};

struct ReadModel;

struct CompileRequest {
  ProgramKind kind = ProgramKind::Step;

  std::string modelPath;
  /// In place of the file, which modelPath names in messages then; or null.
  std::shared_ptr<const ModelBytes> modelBytes = nullptr;
  /// In place of both: a module with its amp.recipe, which is not changed.
  mlir::ModuleOp module = nullptr;
  ImportFlags import; ///< Its batch size counts where `data` has none.
  DataShape data;

  /// Of its clauses only the precision counts for an evaluation, and --loss
  /// where it is given.
  RecipeFlags recipe;
  StepNeeds needs;
  rt::RunDefaults runDefaults; ///< Program::runDefaults.
  /// What a step has beside it: entries "eval" and "measure".
  bool evaluates = false, measures = false;
  std::string evaluationFlag = "--with-eval"; ///< The flag that asks for them.
  bool gradients = false; ///< Of an evaluation: also grad.<parameter>.
  bool training = false;  ///< Of an evaluation: batch statistics, dropout.
  int64_t seed = 0;       ///< Of an evaluation: of random numbers.
  /// Nodes that stay in fp32, beside those that the recipe keeps so.
  std::vector<std::string> keptFp32;

  TargetOptions target;
  /// Whether what has been compiled before is taken from the cache, and kept
  /// there. Explanations, listings and less than machine code never are.
  bool usesCache = true;

  bool explains = false; ///< Fills CompileReport::explanation.
  CodeListing listing = CodeListing::None; ///< Fills CompileReport::listing.

  /// The model as readModel() has read it; null: compileProgram() reads it.
  std::shared_ptr<const ReadModel> model = nullptr;
  /// Where modules live; null for a context of the model's own.
  std::shared_ptr<mlir::MLIRContext> context = nullptr;
};

/// What was found on the way to a program. What is there already stays: several
/// programs of a request may share one report.
struct CompileReport {
  std::vector<std::string>
      warnings; ///< Of the model and its programs, each once.
  rt::StageSeconds
      stages; ///< Only "import" where the program was in the cache.
  Explanation explanation;
  std::string listing;            ///< Of the first program.
  std::vector<std::string> files; ///< That the model was read from.
};

/// Reads the model, of each shape of a batch, checks that the request goes with
/// it, and keeps it in the request: several programs are then made of one
/// reading.
rt::Status readModel(CompileRequest &request, CompileReport &report);

/// The program that is asked for, complete with first values, protocol and
/// recipe. No other function makes one of a model, and no other asks the cache.
rt::Result<std::shared_ptr<rt::Program>>
compileProgram(const CompileRequest &request, CompileReport &report);

/// The same for each target, by TargetOptions::cpu.
rt::Result<rt::ProgramVariants>
compileVariants(CompileRequest request, const std::vector<std::string> &targets,
                CompileReport &report);

/// Explains the precisions of the model, and of its loss, without a program.
rt::Status explainModel(CompileRequest request, CompileReport &report);

} // namespace mpc

#endif // MPC_LIB_DRIVER_REQUEST_H
