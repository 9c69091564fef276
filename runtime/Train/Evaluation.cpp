// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads inputs from a file, runs the entries of an evaluation, and writes
// results to a file.
#include "runtime/Train/Evaluation.h"

#include "runtime/Program/StepNames.h"
#include "runtime/Runner/EntryCall.h"
#include "runtime/Runner/InputBounds.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/InitialWeights.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace mpc::rt {

bool EvaluationReport::passed() const {
  return std::all_of(comparisons.begin(), comparisons.end(),
                     [](const Comparison &c) { return c.passed; });
}

namespace {

/// Converts all of `source` to `dtype`, into `target`.
Status convertTensor(const TensorView &source, DType dtype, void *target) {
  DType from = source.desc.dtype;
  if (conversion(from, dtype) == Conversion::None)
    return invalidInput("tensor " + quote(source.desc.name) + " is " +
                        toString(source.desc) + ", which does not become " +
                        std::string(name(dtype)));
  if (auto index =
          convert(source.data, from, target, dtype, source.desc.numElements()))
    return invalidInput("tensor " + quote(source.desc.name) + ": element " +
                        std::to_string(*index) + " does not fit " +
                        std::string(name(dtype)));
  return {};
}

/// The input in the file, also under the name "in.NAME"; null where it has
/// neither.
const TensorView *findInput(const SafetensorsFile &file,
                            const std::string &name) {
  if (const TensorView *given = file.find(name))
    return given;
  // One step has one rate, so that both inputs take it.
  if (name == step::kRateAfterSkip)
    return findInput(file, std::string(step::kLearningRate));
  return file.find("in." + name);
}

/// Converts the input from the file.
Status readInput(const SafetensorsFile &file, const TensorDesc &wanted,
                 std::byte *data) {
  const TensorView *given = findInput(file, wanted.name);
  if (!given)
    return invalidInput(file.path() + ": has no tensor " + quote(wanted.name) +
                        " (" + toString(wanted) +
                        "), which the model needs; it has " + file.describe());
  if (given->desc.shape != wanted.shape)
    return invalidInput(file.path() + ": tensor " + quote(wanted.name) +
                        " is " + toString(given->desc) + ", the model takes " +
                        toString(wanted));
  return convertTensor(*given, wanted.dtype, data).withContext(file.path());
}

Result<std::vector<double>> toDoubles(const TensorView &view) {
  std::vector<double> values(view.desc.numElements());
  MPC_RETURN_IF_ERROR(convertTensor(view, DType::F64, values.data()));
  return values;
}

/// The names that a reference may have for a result called NAME: the same name,
/// or that of the reference files of test/Inputs, which have results in both
/// modes.
std::vector<std::string> referenceNames(const std::string &name,
                                        ModelMode mode) {
  std::vector<std::string> names = {name};
  if (mode != ModelMode::Training)
    names.push_back("eval." + name);
  if (mode != ModelMode::Inference)
    names.push_back("train." + name);
  return names;
}

const TensorView *findReference(const SafetensorsFile &file,
                                const std::string &name, ModelMode mode) {
  for (const std::string &candidate : referenceNames(name, mode))
    if (const TensorView *found = file.find(candidate))
      return found;
  return nullptr;
}

/// The tensors of the reference that no result corresponds to. Inputs and
/// weights may be in the same file.
std::vector<std::string>
findNotComputed(const SafetensorsFile &file, const Program &program,
                const std::vector<TensorView> &outputs) {
  std::set<std::string, std::less<>> known = {"target", "in.target"};
  for (const TensorView &output : outputs)
    for (const std::string &name :
         referenceNames(output.desc.name, ModelMode::Either))
      known.insert(name);
  for (const Entry *entry : program.evalEntries())
    for (const TensorDesc &input : entry->inputs) {
      known.insert(input.name);
      known.insert("in." + input.name);
    }
  for (const StateTensor &tensor : program.state)
    known.insert(tensor.desc.name);
  std::vector<std::string> result;
  for (const TensorView &tensor : file.tensors())
    if (!known.contains(tensor.desc.name))
      result.push_back(tensor.desc.name);
  return result;
}

Result<Comparison> compare(const TensorView &ours, const TensorView &reference,
                           const EvaluationRequest &request) {
  if (ours.desc.numElements() != reference.desc.numElements())
    return invalidInput(
        request.expectPath + ": tensor " + quote(reference.desc.name) + " is " +
        toString(reference.desc) + ", ours is " + toString(ours.desc));
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

/// The mode of a model's evaluation, which has one entry. A step that a module
/// writes out has several entries, and no mode.
ModelMode modeOf(const Program &program) {
  std::vector<const Entry *> entries = program.evalEntries();
  return entries.empty() ? ModelMode::Either : entries.front()->mode;
}

Status compareAll(const Program &program,
                  const std::vector<TensorView> &outputs,
                  const EvaluationRequest &request, EvaluationReport &report) {
  MPC_ASSIGN_OR_RETURN(SafetensorsFile file,
                       SafetensorsFile::open(request.expectPath));
  for (const TensorView &output : outputs) {
    const TensorView *reference =
        findReference(file, output.desc.name, modeOf(program));
    if (!reference)
      continue;
    MPC_ASSIGN_OR_RETURN(Comparison comparison,
                         compare(output, *reference, request));
    report.comparisons.push_back(comparison);
  }
  if (report.comparisons.empty())
    return invalidInput(request.expectPath +
                        ": has none of the tensors that were computed; "
                        "it has " +
                        file.describe());
  report.notComputed = findNotComputed(file, program, outputs);
  return {};
}

/// The shapes of the entry's data in the file.
TensorShapes shapesIn(const SafetensorsFile &file, const Entry &entry) {
  TensorShapes shapes;
  for (const auto &[name, shape] : entry.dataShapes())
    if (const TensorView *given = findInput(file, name))
      shapes[name] = given->desc.shape;
  return shapes;
}

/// The entries of an evaluation that fit the file. Where there is no choice,
/// readInput() reports what does not fit.
Result<std::vector<const Entry *>> chooseEntries(const Program &program,
                                                 const SafetensorsFile &file) {
  std::vector<const Entry *> entries = program.evalEntries();
  if (entries.empty())
    return entries;
  std::vector<const Entry *> known = program.findEntries(entries.front()->role);
  if (known.size() == 1)
    return entries;
  entries = program.evalEntries(shapesIn(file, *known.front()));
  if (!entries.empty())
    return entries;
  return invalidInput(fmt::format("{}: holds {}, and the program takes {}",
                                  file.path(), file.describe(),
                                  describeData(known)));
}

/// Runs the entries of an evaluation in order; `calls` keeps their results.
Status run(Runner &runner, const SafetensorsFile &inputs,
           std::vector<EntryCall> &calls) {
  auto fill = [&](const TensorDesc &input, std::byte *data) -> Status {
    MPC_RETURN_IF_ERROR(readInput(inputs, input, data));
    return checkBounds({input, data}, runner.program().bounds)
        .withContext(inputs.path());
  };
  MPC_ASSIGN_OR_RETURN(std::vector<const Entry *> entries,
                       chooseEntries(runner.program(), inputs));
  for (const Entry *entry : entries) {
    MPC_ASSIGN_OR_RETURN(EntryCall call, EntryCall::fill(runner, *entry, fill));
    MPC_RETURN_IF_ERROR(call.run());
    calls.push_back(std::move(call));
  }
  return {};
}

/// The results of all entries. Of two results with the same name the later one
/// counts.
std::vector<TensorView> resultsOf(const std::vector<EntryCall> &calls) {
  std::vector<TensorView> results;
  for (const EntryCall &call : calls)
    for (const TensorView &output : call.outputs()) {
      std::erase_if(results, [&](const TensorView &earlier) {
        return earlier.desc.name == output.desc.name;
      });
      results.push_back(output);
    }
  return results;
}

} // namespace

Result<EvaluationReport> evaluate(std::shared_ptr<const Program> program,
                                  const SafetensorsFile &inputs,
                                  const EvaluationRequest &request) {
  MPC_ASSIGN_OR_RETURN(std::unique_ptr<Runner> runner,
                       Runner::create(std::move(program), request.runner));
  MPC_RETURN_IF_ERROR(initializeState(*runner, request.initPath, request.seed));
  if (request.averaged)
    MPC_RETURN_IF_ERROR(initializeAverages(*runner, request.initPath));
  std::vector<EntryCall> calls;
  MPC_RETURN_IF_ERROR(run(*runner, inputs, calls));
  std::vector<TensorView> outputs = resultsOf(calls);
  if (!request.outputsPath.empty())
    MPC_RETURN_IF_ERROR(writeSafetensorsOutput(request.outputsPath, outputs));
  EvaluationReport report;
  report.warnings = runner->warnings();
  if (!request.expectPath.empty())
    MPC_RETURN_IF_ERROR(
        compareAll(runner->program(), outputs, request, report));
  return report;
}

} // namespace mpc::rt
