// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One evaluation of a model on a file of inputs.
#include "lib/Driver/Eval.h"

#include "lib/Driver/Parameters.h"
#include "runtime/Runner/EntryCall.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/Text.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <cmath>

using namespace mpc;

bool EvalReport::passed() const {
  return std::all_of(comparisons.begin(), comparisons.end(),
                     [](const Comparison &c) { return c.passed; });
}

/// Converts all of `source` to `dtype`, into `target`.
static rt::Status convertTensor(const rt::TensorView &source, rt::DType dtype,
                                void *target) {
  rt::DType from = source.desc.dtype;
  if (rt::conversion(from, dtype) == rt::Conversion::None)
    return rt::invalidInput("tensor " + rt::quote(source.desc.name) + " is " +
                            toString(source.desc) + ", which does not become " +
                            std::string(rt::name(dtype)));
  if (auto index = rt::convert(source.data, from, target, dtype,
                               source.desc.numElements()))
    return rt::invalidInput("tensor " + rt::quote(source.desc.name) +
                            ": element " + std::to_string(*index) +
                            " does not fit " + std::string(rt::name(dtype)));
  return {};
}

/// Finds the input in the file, also as "in.NAME", and converts it.
static rt::Status readInput(const rt::SafetensorsFile &file,
                            const rt::TensorDesc &wanted, std::byte *data) {
  const rt::TensorView *given = file.find(wanted.name);
  if (!given)
    given = file.find("in." + wanted.name);
  if (!given)
    return rt::invalidInput(file.path() + ": has no tensor " +
                            rt::quote(wanted.name) + " (" + toString(wanted) +
                            "), which the model needs; it has " +
                            file.describe());
  if (given->desc.shape != wanted.shape)
    return rt::invalidInput(file.path() + ": tensor " + rt::quote(wanted.name) +
                            " is " + toString(given->desc) +
                            ", the model takes " + toString(wanted));
  return convertTensor(*given, wanted.dtype, data).withContext(file.path());
}

/// Class labels and row numbers index memory: what lies outside is an error.
static rt::Status checkBounds(const rt::SafetensorsFile &file,
                              const rt::TensorView &input,
                              const std::vector<rt::InputBound> &bounds) {
  for (const rt::InputBound &bound : bounds) {
    if (bound.name != input.desc.name)
      continue;
    std::vector<int64_t> values(input.desc.numElements());
    MPC_RETURN_IF_ERROR(convertTensor(input, rt::DType::I64, values.data()));
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] < bound.lower || values[i] >= bound.upper)
        return rt::invalidInput(
            file.path() + ": tensor " + rt::quote(bound.name) + ", element " +
            std::to_string(i) + ": " + std::to_string(values[i]) +
            " is not in " + std::to_string(bound.lower) + " to " +
            std::to_string(bound.upper - 1));
  }
  return {};
}

/// The shape of the labels in the file, empty where it has none.
static std::vector<int64_t> targetShape(const rt::SafetensorsFile &file) {
  const rt::TensorView *target = file.find("target");
  return target ? target->desc.shape : std::vector<int64_t>();
}

static rt::Result<std::vector<double>> toDoubles(const rt::TensorView &view) {
  std::vector<double> values(view.desc.numElements());
  MPC_RETURN_IF_ERROR(convertTensor(view, rt::DType::F64, values.data()));
  return values;
}

/// How a reference may name what was computed as NAME: so, or as the reference
/// files of test/Inputs do, which have both modes.
static std::vector<std::string> referenceNames(const std::string &name,
                                               ModelMode mode) {
  std::vector<std::string> names = {name};
  if (mode != ModelMode::Training)
    names.push_back("eval." + name);
  if (mode != ModelMode::Inference)
    names.push_back("train." + name);
  return names;
}

static const rt::TensorView *findReference(const rt::SafetensorsFile &file,
                                           const std::string &name,
                                           ModelMode mode) {
  for (const std::string &candidate : referenceNames(name, mode))
    if (const rt::TensorView *found = file.find(candidate))
      return found;
  return nullptr;
}

