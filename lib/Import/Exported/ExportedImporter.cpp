// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Walks an exported program once: names become operands, calls nn ops.
#include "lib/Import/Exported/ExportedImporter.h"

#include "dialects/Interfaces/ElementTypes.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/ParameterNames.h"
#include "lib/Import/Exported/Archive.h"
#include "lib/Import/Exported/MissingOps.h"
#include "lib/Import/Finish.h"
#include "lib/Import/NoteList.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace llvm;
using namespace mlir;

namespace mpc::exported {

namespace {

/// Arguments that hold running statistics, which the step updates.
constexpr StringLiteral kStatistics[] = {"running_mean", "running_var"};

class ProgramImporter {
public:
  ProgramImporter(const Program &program, ArrayRef<ModelTensor> values,
                  MLIRContext &context, const ModelOptions &options)
      : program_(program), context_(context), options_(options),
        builder_(&context), build_(builder_) {
    for (const ModelTensor &value : values)
      given_[value.desc.name] = &value;
  }

  Expected<ImportedModel> run();

private:
  Error checkOptions() const;
  bool countsBatches(StringRef state) const;
  void noteCounter(StringRef state);
  void findStatistics(const Graph &graph);
  Error makeFunction();
  Error bindState();
  Error bindState(const InputSpec &spec);
  RoleKind roleOf(const InputSpec &spec, const ModelTensor &value) const;
  Expected<std::string> declareOnce(const InputSpec &spec,
                                    const ModelTensor &value, RoleKind kind);
  Expected<const ModelTensor *> valueOf(const InputSpec &spec) const;
  void declare(const InputSpec &spec, const ModelTensor &value, RoleKind kind);
  Error importGraph(const Graph &graph, Scope &scope);
  Error importNode(const Node &node, const Graph &graph, Scope &scope);
  Error importUntracked(const Node &node, Scope &scope);
  Error giveResults(const Node &node, const Graph &graph, const Scope &inner,
                    Scope &scope);
  void passCounter(const Node &node, StringRef state, Scope &scope);
  Error emit(Call &call, const OpRow &row);
  Error checkMutations();
  Error finish();
  Location locationOf(const Node &node);
  Error at(const Node &node, Error error) const;

