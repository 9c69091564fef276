// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compilation of evaluations and training steps.
#include "lib/Driver/Compile.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/AMP/Recipe.h"
#include "dialects/Interfaces/NodeNames.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/Annotations.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/FunctionNames.h"
#include "dialects/NN/ParameterNames.h"
#include "dialects/NN/Random.h"
#include "lib/Driver/Compilation.h"
#include "lib/Driver/Diagnostics.h"
#include "lib/Driver/OwnStep.h"
#include "lib/Driver/Patterns.h"
#include "lib/Driver/ProgramBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "passes/Pipelines.h"
#include "runtime/Device/CPU/CpuLevel.h"

#include <chrono>

using namespace mlir;
using namespace mpc;

/// The model's recipe, verified. Its patterns are checked too, and those that
/// match nothing are warned about.
static rt::Result<amp::RecipeOp> checkRecipe(ImportedModel &model) {
  amp::RecipeOp recipe = amp::findRecipe(*model.module);
  if (!recipe)
    return rt::internalError("the module has no recipe");
  DiagnosticCollector diagnostics(recipe.getContext());
  if (failed(verify(recipe)))
    return diagnostics.status("the recipe");
  return recipe;
}

static rt::Status checkPrecision(ImportedModel &model, amp::RecipeOp recipe,
                                 CompileReport &report) {
  std::vector<std::string> keepFp32 = amp::stringsOf(recipe.getKeepFp32());
  std::vector<std::string> lower = amp::stringsOf(recipe.getLower());
  std::vector<PatternFlag> flags = {{"--keep-fp32", keepFp32},
                                    {"--lower", lower}};
  MPC_RETURN_IF_ERROR(checkPatterns(flags));
  warnOfUnmatchedNodes(*model.module, flags, report.warnings);
  StringRef policy = recipe.getAutocast();
  if (recipe.getPrecision() == Precision::FP32 &&
      policy != nn::kDefaultAutocast)
    report.warnings.push_back("--autocast-policy=" + policy.str() +
                              " changes nothing with --precision=fp32");
  return {};
}

static rt::Status checkParameterPatterns(ImportedModel &model,
                                         amp::RecipeOp recipe,
                                         CompileReport &report) {
  std::vector<std::string> noDecay = amp::stringsOf(recipe.getNoDecay());
  std::vector<std::string> freeze = amp::stringsOf(recipe.getFreeze());
  std::vector<std::string> trainable = amp::stringsOf(recipe.getTrainable());
  std::vector<std::string> groups;
  for (const amp::GroupClause &group : recipe.getAllGroups())
    groups.push_back(group.pattern);
  std::vector<PatternFlag> flags = {{"--no-decay", noDecay},
                                    {"--freeze", freeze},
                                    {"--trainable", trainable}};
  MPC_RETURN_IF_ERROR(checkPatterns(flags));
  MPC_RETURN_IF_ERROR(checkPatterns({{"--group", groups}}));
  MPC_RETURN_IF_ERROR(checkGroupMembers(*model.module, groups));
  warnOfUnmatchedParameters(*model.module, flags, report.warnings);
  return {};
}

/// The name of the unit by which the target of `module` multiplies factors of
/// `precision`: the best of that precision, else one of f32.
static std::string unitFor(ModuleOp module, Precision precision) {
  kernel::TargetAttrInterface target = kernel::getTarget(module);
  if (!target)
    return {};
  for (Precision factors : {precision, Precision::FP32})
    for (const kernel::MultiplyUnit &unit : target.getMultiplyUnits())
      if (unit.factors == factors)
        return unit.name.str();
  return {};
}

/// Explains the precisions before gradients exist; ops of gradients follow
/// those of the forward pass. Warnings are added to `warnings`.
static rt::Status explain(const ImportedModel &model, EvaluationOptions options,
                          const CompileRequest &request, bool trains,
                          std::vector<std::string> &warnings,
                          Explanation &explanation) {
  OwningOpRef<ModuleOp> prepared = model.module.get().clone();
  options.explain = true;
  MPC_ASSIGN_OR_RETURN(auto target, findTarget(request.target));
  Compilation compilation(prepared, warnings, request.target.isTool);
  target->addAttachPass(compilation.passes(), request.target);
  buildPreparationPipeline(compilation.passes(), options);
  MPC_RETURN_IF_ERROR(compilation.run());
  explanation = explainPrecision(*prepared, trains);
  amp::RecipeOp recipe = amp::findRecipe(*prepared);
  explanation.precision = stringifyPrecision(recipe.getPrecision());
  explanation.unit = unitFor(*prepared, recipe.getPrecision());
  explanation.policy = nn::withoutPresetPrefix(recipe.getAutocast()).str();
  return {};
}

static rt::Status list(ModuleOp module, const TargetBackend &target,
                       CodeListing listing, std::string &text) {
  if (listing == CodeListing::MLIR) {
    llvm::raw_string_ostream(text) << module << "\n";
    return {};
  }
  OwningOpRef<ModuleOp> copy = module.clone();
  MPC_ASSIGN_OR_RETURN(text, listLLVM(*copy, target));
  return {};
}