/// Tensors of the reference that stand for nothing that was computed. Inputs
/// and weights may lie in the same file.
static std::vector<std::string>
findNotComputed(const rt::SafetensorsFile &file, const rt::Program &program,
                const std::vector<rt::TensorView> &outputs) {
  llvm::StringSet<> known = {"target", "in.target"};
  for (const rt::TensorView &output : outputs)
    for (const std::string &name :
         referenceNames(output.desc.name, ModelMode::Either))
      known.insert(name);
  for (const rt::Entry *entry : program.evalEntries())
    for (const rt::TensorDesc &input : entry->inputs) {
      known.insert(input.name);
      known.insert("in." + input.name);
    }
  for (const rt::StateTensor &tensor : program.state)
    known.insert(tensor.desc.name);
  std::vector<std::string> result;
  for (const rt::TensorView &tensor : file.tensors())
    if (!known.contains(tensor.desc.name))
      result.push_back(tensor.desc.name);
  return result;
}

static rt::Result<Comparison> compare(const rt::TensorView &ours,
                                      const rt::TensorView &reference,
                                      const EvalRequest &request) {
  if (ours.desc.numElements() != reference.desc.numElements())
    return rt::invalidInput(
        request.expectPath + ": tensor " + rt::quote(reference.desc.name) +
        " is " + toString(reference.desc) + ", ours is " + toString(ours.desc));
  MPC_ASSIGN_OR_RETURN(std::vector<double> left, toDoubles(ours));
  MPC_ASSIGN_OR_RETURN(std::vector<double> right, toDoubles(reference));
  Comparison result;
  result.name = ours.desc.name;
  bool comparable = true;
  for (size_t i = 0; i < left.size(); ++i) {
    double error = std::fabs(left[i] - right[i]);
    if (std::isnan(error))
      comparable =
          left[i] == right[i] || (std::isnan(left[i]) && std::isnan(right[i]));
    if (!comparable)
      break;
    if (!std::isnan(error))
      result.largestError = std::max(result.largestError, error);
    if (std::isfinite(right[i]))
      result.largestValue = std::max(result.largestValue, std::fabs(right[i]));
  }
  if (!comparable)
    result.largestError = HUGE_VAL;
  result.passed =
      comparable &&
      result.largestError <= request.atol + request.rtol * result.largestValue;
  return result;
}

static rt::Status compareAll(const rt::Program &program,
                             const std::vector<rt::TensorView> &outputs,
                             const EvalRequest &request, ModelMode mode,
                             EvalReport &report) {
  MPC_ASSIGN_OR_RETURN(rt::SafetensorsFile file,
                       rt::SafetensorsFile::open(request.expectPath));
  for (const rt::TensorView &output : outputs) {
    const rt::TensorView *reference =
        findReference(file, output.desc.name, mode);
    if (!reference)
      continue;
    MPC_ASSIGN_OR_RETURN(Comparison comparison,
                         compare(output, *reference, request));
    report.comparisons.push_back(comparison);
  }
  if (report.comparisons.empty())
    return rt::invalidInput(request.expectPath +
                            ": has none of the tensors that were computed; "
                            "it has " +
                            file.describe());
  report.notComputed = findNotComputed(file, program, outputs);
  return {};
}

/// Runs the entries of an evaluation in turn; `calls` keeps their results.
static rt::Status run(rt::Runner &runner, const rt::SafetensorsFile &inputs,
                      std::vector<rt::EntryCall> &calls) {
  auto fill = [&](const rt::TensorDesc &input, std::byte *data) -> rt::Status {
    MPC_RETURN_IF_ERROR(readInput(inputs, input, data));
    return checkBounds(inputs, {input, data}, runner.program().bounds);
  };
  for (const rt::Entry *entry : runner.program().evalEntries()) {
    MPC_ASSIGN_OR_RETURN(rt::EntryCall call,
                         rt::EntryCall::fill(runner, *entry, fill));
    MPC_RETURN_IF_ERROR(call.run());
    calls.push_back(std::move(call));
  }
  return {};
}

