// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Walks an exported program once: names become operands, calls nn ops.
#include "lib/Import/Exported/ExportedImporter.h"

#include "dialects/Interfaces/ElementTypes.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/ParameterNames.h"
#include "lib/Import/Exported/Archive.h"
#include "lib/Import/Exported/OpTable.h"
#include "lib/Import/NoteList.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace llvm;
using namespace mlir;

namespace mpc::exported {

namespace {

constexpr StringLiteral kSetGrad =
    "torch.ops.higher_order.wrap_with_set_grad_enabled";
/// Graphs within graphs.
constexpr size_t kDeepestScope = 64;
/// Of calls that compute nothing: checks that the exporter wrote down.
constexpr StringLiteral kChecks[] = {"_assert_tensor_metadata.default",
                                     "_assert_scalar.default",
                                     "_assert_async.msg"};
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
  Error checkOps() const;
  void findMissing(const Graph &graph,
                   std::map<std::string, std::vector<const Node *>> &missing,
                   size_t depth) const;
  void findStatistics(const Graph &graph);
  Error makeFunction();
  Error bindState();
  Error bindState(const InputSpec &spec);
  Expected<const ModelTensor *> valueOf(const InputSpec &spec) const;
  void declare(const InputSpec &spec, const ModelTensor &value, RoleKind kind);
  Error importGraph(const Graph &graph, Values &values, size_t depth);
  Error importNode(const Node &node, const Graph &graph, Values &values,
                   size_t depth);
  Error importUntracked(const Node &node, Values &values, size_t depth);
  Error emit(Call &call, const OpRow &row);
  Error writeInPlace(const Node &node, Values &values, Operand result);
  Expected<Operand> writtenThrough(const View &view, const Operand &base,
                                   const Operand &part);
  void forgetViewsOf(StringRef base, StringRef kept);
  Error checkFresh(const Node &node) const;
  Error define(const Node &node, ArrayRef<Operand> results, Values &values);
  Error checkMutations();
  Error finish(const Values &values);
  Error verifyModule();
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
  Values values_;
  /// Values that are running statistics, and buffers of all kinds by value.
  llvm::StringSet<> statistics_;
  StringMap<std::string> buffers_;
  /// Views by name: what they show, and of which tensor.
  StringMap<std::pair<std::string, View>> views_;
  /// Views of what was written since by another name.
  llvm::StringSet<> stale_;
  /// The parameter whose bytes a further name has too.
  std::map<const char *, size_t> byBytes_;
  NoteList notes_;
};

Expected<ImportedModel> ProgramImporter::run() {
  MPC_TRY(checkOptions());
  MPC_TRY(checkOps());
  findStatistics(program_.graph);
  MPC_TRY(checkMutations());
  MPC_TRY(makeFunction());
  MPC_TRY(bindState());
  MPC_TRY(importGraph(program_.graph, values_, 0));
  MPC_TRY(finish(values_));
  for (auto constant :
       llvm::make_early_inc_range(function_.getOps<nn::ConstantOp>()))
    if (constant->use_empty())
      constant.erase();
  result_.notes = notes_.lines();
  MPC_TRY(verifyModule());
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
// What is not there
//===----------------------------------------------------------------------===//

void ProgramImporter::findMissing(
    const Graph &graph,
    std::map<std::string, std::vector<const Node *>> &missing,
    size_t depth) const {
  for (const Node &node : graph.nodes) {
    for (const NamedArgument &input : node.inputs)
      if (input.value.graph && depth < kDeepestScope)
        findMissing(*input.value.graph, missing, depth + 1);
    if (node.target == kSetGrad || is_contained(kChecks, node.op()) ||
        table_.find(node.op()))
      continue;
    missing[node.op().str()].push_back(&node);
  }
}

/// All at once: an op, how often, where first.
Error ProgramImporter::checkOps() const {
  std::map<std::string, std::vector<const Node *>> missing;
  findMissing(program_.graph, missing, 0);
  if (missing.empty())
    return Error::success();
  std::string text;
  for (const auto &[op, nodes] : missing) {
    const Node &first = *nodes.front();
    text += (text.empty() ? "" : "; ") + printable(op) + " (" +
            std::to_string(nodes.size()) + "x";
    if (!first.module.empty())
      text += ", first in module '" + printable(first.module) + "'";
    if (!first.source.empty())
      text += ", " + printable(first.source);
    text += ")";
  }
  return invalidModel(program_.path + ": ops that are not supported: " + text +
                      "; mpc-import --list-exported-ops prints those that are");
}

/// What a decomposed program writes at its end: running statistics, which the
/// step keeps, and counters of batches, which nobody reads.
Error ProgramImporter::checkMutations() {
  for (const OutputSpec &output : program_.outputs) {
    if (output.kind != OutputSpec::Kind::BufferMutation)
      continue;
    if (StringRef(output.state).ends_with("num_batches_tracked")) {
      notes_.add("buffer '" + output.state + "'",
                 "is not counted: it stays what the file has");
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

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

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

Error ProgramImporter::bindState(const InputSpec &spec) {
  MPC_TRY_ASSIGN(const ModelTensor *value, valueOf(spec));
  bool isTrained =
      spec.kind == InputSpec::Kind::Parameter && rt::isFloat(value->desc.dtype);
  RoleKind kind = isTrained                          ? RoleKind::Parameter
                  : statistics_.contains(spec.value) ? RoleKind::Buffer
                                                     : RoleKind::Constant;
  std::string symbol = spec.state;
  auto [tied, isNew] =
      byBytes_.try_emplace(value->bytes.data(), result_.initializers.size());
  if (isTrained && !isNew && !value->bytes.empty()) {
    InitializerRole &first = result_.initializers[tied->second];
    first.otherNames.push_back(spec.state);
    symbol = first.name;
  } else {
    result_.initializers.push_back(
        {spec.state, std::string(rt::name(value->desc.dtype)),
         value->desc.shape, kind, "as the program says"});
    if (kind != RoleKind::Constant)
      declare(spec, *value, kind);
  }
  Location location = NameLoc::get(builder_.getStringAttr(spec.state));
  mlir::Type element = typeOf(&context_, value->desc.dtype);
  if (spec.kind == InputSpec::Kind::Buffer)
    buffers_[spec.value] = spec.state;
  if (kind == RoleKind::Constant) {
    build_.setLocation(location);
    values_[spec.value] =
        build_.constant(element, value->desc.shape, value->bytes);
    return Error::success();
  }
  values_[spec.value] = build_.fromValue(nn::GetOp::create(
      builder_, location, build_.tensorType(element, value->desc.shape),
      FlatSymbolRefAttr::get(&context_, nn::symbolOf(symbol))));
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
    values_[spec->value] = build_.fromValue(argument);
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

Error ProgramImporter::importGraph(const Graph &graph, Values &values,
                                   size_t depth) {
  if (depth > kDeepestScope)
    return invalidModel(program_.path + ": graphs are nested more than " +
                        Twine(kDeepestScope) + " deep");
  for (const Node &node : graph.nodes)
    if (Error error = importNode(node, graph, values, depth))
      return error;
  return Error::success();
}

/// Gives the node's results their names. Each must be what the file declares.
Error ProgramImporter::define(const Node &node, ArrayRef<Operand> results,
                              Values &values) {
  size_t index = 0;
  for (const Argument &output : node.outputs)
    for (const std::string &name : output.names) {
      if (index >= results.size())
        return at(node,
                  invalidModel("result " + Twine(index) + " is not computed"));
      if (!name.empty() && results[index].value)
        values[name] = results[index];
      ++index;
    }
  return Error::success();
}

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

/// no_grad(): what it computes has no gradient.
Error ProgramImporter::importUntracked(const Node &node, Values &values,
                                       size_t depth) {
  if (node.inputs.size() < 2 || !node.inputs[1].value.graph ||
      node.inputs[0].value.kind != Argument::Kind::Bool)
    return at(node, invalidModel("has no graph"));
  const Graph &graph = *node.inputs[1].value.graph;
  bool isTracked = node.inputs[0].value.ints.front() != 0;
  Values inner;
  if (graph.inputs.size() + 2 != node.inputs.size())
    return at(node, invalidModel("has another number of arguments than its "
                                 "graph"));
  for (auto [input, argument] :
       zip_equal(graph.inputs, ArrayRef(node.inputs).drop_front(2))) {
    if (input.kind != Argument::Kind::Tensor ||
        argument.value.kind != Argument::Kind::Tensor)
      return at(node, invalidModel("takes what is no tensor"));
    auto known = values.find(argument.value.names.front());
    if (known == values.end())
      return at(node, invalidModel("uses '" +
                                   printable(argument.value.names.front()) +
                                   "', which nothing before it defines"));
    inner[input.names.front()] = known->second;
    if (buffers_.contains(argument.value.names.front()))
      buffers_[input.names.front()] = buffers_[argument.value.names.front()];
  }
  MPC_TRY(importGraph(graph, inner, depth + 1));
  std::vector<Operand> results;
  for (const Argument &output : graph.outputs)
    for (const std::string &name : output.names) {
      auto found = inner.find(name);
      if (found == inner.end())
        return at(node, invalidModel("gives '" + printable(name) +
                                     "', which nothing defines"));
      build_.setLocation(locationOf(node));
      results.push_back(isTracked || !found->second.isFloat()
                            ? found->second
                            : build_.withoutGradient(found->second));
    }
  return define(node, results, values);
}

/// `base` where `part`, a view of it, has been written.
Expected<Operand> ProgramImporter::writtenThrough(const View &view,
                                                  const Operand &base,
                                                  const Operand &part) {
  if (view.form == View::Form::Other)
    return invalidModel("writes to a view that shows elements in another "
                        "order: call run_decompositions({}) on the program "
                        "before it is saved");
  if (view.form == View::Form::All)
    return build_.reshape(part, base.shape);
  Shape shape = base.shape;
  shape[view.axis] = view.limit - view.start;
  std::vector<Operand> parts;
  if (view.start > 0)
    parts.push_back(build_.sliceAxis(base, view.axis, 0, view.start));
  parts.push_back(build_.reshape(part, shape));
  if (view.limit < base.shape[view.axis])
    parts.push_back(
        build_.sliceAxis(base, view.axis, view.limit, base.shape[view.axis]));
  return parts.size() == 1 ? parts.front() : build_.concat(parts, view.axis);
}

/// What the views of `base` but `kept` show has been written: who reads them
/// later would read what was.
void ProgramImporter::forgetViewsOf(StringRef base, StringRef kept) {
  SmallVector<std::string> bases{base.str()};
  while (!bases.empty()) {
    std::string of = bases.pop_back_val();
    for (const auto &view : views_) {
      if (view.second.first != of || view.first() == kept ||
          !stale_.insert(view.first()).second)
        continue;
      bases.push_back(view.first().str());
    }
  }
}

Error ProgramImporter::checkFresh(const Node &node) const {
  for (const NamedArgument &input : node.inputs)
    for (const std::string &name : input.value.names)
      if (stale_.contains(name))
        return at(node, invalidModel("reads '" + printable(name) +
                                     "', a view of what has been written "
                                     "since: call run_decompositions({}) on "
                                     "the program before it is saved"));
  return Error::success();
}

/// The name that was written means the result from here on, and so do the
/// tensors that it shows. Writing to state is refused.
Error ProgramImporter::writeInPlace(const Node &node, Values &values,
                                    Operand result) {
  if (node.inputs.empty() ||
      node.inputs.front().value.kind != Argument::Kind::Tensor)
    return at(node, invalidModel("writes to what is no tensor"));
  std::string name = node.inputs.front().value.names.front();
  std::string kept;
  while (true) {
    if (buffers_.contains(name))
      return at(node,
                invalidModel("writes the buffer '" + printable(buffers_[name]) +
                             "', which only running statistics may be"));
    values[name] = result;
    forgetViewsOf(name, kept);
    auto view = views_.find(name);
    if (view == views_.end())
      return Error::success();
    kept = name;
    name = view->second.first;
    Expected<Operand> whole =
        writtenThrough(view->second.second, values[name], result);
    if (!whole)
      return at(node, whole.takeError());
    result = *whole;
  }
}

/// A counter of batches, which PyTorch itself does not read unless momentum is
/// None.
static bool countsBatches(StringRef buffer, const Node &node) {
  return node.op() == "add_.Tensor" &&
         buffer.rsplit('.').second == "num_batches_tracked";
}

Error ProgramImporter::importNode(const Node &node, const Graph &graph,
                                  Values &values, size_t depth) {
  build_.setLocation(locationOf(node));
  if (node.target == kSetGrad)
    return importUntracked(node, values, depth);
  if (is_contained(kChecks, node.op()))
    return Error::success();
  bool writes = withoutWriting(node.op()).has_value();
  StringRef first;
  if (!node.inputs.empty() && !node.inputs.front().value.names.empty())
    first = node.inputs.front().value.names.front();
  if (writes && countsBatches(buffers_.lookup(first), node)) {
    std::string buffer = buffers_.lookup(first);
    notes_.add("buffer '" + buffer + "'",
               "is not counted: it stays what the file has");
    for (const Argument &output : node.outputs)
      for (const std::string &name : output.names)
        buffers_[name] = buffer;
    return define(node, values.lookup(first), values);
  }
  MPC_TRY(checkFresh(node));
  const OpRow *row = table_.find(node.op());
  if (!row)
    return at(node, invalidModel("this op is not supported"));
  Call call(node, graph, values, build_);
  if (Error error = emit(call, *row))
    return at(node, std::move(error));
  MPC_TRY(define(node, call.results(), values));
  if (writes && !call.results().empty())
    MPC_TRY(writeInPlace(node, values, call.results().front()));
  View view = writes ? View{View::Form::All} : call.view();
  if (writes || row->isView)
    for (const Argument &output : node.outputs)
      for (const std::string &name : output.names)
        views_[name] = {first.str(), view};
  return Error::success();
}

Error ProgramImporter::finish(const Values &values) {
  SmallVector<Value> results;
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> names;
  for (const OutputSpec &output : program_.outputs) {
    if (output.kind == OutputSpec::Kind::BufferMutation)
      continue;
    auto found = values.find(output.value);
    if (found == values.end())
      return invalidModel(program_.path + ": output '" +
                          printable(output.value) +
                          "' is no tensor that the program computes");
    results.push_back(found->second.value);
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

Error ProgramImporter::verifyModule() {
  std::string first;
  ScopedDiagnosticHandler capture(&context_, [&](Diagnostic &diagnostic) {
    if (!first.empty())
      return success();
    if (auto name = dyn_cast<NameLoc>(diagnostic.getLocation()))
      first = "node '" + printable(name.getName()) + "': ";
    first += diagnostic.str();
    return success();
  });
  if (succeeded(verify(*result_.module)))
    return Error::success();
  return internalFault(program_.path + ": " + first +
                       " (the importer has made IR that does not verify)");
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