/// Warns of dropout without keys in a module that writes its step out: only the
/// module itself could give its ops keys.
static void warnOfIdleDropout(ModuleOp module, CompileReport &report) {
  int64_t count = 0;
  module.walk([&](nn::RandomInterface op) {
    count +=
        op.draws() && op.isTrainingOnly() && op.getRandomKeyMutable().empty();
  });
  if (count > 0)
    report.warnings.push_back(
        std::to_string(count) +
        " nn.dropout without a key pass their input on: the module writes its "
        "step out, and gives them a key by nn.random_counters and "
        "amp.random_state");
}

/// Warns of gradients that f16 loses. A model that was exported in f16 computes
/// in f16, whatever --precision says. The recipe's patterns are valid.
static void warnOfLostGradients(ModuleOp module, amp::RecipeOp recipe,
                                CompileReport &report) {
  if (recipe.getPolicyKind() != rt::PolicyKind::None)
    return;
  auto patterns = [](ArrayAttr strings) {
    return *NamePatterns::compile(amp::stringsOf(strings),
                                  [](const std::string &) {});
  };
  NamePatterns frozen = patterns(recipe.getFreeze());
  NamePatterns trained = patterns(recipe.getTrainable());
  for (auto parameter : module.getOps<nn::ParameterOp>()) {
    std::string name = nn::nameOf(parameter.getSymName());
    if (parameter.getFrozen() || frozen.matches(name) ||
        (!trained.empty() && !trained.matches(name)) ||
        !getElementTypeOrSelf(parameter.getType()).isF16())
      continue;
    report.warnings.push_back(
        "the model's own weights are f16, as '" + name +
        "', and without a loss scale gradients below 6e-8 become 0: give "
        "--loss-scale=dynamic, or export the model in f32 and give "
        "--precision=fp16");
    return;
  }
}

/// Checks a module that writes its step out, and its recipe.
static rt::Status prepareOwnStep(ImportedModel &model, CompileReport &report) {
  MPC_ASSIGN_OR_RETURN(amp::RecipeOp recipe, checkRecipe(model));
  if (recipe.getOutputs())
    return rt::usageError("--output-dtype: the module writes its step out; an "
                          "nn.cast in it says what type a result has");
  MPC_RETURN_IF_ERROR(checkPrecision(model, recipe, report));
  warnOfIdleDropout(*model.module, report);
  nameResults(*model.module);
  DiagnosticCollector diagnostics(model.module->getContext());
  return succeeded(checkEntries(*model.module))
             ? rt::Status()
             : diagnostics.status("compilation");
}

static rt::Status prepareModel(ImportedModel &model, CompileReport &report) {
  MPC_ASSIGN_OR_RETURN(amp::RecipeOp recipe, checkRecipe(model));
  return checkPrecision(model, recipe, report);
}

/// A module that writes its step out, and has no model, is evaluated by its own
/// entries.
static rt::Status prepareEval(ImportedModel &model, CompileReport &report) {
  if (hasModel(model)) {
    keepModelOnly(*model.module);
    return prepareModel(model, report);
  }
  if (!hasOwnStep(model))
    return rt::invalidInput("has no function @model to evaluate, and no step: "
                            "@step, or @accumulate and @apply");
  MPC_ASSIGN_OR_RETURN(amp::RecipeOp recipe, checkRecipe(model));
  if (recipe.getLoss())
    return rt::usageError("--loss: the module writes its step out, with losses "
                          "of its own; what the step returns is written, "
                          "gradients too");
  return prepareOwnStep(model, report);
}

static rt::Status prepareStep(ImportedModel &model, CompileReport &report) {
  if (hasOwnStep(model))
    return prepareOwnStep(model, report);
  MPC_ASSIGN_OR_RETURN(amp::RecipeOp recipe, checkRecipe(model));
  MPC_RETURN_IF_ERROR(checkPrecision(model, recipe, report));
  MPC_RETURN_IF_ERROR(checkParameterPatterns(model, recipe, report));
  warnOfLostGradients(*model.module, recipe, report);
  return {};
}

static EvaluationOptions evaluationOptions(const ImportedModel &model,
                                           const CompileRequest &request) {
  EvaluationOptions result;
  result.ownStep = !hasModel(model);
  result.fuse = request.target.fuse;
  result.gradients = request.gradients;
  result.training = request.training;
  result.seed = request.seed;
  return result;
}

/// The options of a step. A probe has no entries beside its step.
static StepOptions stepOptions(const ImportedModel &model,
                               const CompileRequest &request) {
  bool ownStep = hasOwnStep(model);
  bool hasMore = request.kind == ProgramKind::Step && !ownStep;
  return {ownStep,
          /*explain=*/false,
          request.target.fuse,
          request.evaluates && hasMore,
          request.measures && hasMore,
          request.target.memory.has_value()};
}

//===----------------------------------------------------------------------===//
// Kinds of programs
//===----------------------------------------------------------------------===//