  const Program &program_;
  MLIRContext &context_;
  const ModelOptions &options_;
  OpBuilder builder_;
  TensorBuilder build_;
  OpTable table_;
  ImportedModel result_;
  func::FuncOp function_;
  StringMap<const ModelTensor *> given_;
  Scope scope_{build_};
  /// Values that are running statistics.
  llvm::StringSet<> statistics_;
  /// State by the value that it is.
  StringMap<std::string> states_;
  /// The parameter whose bytes a further name has too.
  std::map<const char *, size_t> byBytes_;
  NoteList notes_;
};

Expected<ImportedModel> ProgramImporter::run() {
  MPC_TRY(checkOptions());
  MPC_TRY(refuseMissingOps(program_, table_));
  findStatistics(program_.graph);
  MPC_TRY(checkMutations());
  MPC_TRY(makeFunction());
  MPC_TRY(bindState());
  MPC_TRY(importGraph(program_.graph, scope_));
  MPC_TRY(finish());
  eraseUnusedConstants(function_);
  result_.notes = notes_.lines();
  MPC_TRY(verifyImported(*result_.module, program_.path));
  return std::move(result_);
}

/// What an exported program says for itself, and a flag cannot change.
Error ProgramImporter::checkOptions() const {
  if (!options_.roles.empty())
    return usageFault("--parameter, --buffer and --constant are for ONNX files:"
                      " an exported program says what its tensors are");
  if (!options_.frozenBatchNorms.empty() || !options_.noGrad.empty())
    return usageFault("--frozen-batch-norm and --no-grad are for ONNX files: "
                      "an exported program says both");
  if (!options_.inputNumbers.empty())
    return usageFault("--input-value is for ONNX files: what an exported "
                      "program needs to know it has compiled in");
  return Error::success();
}

Error ProgramImporter::at(const Node &node, Error error) const {
  std::string place = program_.path + ": " + printable(node.op());
  if (!node.module.empty())
    place += " in module '" + printable(node.module) + "'";
  if (!node.source.empty())
    place += " (" + printable(node.source) + ")";
  return prefixed(place, std::move(error));
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

/// Whether a buffer counts the batches of a batch normalization, which PyTorch
/// itself reads only where momentum is None, and that is refused.
bool ProgramImporter::countsBatches(StringRef state) const {
  if (!state.consume_back("num_batches_tracked"))
    return false;
  return any_of(program_.inputs, [&](const InputSpec &input) {
    return input.state == (state + "running_mean").str() &&
           statistics_.contains(input.value);
  });
}

void ProgramImporter::noteCounter(StringRef state) {
  notes_.add("buffer '" + printable(state) + "'",
             "is not counted: it stays what the file has");
}

/// What a decomposed program writes at its end: running statistics, which the
/// step keeps, and counters of batches, which nobody reads.
Error ProgramImporter::checkMutations() {
  for (const OutputSpec &output : program_.outputs) {
    if (output.kind != OutputSpec::Kind::BufferMutation)
      continue;
    if (countsBatches(output.state)) {
      noteCounter(output.state);
      continue;
    }
    bool isStatistic = any_of(program_.inputs, [&](const InputSpec &input) {
      return input.state == output.state && statistics_.contains(input.value);
    });
    if (!isStatistic)
      return invalidModel(program_.path + ": buffer '" +
                          printable(output.state) +
                          "' is written at the end of the program, which only "
                          "running statistics may be");
  }
  return Error::success();
}

void ProgramImporter::findStatistics(const Graph &graph) {
  for (const Node &node : graph.nodes)
    for (const NamedArgument &input : node.inputs)
      if (is_contained(kStatistics, input.name) && !input.value.names.empty())
        statistics_.insert(input.value.names.front());
}

Expected<const ModelTensor *>
ProgramImporter::valueOf(const InputSpec &spec) const {
  auto given = given_.find(spec.state);
  if (given == given_.end())
    return invalidModel(program_.path + ": tensor '" + printable(spec.state) +
                        "' has no value");
  const ModelTensor &value = *given->second;
  auto meta = program_.graph.values.find(spec.value);
  if (meta == program_.graph.values.end() ||
      meta->second.dtype != value.desc.dtype ||
      ArrayRef<int64_t>(meta->second.sizes) != ArrayRef(value.desc.shape) ||
      value.bytes.size() != value.desc.numBytes())
    return invalidModel(
        program_.path + ": the value of '" + printable(spec.state) + "' is " +
        rt::toString(value.desc) + ", the program has another type or shape");
  return &value;
}

/// An nn.parameter, and what reads it.
void ProgramImporter::declare(const InputSpec &spec, const ModelTensor &value,
                              RoleKind kind) {
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPoint(function_);
  Location location = NameLoc::get(builder_.getStringAttr(spec.state));
  auto type =
      build_.tensorType(typeOf(&context_, value.desc.dtype), value.desc.shape);
  auto init = nn::InitAttr::get(&context_, "external", APFloat(0.0));
  nn::ParameterOp::create(
      builder_, location, builder_.getStringAttr(nn::symbolOf(spec.state)),
      TypeAttr::get(type), init,
      kind == RoleKind::Buffer ? builder_.getUnitAttr() : UnitAttr());
  result_.parameters.push_back(
      {{spec.state, value.desc.dtype, value.desc.shape}, value.bytes});
}

/// The parameter that a tensor is, which may have come by another name.
Expected<std::string> ProgramImporter::declareOnce(const InputSpec &spec,
                                                   const ModelTensor &value,
                                                   RoleKind kind) {
  auto [known, isNew] =
      byBytes_.try_emplace(value.bytes.data(), result_.initializers.size());
  if (kind == RoleKind::Parameter && !isNew && !value.bytes.empty()) {
    InitializerRole &first = result_.initializers[known->second];
    if (first.shape != value.desc.shape || first.kind != kind)
      return invalidModel(program_.path + ": parameter '" +
                          printable(spec.state) + "' shares the memory of '" +
                          printable(first.name) + "', which has another shape");
    first.otherNames.push_back(spec.state);
    return first.name;
  }
  result_.initializers.push_back(
      {spec.state, std::string(rt::name(value.desc.dtype)), value.desc.shape,
       kind, "as the program says"});
  if (kind != RoleKind::Constant)
    declare(spec, value, kind);
  return spec.state;
}

RoleKind ProgramImporter::roleOf(const InputSpec &spec,
                                 const ModelTensor &value) const {
  if (spec.kind == InputSpec::Kind::Parameter && rt::isFloat(value.desc.dtype))
    return RoleKind::Parameter;
  return statistics_.contains(spec.value) ? RoleKind::Buffer
                                          : RoleKind::Constant;
}

Error ProgramImporter::bindState(const InputSpec &spec) {
  MPC_TRY_ASSIGN(const ModelTensor *value, valueOf(spec));
  RoleKind kind = roleOf(spec, *value);
  MPC_TRY_ASSIGN(std::string name, declareOnce(spec, *value, kind));
  states_[spec.value] = spec.state;
  scope_.protect(spec.value,
                 "writes '" + printable(spec.state) +
                     "': of its state a program may write running statistics "
                     "alone");
  Location location = NameLoc::get(builder_.getStringAttr(spec.state));
  mlir::Type element = typeOf(&context_, value->desc.dtype);
  if (kind == RoleKind::Constant) {
    build_.setLocation(location);
    scope_.define(spec.value,
                  build_.constant(element, value->desc.shape, value->bytes));
    return Error::success();
  }
  scope_.define(
      spec.value,
      build_.fromValue(nn::GetOp::create(
          builder_, location, build_.tensorType(element, value->desc.shape),
          FlatSymbolRefAttr::get(&context_, nn::symbolOf(name)))));
  return Error::success();
}

Error ProgramImporter::bindState() {
  for (const InputSpec &spec : program_.inputs)
    if (spec.kind != InputSpec::Kind::User)
      MPC_TRY(bindState(spec));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// The batch and the shapes that a user gives must be those of the export.
static Error checkShape(const ModelOptions &options, StringRef name,
                        ArrayRef<int64_t> shape) {
  for (const auto &[input, wanted] : options.inputShapes)
    if (input == name && ArrayRef(wanted) != shape)
      return usageFault("--input-shape=" + name + "=" + shapeText(wanted) +
                        ": the program was exported for " + shapeText(shape) +
                        "; export it for the other shape");
  return Error::success();
}

Error ProgramImporter::makeFunction() {
  SmallVector<Type> types;
  SmallVector<const InputSpec *> inputs;
  SmallVector<DictionaryAttr> names;
  for (const InputSpec &spec : program_.inputs) {
    if (spec.kind != InputSpec::Kind::User)
      continue;
    auto meta = program_.graph.values.find(spec.value);
    if (meta == program_.graph.values.end() || !meta->second.dtype)
      return invalidModel(program_.path + ": input '" + printable(spec.value) +
                          "' has a type that mpc does not have");
    if (meta->second.hasSymbolicSize)
      return invalidModel(program_.path + ": input '" + printable(spec.value) +
                          "' has a size that the export leaves open: export "
                          "without dynamic_shapes");
    MPC_TRY(checkShape(options_, spec.value, meta->second.sizes));
    inputs.push_back(&spec);
    types.push_back(RankedTensorType::get(
        meta->second.sizes, typeOf(&context_, *meta->second.dtype)));
    names.push_back(
        builder_.getDictionaryAttr(nn::nameAttribute(builder_, spec.value)));
  }
  Location file = FileLineColLoc::get(&context_, program_.path, 0, 0);
  result_.module = ModuleOp::create(file);
  builder_.setInsertionPointToEnd(result_.module->getBody());
  function_ = func::FuncOp::create(builder_, file, "model",
                                   builder_.getFunctionType(types, {}));
  Block *block = function_.addEntryBlock();
  builder_.setInsertionPointToEnd(block);
  function_.setAllArgAttrs(names);
  for (auto [spec, argument] : zip_equal(inputs, block->getArguments())) {
    argument.setLoc(NameLoc::get(builder_.getStringAttr(spec->value)));
    scope_.define(spec->value, build_.fromValue(argument));
  }
  return Error::success();
}

Location ProgramImporter::locationOf(const Node &node) {
  std::string name;
  for (const Argument &output : node.outputs)
    if (name.empty() && !output.names.empty())
      name = output.names.front();
  auto own = builder_.getStringAttr(name.empty() ? node.op() : name);
  if (node.module.empty())
    return NameLoc::get(own);
  return NameLoc::get(own, NameLoc::get(builder_.getStringAttr(node.module)));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// How deep graphs are nested the reader of the program has bounded.
Error ProgramImporter::importGraph(const Graph &graph, Scope &scope) {
  for (const Node &node : graph.nodes) {
    build_.setLocation(locationOf(node));
    if (node.target == kSetGrad)
      MPC_TRY(importUntracked(node, scope));
    else if (Error error = importNode(node, graph, scope))
      return at(node, std::move(error));
  }
  return Error::success();
}

/// The names of all results, in order; those of None are empty.
static std::vector<std::string> resultNames(const Node &node) {
  std::vector<std::string> names;
  for (const Argument &output : node.outputs)
    append_range(names, output.names);
  return names;
}

static Error define(const Node &node, ArrayRef<Operand> results, Scope &scope) {
  for (auto [index, name] : enumerate(resultNames(node))) {
    if (index >= results.size())
      return invalidModel("result " + Twine(index) + " is not computed");
    if (!name.empty() && results[index].value)
      scope.define(name, results[index]);
  }
  return Error::success();
}

/// Each result must be what the file declares.
static Error checkResults(Call &call) {
  for (auto [index, result] : enumerate(call.results())) {
    if (!result.value)
      continue;
    MPC_TRY_ASSIGN(mlir::Type type, call.resultType(index));
    MPC_TRY_ASSIGN(Shape shape, call.resultShape(index));
    if (type != result.type || shape != result.shape)
      return invalidModel("result " + Twine(index) + " is declared " +
                          shapeText(shape) + ", its operands give " +
                          shapeText(result.shape) +
                          (type == result.type ? "" : " of another type"));
  }
  return Error::success();
}

Error ProgramImporter::emit(Call &call, const OpRow &row) {
  MPC_TRY(row.emit(call));
  return checkResults(call);
}

/// The graph that a node of no_grad() or enable_grad() runs.
static Expected<const Graph *> graphOf(const Node &node) {
  if (node.inputs.size() < 2 || !node.inputs[1].value.graph ||
      node.inputs[0].value.kind != Argument::Kind::Bool)
    return invalidModel("has no graph");
  const Graph &graph = *node.inputs[1].value.graph;
  if (graph.inputs.size() + 2 != node.inputs.size())
    return invalidModel("has another number of arguments than its graph");
  return &graph;
}

/// The inputs of the graph are the arguments behind the first two. They belong
/// to the graph around it.
static Error bindArguments(const Node &node, const Graph &graph,
                           const Scope &outer, Scope &inner) {
  for (auto [input, argument] :
       zip_equal(graph.inputs, ArrayRef(node.inputs).drop_front(2))) {
    if (input.kind != Argument::Kind::Tensor ||
        argument.value.kind != Argument::Kind::Tensor)
      return invalidModel("takes what is no tensor");
    StringRef name = input.names.front();
    MPC_TRY_ASSIGN(Operand value, outer.read(argument.value.names.front()));
    inner.define(name, value);
    inner.protect(name, "writes, under torch.no_grad(), to a tensor from "
                        "outside of it");
  }
  return Error::success();
}

/// Where results of the graph show elements of its inputs, the results of the
/// node show elements of the arguments.
static void shareResults(const Node &node, const Graph &graph,
                         ArrayRef<std::string> inner, const Scope &innerScope,
                         Scope &outer) {
  for (auto [name, result] : zip(inner, resultNames(node)))
    for (auto [index, input] : enumerate(graph.inputs))
      if (innerScope.rootOf(name) == input.names.front())
        outer.share(result, View{Sharing::Reordered,
                                 node.inputs[index + 2].value.names.front()});
}

/// Gives the results of the graph to the node: without a gradient, unless it is
/// enabled.
Error ProgramImporter::giveResults(const Node &node, const Graph &graph,
                                   const Scope &inner, Scope &scope) {
  bool isTracked = node.inputs[0].value.ints.front() != 0;
  std::vector<Operand> results;
  std::vector<std::string> names;
  for (const Argument &output : graph.outputs)
    append_range(names, output.names);
  build_.setLocation(locationOf(node));
  for (const std::string &name : names) {
    MPC_TRY_ASSIGN(Operand result, inner.read(name));
    results.push_back(isTracked || !result.isFloat()
                          ? result
                          : build_.withoutGradient(result));
  }
  MPC_TRY(define(node, results, scope));
  shareResults(node, graph, names, inner, scope);
  return Error::success();
}

/// no_grad(): what it computes has no gradient.
Error ProgramImporter::importUntracked(const Node &node, Scope &scope) {
  Expected<const Graph *> graph = graphOf(node);
  if (!graph)
    return at(node, graph.takeError());
  Scope inner(build_);
  if (Error error = bindArguments(node, **graph, scope, inner))
    return at(node, std::move(error));
  MPC_TRY(importGraph(**graph, inner));
  if (Error error = giveResults(node, **graph, inner, scope))
    return at(node, std::move(error));
  return Error::success();
}

/// A counter that is counted up; it has no result that may be read.
void ProgramImporter::passCounter(const Node &node, StringRef state,
                                  Scope &scope) {
  noteCounter(state);
  for (const std::string &name : resultNames(node)) {
    states_[name] = state;
    scope.forbid(name, "reads the counter '" + printable(state) +
                           "', which is not counted");
  }
}

/// The first argument, where that is a tensor.
static StringRef firstTensor(const Node &node) {
  if (node.inputs.empty() ||
      node.inputs.front().value.kind != Argument::Kind::Tensor)
    return "";
  return node.inputs.front().value.names.front();
}

Error ProgramImporter::importNode(const Node &node, const Graph &graph,
                                  Scope &scope) {
  if (isCheck(node))
    return Error::success();
  bool writes = withoutWriting(node.op()).has_value();
  StringRef first = firstTensor(node);
  std::string state = states_.lookup(first);
  if (node.op() == "add_.Tensor" && countsBatches(state)) {
    passCounter(node, state, scope);
    return Error::success();
  }
  const OpRow *row = table_.find(node.op());
  if (!row)
    return invalidModel("this op is not supported");
  if (writes && first.empty())
    return invalidModel("writes to what is no tensor");
  Call call(node, graph, scope, build_);
  MPC_TRY(emit(call, *row));
  MPC_TRY(define(node, call.results(), scope));
  if (writes && !call.results().empty())
    MPC_TRY(scope.write(first, call.results().front()));
  View view = call.viewFor(writes ? Sharing::All : row->sharing);
  view.base = first.str();
  for (const std::string &name : resultNames(node))
    scope.share(name, view);
  return Error::success();
}

Error ProgramImporter::finish() {
  SmallVector<Value> results;
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> names;
  for (const OutputSpec &output : program_.outputs) {
    if (output.kind == OutputSpec::Kind::BufferMutation)
      continue;
    Expected<Operand> value = scope_.read(output.value);
    if (!value)
      return prefixed(program_.path + ": output '" + printable(output.value) +
                          "'",
                      value.takeError());
    results.push_back(value->value);
    types.push_back(results.back().getType());
    names.push_back(
        builder_.getDictionaryAttr(nn::nameAttribute(builder_, output.value)));
  }
  if (results.empty())
    return invalidModel(program_.path + ": the program has no outputs");
  func::ReturnOp::create(builder_, function_.getLoc(), results);
  function_.setFunctionType(
      builder_.getFunctionType(function_.getFunctionType().getInputs(), types));
  function_.setAllResultAttrs(names);
  return Error::success();
}

Expected<ImportedModel> importProgram(StringRef json, StringRef name,
                                      ArrayRef<ModelTensor> values,
                                      MLIRContext &context,
                                      const ModelOptions &options) {
  MPC_TRY_ASSIGN(Program program, readProgram(json, name));
  context.loadDialect<nn::NNDialect, func::FuncDialect>();
  return ProgramImporter(program, values, context, options).run();
}

} // namespace

} // namespace mpc::exported

namespace mpc {

Expected<ImportedModel> importExported(StringRef path, MLIRContext &context,
                                       const ModelOptions &options) {
  MPC_TRY_ASSIGN(exported::Archive archive, exported::readArchive(path));
  MPC_TRY_ASSIGN(ImportedModel model,
                 exported::importProgram(archive.json, path, archive.values,
                                         context, options));
  model.storage = std::move(archive.storage);
  return model;
}

Expected<ImportedModel> importExported(StringRef json, StringRef name,
                                       ArrayRef<ModelTensor> values,
                                       MLIRContext &context,
                                       const ModelOptions &options) {
  return exported::importProgram(json, name, values, context, options);
}

std::string describeExportedOps() {
  std::string text;
  exported::OpTable table;
  for (StringRef op : table.ops())
    text += ("aten." + op + "\n").str();
  return text;
}

} // namespace mpc
