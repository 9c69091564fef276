// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model's evaluation: compiled here, run by the runtime.
#include "lib/Driver/Eval.h"

#include "lib/Driver/CompileCache.h"
#include "lib/Driver/Parameters.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/Program/Link.h"

using namespace mpc;

/// The shape of the labels in the file, empty where it has none.
static std::vector<int64_t> targetShape(const rt::SafetensorsFile &file) {
  const rt::TensorView *target = file.find("target");
  return target ? target->desc.shape : std::vector<int64_t>();
}

/// The model with its recipe. `targetShape` is empty where it is not known.
static rt::Result<ImportedModel> load(const EvalRequest &request,
                                      const std::vector<int64_t> &targetShape,
                                      mlir::MLIRContext &context) {
  RecipeFlags flags = request.recipe;
  MPC_RETURN_IF_ERROR(readAutocastPolicy(flags, context));
  const ImportOptions &options = request.importOptions;
  MPC_ASSIGN_OR_RETURN(
      ImportedModel model,
      request.modelBytes
          ? loadModel(*request.modelBytes, request.modelPath, context, options)
          : loadModel(request.modelPath, context, options));
  amp::RecipeOp recipe = addRecipe(*model.module);
  MPC_RETURN_IF_ERROR(writePrecision(flags, recipe));
  MPC_RETURN_IF_ERROR(writeLoss(flags, recipe));
  if (recipe.getLoss())
    writeTarget(targetShape, recipe);
  return model;
}

/// What matters of a model's warnings to an evaluation.
static void addWarnings(const ImportedModel &model, const EvalOptions &options,
                        std::vector<std::string> &warnings) {
  llvm::append_range(warnings, model.warnings);
  if (options.gradients)
    llvm::append_range(warnings, model.gradientWarnings);
  if (options.training)
    llvm::append_range(warnings, model.trainingWarnings);
}

/// Without inputs: the shape of the labels is not known then.
rt::Result<Explanation> mpc::explainEval(const EvalRequest &request,
                                         std::vector<std::string> &warnings) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  EvalOptions options = request.options;
  options.explain = true;
  MPC_ASSIGN_OR_RETURN(ImportedModel model, load(request, {}, context));
  CompileReport compileReport;
  rt::Status status = explainModel(model, options, compileReport);
  if (!status.ok())
    return status.withContext(request.modelPath);
  addWarnings(model, options, warnings);
  llvm::append_range(warnings, compileReport.warnings);
  return compileReport.explanation;
}

static rt::Result<EvalReport> explainOnly(const EvalRequest &request) {
  EvalReport report;
  MPC_ASSIGN_OR_RETURN(Explanation explanation,
                       explainEval(request, report.warnings));
  MPC_RETURN_IF_ERROR(writeExplanation(explanation, request.explainPath));
  return report;
}

/// Compiles, or takes what is kept of the same compilation.
static rt::Result<std::shared_ptr<rt::Program>>
compileOrFind(ImportedModel &model, const EvalOptions &options,
              CompileReport &report) {
  auto compile = [&] { return compileEval(model, options, report); };
  // Explanations and texts are made on the way.
  if (options.explain || options.target.isPartial())
    return compile();
  MPC_ASSIGN_OR_RETURN(std::string passes, evalPasses(model, options));
  return compileOnce({*model.module, passes, options.target.cpu}, compile,
                     report.warnings);
}

rt::Result<std::shared_ptr<rt::Program>>
mpc::compileEvalProgram(const EvalRequest &request,
                        const std::vector<int64_t> &targetShape,
                        std::vector<std::string> &warnings) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  EvalOptions options = request.options;
  options.explain = !request.explainPath.empty();
  MPC_ASSIGN_OR_RETURN(ImportedModel model,
                       load(request, targetShape, context));
  addWarnings(model, options, warnings);
  std::vector<rt::InitialValue> initialValues = takeInitialValues(model);
  std::string recipe = textOf(amp::findRecipe(*model.module));
  CompileReport report;
  auto program = compileOrFind(model, options, report);
  if (!program.ok())
    return program.status().withContext(request.modelPath);
  llvm::append_range(warnings, report.warnings);
  if (options.explain)
    MPC_RETURN_IF_ERROR(
        writeExplanation(report.explanation, request.explainPath));
  setInitialValues(**program, initialValues);
  (*program)->recipe = std::move(recipe);
  return program;
}

/// One program of several shapes.
static rt::Result<std::shared_ptr<rt::Program>>
compileShapes(const std::vector<EvalRequest> &requests,
              std::vector<std::string> &warnings) {
  std::vector<std::shared_ptr<rt::Program>> programs;
  for (const EvalRequest &request : requests) {
    std::vector<std::string> found;
    MPC_ASSIGN_OR_RETURN(programs.emplace_back(),
                         compileEvalProgram(request, {}, found));
    for (std::string &warning : found)
      if (!llvm::is_contained(warnings, warning))
        warnings.push_back(std::move(warning));
  }
  return rt::linkPrograms(programs);
}

rt::Result<rt::ProgramVariants>
mpc::compileEvalPrograms(std::vector<EvalRequest> requests,
                         const std::vector<std::string> &levels,
                         std::vector<std::string> &warnings) {
  rt::ProgramVariants programs;
  for (const std::string &level : levels) {
    for (EvalRequest &request : requests)
      request.options.target.cpu = level;
    std::vector<std::string> found;
    MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                         compileShapes(requests, found));
    if (programs.empty())
      warnings = std::move(found);
    programs.push_back(std::move(program));
  }
  return programs;
}

rt::Result<EvalReport> mpc::evaluate(const EvalRequest &request) {
  if (request.run.inputsPath.empty())
    return explainOnly(request);
  EvalReport report;
  MPC_ASSIGN_OR_RETURN(rt::SafetensorsFile inputs,
                       rt::SafetensorsFile::open(request.run.inputsPath));
  EvalRequest known = request;
  for (const rt::TensorView &tensor : inputs.tensors())
    known.importOptions.inputTensors.push_back(tensorOf(tensor));
  MPC_ASSIGN_OR_RETURN(
      std::shared_ptr<rt::Program> program,
      compileEvalProgram(known, targetShape(inputs), report.warnings));
  MPC_ASSIGN_OR_RETURN(report.results,
                       rt::evaluate(program, inputs, request.run));
  return report;
}