static rt::Status prepare(ImportedModel &model, ProgramKind kind,
                          CompileReport &report) {
  switch (kind) {
  case ProgramKind::Step:
  case ProgramKind::Probe:
    return prepareStep(model, report);
  case ProgramKind::Evaluation:
    return prepareEval(model, report);
  case ProgramKind::Optimizer:
    return checkRecipe(model).status();
  }
  llvm_unreachable("unknown kind of program");
}

static void addPasses(OpPassManager &passes, const ImportedModel &model,
                      const CompileRequest &request) {
  switch (request.kind) {
  case ProgramKind::Step:
    return buildTrainingPipeline(passes, stepOptions(model, request));
  case ProgramKind::Probe:
    return buildProbePipeline(passes, stepOptions(model, request));
  case ProgramKind::Evaluation:
    return buildEvaluationPipeline(passes, evaluationOptions(model, request));
  case ProgramKind::Optimizer:
    return buildOptimizerPipeline(passes, request.target.fuse);
  }
}

/// Explains beside a compilation, which gives all warnings.
static rt::Status explainBeside(const ImportedModel &model,
                                const CompileRequest &request,
                                CompileReport &report) {
  bool isEvaluation = request.kind == ProgramKind::Evaluation;
  EvaluationOptions options =
      isEvaluation ? evaluationOptions(model, request)
                   : EvaluationOptions{stepOptions(model, request),
                                       /*gradients=*/true, /*training=*/true};
  bool trains = !isEvaluation || options.ownStep;
  std::vector<std::string> warnings;
  return explain(model, options, request, trains, warnings, report.explanation);
}

//===----------------------------------------------------------------------===//
// Compilations
//===----------------------------------------------------------------------===//

rt::Result<std::string> mpc::passesOf(const ImportedModel &model,
                                      const CompileRequest &request) {
  MPC_ASSIGN_OR_RETURN(std::unique_ptr<TargetBackend> target,
                       findTarget(request.target));
  OpPassManager passes(ModuleOp::getOperationName());
  target->addAttachPass(passes, request.target);
  addPasses(passes, model, request);
  std::string text;
  llvm::raw_string_ostream stream(text);
  passes.printAsTextualPipeline(stream);
  if (request.target.memoryBudget)
    stream << " memory-budget=" << request.target.memoryBudget->text;
  return text;
}

/// The bytes of the arena that the request's step has on its target.
static rt::Result<int64_t> planArena(const ImportedModel &model,
                                     const CompileRequest &request) {
  MPC_ASSIGN_OR_RETURN(std::unique_ptr<TargetBackend> target,
                       findTarget(request.target));
  OwningOpRef<ModuleOp> copy = model.module.get().clone();
  std::vector<std::string> warnings;
  Compilation compilation(copy, warnings, request.target.isTool);
  target->addAttachPass(compilation.passes(), request.target);
  addPasses(compilation.passes(), model, request);
  MPC_RETURN_IF_ERROR(compilation.run());
  return largestArena(*copy);
}

/// `request` with a target whose `memory` keeps a step to its budget.
static rt::Result<CompileRequest> fitToBudget(const ImportedModel &model,
                                              const CompileRequest &request) {
  CompileRequest fitted = request;
  if (!request.target.memoryBudget || request.kind != ProgramKind::Step)
    return fitted;
  MPC_ASSIGN_OR_RETURN(fitted.target.memory,
                       fitMemory(*request.target.memoryBudget,
                                 [&](std::optional<int64_t> memory) {
                                   CompileRequest trial = request;
                                   trial.target.memory = memory;
                                   return planArena(model, trial);
                                 }));
  return fitted;
}

rt::Result<std::shared_ptr<rt::Program>>
mpc::compileModule(ImportedModel &model, const CompileRequest &given,
                   CompileReport &report) {
  MPC_RETURN_IF_ERROR(prepare(model, given.kind, report));
  if (given.explains)
    MPC_RETURN_IF_ERROR(explainBeside(model, given, report));
  MPC_ASSIGN_OR_RETURN(CompileRequest request, fitToBudget(model, given));
  MPC_ASSIGN_OR_RETURN(std::unique_ptr<TargetBackend> target,
                       findTarget(request.target));
  Compilation compilation(model.module, report.warnings, request.target.isTool);
  target->addAttachPass(compilation.passes(), request.target);
  addPasses(compilation.passes(), model, request);
  auto start = std::chrono::steady_clock::now();
  MPC_RETURN_IF_ERROR(compilation.run());
  report.stages.emplace_back(
      "passes",
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count());
  if (request.listing != CodeListing::None && report.listing.empty())
    MPC_RETURN_IF_ERROR(
        list(*model.module, *target, request.listing, report.listing));
  MPC_ASSIGN_OR_RETURN(std::shared_ptr<rt::Program> program,
                       buildProgram(*model.module, *target, &report.stages));
  llvm::append_range(report.warnings, program->warnings);
  program->warnings = report.warnings;
  return program;
}

rt::Status mpc::explainModule(ImportedModel &model,
                              const CompileRequest &request,
                              CompileReport &report) {
  MPC_RETURN_IF_ERROR(prepareModel(model, report));
  return explain(model, evaluationOptions(model, request), request,
                 /*trains=*/false, report.warnings, report.explanation);
}
