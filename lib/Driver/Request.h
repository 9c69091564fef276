// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The request for a compilation, and the one way from it to a Program.
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

/// The computation of a program.
enum class ProgramKind {
  /// A training step: "step", or "accumulate" and "apply"; and "init" where
  /// there are 16-bit copies of parameters. A module that writes its step out
  /// (OwnStep.h) has its own entries. Its recipe then only decides how models
  /// are computed.
  Step,
  /// The step, with entries that yield the largest magnitude of each value
  /// instead: see amp-add-probes. The entries' `sites` say which values.
  Probe,
  /// "eval". For a module without @model that writes its step out, its own
  /// entries.
  Evaluation,
  /// The step of an optimizer alone. Only the module's parameters count, and
  /// its recipe has the clause `gradients`.
  Optimizer,
};

/// Facts about the data that are known before a program runs.
struct DataShape {
  /// The samples of a batch. There are several numbers for a program of several
  /// shapes, and none where the model decides.
  std::vector<int64_t> batchSizes;
  /// Whether the program is also for a smaller last batch, where the data does
  /// not fill whole batches.
  bool smallerLastBatch = false;
  /// The files of training data. The shape of their labels decides the class
  /// axis. Empty for none.
  std::vector<std::string> files;
  std::vector<std::string> shared; ///< The inputs without a sample axis.
  /// A whole batch, where it is available. Its bytes must outlive the reading
  /// of the model.
  std::vector<ModelTensor> batch;
};

/// The requirements of the loop around a step: a usage error where the step
/// does not meet them.
struct StepNeeds {
  bool replays = false;   ///< Whether skipped steps are repeated.
  bool nanReport = false; ///< Whether the step must tell if it was finite.
  bool floor = false;     ///< Whether the loss scale must have a floor.
};

/// The listing of a program's code, for people.
enum class CodeListing {
  None,
  MLIR, ///< The module after all passes: kernels, launches, state.
  LLVM  ///< The kernels of a CPU as LLVM gets them.
};

struct ReadModel;

struct CompileRequest {
  ProgramKind kind = ProgramKind::Step;

  std::string modelPath;
  /// The model in memory, in place of the file, whose path messages then use;
  /// or null.
  std::shared_ptr<const ModelBytes> modelBytes = nullptr;
  /// A module with its amp.recipe, in place of both. It is not changed.
  mlir::ModuleOp module = nullptr;
  /// The import flags. Their batch size counts where `data` has none.
  ImportFlags import;
  DataShape data;

  /// The recipe's flags. An evaluation uses only the precision, and --loss
  /// where it is given.
  RecipeFlags recipe;
  StepNeeds needs;
  rt::RunDefaults runDefaults; ///< The defaults of a run: Program::runDefaults.
  /// Whether a step has the entries "eval" and "measure" beside it.
  bool evaluates = false, measures = false;
  /// The flag that asked for them, for messages.
  std::string evaluationFlag = "--with-eval";
  /// Whether an evaluation also yields grad.<parameter>.
  bool gradients = false;
  /// Whether an evaluation uses batch statistics and dropout.
  bool training = false;
  int64_t seed = 0; ///< The seed of an evaluation's random numbers.
  /// Nodes that stay in fp32, in addition to those of the recipe.
  std::vector<std::string> keptFp32;

  TargetOptions target;
  /// Whether the cache is used, for finding and keeping programs. It never is
  /// for explanations, for listings, and without machine code.
  bool usesCache = true;

  bool explains = false; ///< Whether to fill CompileReport::explanation.
  /// Fills CompileReport::listing unless it is None.
  CodeListing listing = CodeListing::None;

  /// The model that readModel() has read; null: compileProgram() reads it.
  std::shared_ptr<const ReadModel> model = nullptr;
  /// The context of modules; null for a context of the model's own.
  std::shared_ptr<mlir::MLIRContext> context = nullptr;
};

/// The findings on the way to a program. Findings are added, so that several
/// programs of a request may share one report.
struct CompileReport {
  std::vector<std::string>
      warnings; ///< The warnings of the model and its programs, each once.
  rt::StageSeconds
      stages; ///< Only "import" where the program was in the cache.
  Explanation explanation;
  std::string listing;            ///< The listing of the first program.
  std::vector<std::string> files; ///< The files from which the model was read.
};

/// Reads the model for each batch shape, checks that the request fits it, and
/// keeps it in the request, so that several programs need only one reading.
rt::Status readModel(CompileRequest &request, CompileReport &report);

/// The program of the request, complete with first values, protocol and recipe.
/// No other function makes a program from a model, and no other uses the cache.
rt::Result<std::shared_ptr<rt::Program>>
compileProgram(const CompileRequest &request, CompileReport &report);

/// The programs for all targets, by TargetOptions::cpu.
rt::Result<rt::ProgramVariants>
compileVariants(CompileRequest request, const std::vector<std::string> &targets,
                CompileReport &report);

/// Explains the precisions of the model, and of its loss, without a program.
rt::Status explainModel(CompileRequest request, CompileReport &report);

} // namespace mpc

#endif // MPC_LIB_DRIVER_REQUEST_H