/// The results of all; of two of a name the later one counts.
static std::vector<rt::TensorView>
resultsOf(const std::vector<rt::EntryCall> &calls) {
  std::vector<rt::TensorView> results;
  for (const rt::EntryCall &call : calls)
    for (const rt::TensorView &output : call.outputs()) {
      llvm::erase_if(results, [&](const rt::TensorView &earlier) {
        return earlier.desc.name == output.desc.name;
      });
      results.push_back(output);
    }
  return results;
}

/// Runs the program and writes and compares what was asked for.
static rt::Status runAndReport(const EvalRequest &request,
                               const rt::SafetensorsFile &inputs,
                               rt::Runner &runner, ModelMode mode,
                               EvalReport &report) {
  std::vector<rt::EntryCall> calls;
  MPC_RETURN_IF_ERROR(run(runner, inputs, calls));
  std::vector<rt::TensorView> outputs = resultsOf(calls);
  if (!request.outputsPath.empty())
    MPC_RETURN_IF_ERROR(
        rt::writeSafetensorsOutput(request.outputsPath, outputs));
  if (!request.expectPath.empty())
    MPC_RETURN_IF_ERROR(
        compareAll(runner.program(), outputs, request, mode, report));
  return {};
}

/// Without inputs: the shape of the labels is not known then.
static rt::Result<EvalReport> explainOnly(const EvalRequest &request) {
  EvalReport report;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  EvalOptions options = request.options;
  options.precision.explain = true;
  MPC_RETURN_IF_ERROR(readAutocastPolicy(options.precision, context));
  MPC_ASSIGN_OR_RETURN(
      ImportedModel model,
      loadModel(request.modelPath, context, request.importOptions));
  CompileReport compileReport;
  rt::Status status = explainModel(model, options, compileReport);
  if (!status.ok())
    return status.withContext(request.modelPath);
  report.warnings = model.warnings;
  llvm::append_range(report.warnings, compileReport.warnings);
  MPC_RETURN_IF_ERROR(
      writeExplanation(compileReport.explanation, request.explainPath));
  return report;
}

rt::Result<EvalReport> mpc::evaluate(const EvalRequest &request) {
  if (request.inputsPath.empty())
    return explainOnly(request);
  EvalReport report;
  MPC_ASSIGN_OR_RETURN(rt::SafetensorsFile inputs,
                       rt::SafetensorsFile::open(request.inputsPath));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  EvalOptions options = request.options;
  options.precision.explain = !request.explainPath.empty();
  MPC_RETURN_IF_ERROR(readAutocastPolicy(options.precision, context));
  MPC_ASSIGN_OR_RETURN(
      ImportedModel model,
      loadModel(request.modelPath, context, request.importOptions));
  report.warnings = model.warnings;
  std::vector<ParameterInit> inits = listParameterInits(*model.module);
  options.loss.targetShape = targetShape(inputs);
  CompileReport compileReport;
  auto compiled = compileEval(model, options, compileReport);
  if (!compiled.ok())
    return compiled.status().withContext(request.modelPath);
  llvm::append_range(report.warnings, compileReport.warnings);
  if (options.precision.explain)
    MPC_RETURN_IF_ERROR(
        writeExplanation(compileReport.explanation, request.explainPath));
  rt::RunnerOptions runnerOptions;
  runnerOptions.threads = request.threads;
  MPC_ASSIGN_OR_RETURN(std::unique_ptr<rt::Runner> runner,
                       rt::Runner::create(*compiled, runnerOptions));
  MPC_RETURN_IF_ERROR(initializeParameters(*runner, model, inits,
                                           request.initPath, request.seed));
  if (request.averaged)
    MPC_RETURN_IF_ERROR(initializeAverages(*runner, inits, request.initPath));
  MPC_RETURN_IF_ERROR(
      runAndReport(request, inputs, *runner, compileReport.mode, report));
  return report;
}
