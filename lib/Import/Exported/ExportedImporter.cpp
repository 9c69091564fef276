// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The state of an exported program, its signature, and what it returns.
#include "lib/Import/Exported/ExportedImporter.h"

#include "dialects/Interfaces/ElementTypes.h"
#include "dialects/NN/BufferResults.h"
#include "dialects/NN/ParameterNames.h"
#include "lib/Import/Exported/Archive.h"
#include "lib/Import/Exported/ComplexNumbers.h"
#include "lib/Import/Exported/GraphImporter.h"
#include "lib/Import/Exported/MissingOps.h"
#include "lib/Import/Exported/StateUse.h"
#include "lib/Import/Finish.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace llvm;
using namespace mlir;

namespace mpc::exported {

namespace {

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
  Error findWritten();
  Error makeFunction();
  Error bindState();
  Error bindState(const InputSpec &spec);
  void protect(const InputSpec &spec, RoleKind kind);
  RoleKind roleOf(const InputSpec &spec, const ModelTensor &value) const;
  Expected<std::string> declareOnce(const InputSpec &spec,
                                    const ModelTensor &value, RoleKind kind);
  Expected<const ModelTensor *> valueOf(const InputSpec &spec) const;
  void declare(const InputSpec &spec, const ModelTensor &value, RoleKind kind);
  Error returnOutputs();
  Error returnState();
  Error returnValue(StringRef value, DictionaryAttr attributes);
  Error finish();

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
  StateUse use_;
  /// Values that are buffers which the program writes, and what is behind them
  /// at its end.
  StringMap<std::string> written_;
  /// The parameter whose bytes a further name has too.
  std::map<const char *, size_t> byBytes_;
  /// Results of the function.
  SmallVector<Value> results_;
  SmallVector<DictionaryAttr> resultAttributes_;
};

/// Whether a node takes a gradient. The reader of the program bounds how deep
/// graphs are nested.
static bool takesGradients(const Graph &graph) {
  return any_of(graph.nodes, [](const Node &node) {
    return node.op() == kGradOp ||
           any_of(node.inputs, [](const NamedArgument &input) {
             return input.value.graph && takesGradients(*input.value.graph);
           });
  });
}

Expected<ImportedModel> ProgramImporter::run() {
  if (takesGradients(program_.graph))
    build_.setTakesGradients();
  MPC_TRY(checkOptions());
  MPC_TRY(refuseMissingOps(program_, table_));
  MPC_TRY(findWritten());
  MPC_TRY(makeFunction());
  MPC_TRY(bindState());
  MPC_TRY(GraphImporter(table_, build_, program_.path)
              .importGraph(program_.graph, scope_));
  MPC_TRY(returnOutputs());
  MPC_TRY(returnState());
  MPC_TRY(finish());
  eraseUnusedConstants(function_);
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
    return usageFault("--input-value is for ONNX files: an exported program "
                      "has such numbers compiled in");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

/// A buffer that ops write has its new value under the name that it came by; a
/// decomposed program returns it under another.
Error ProgramImporter::findWritten() {
  use_ = findStateUse(program_.graph, table_);
  StringMap<std::string> buffers;
  for (const InputSpec &spec : program_.inputs) {
    if (spec.kind != InputSpec::Kind::Buffer)
      continue;
    buffers[spec.state] = spec.value;
    if (!use_.statistics.contains(spec.value) &&
        use_.written.contains(spec.value))
      written_[spec.value] = spec.value;
  }
  for (const OutputSpec &output : program_.outputs) {
    if (output.kind != OutputSpec::Kind::BufferMutation)
      continue;
    auto buffer = buffers.find(output.state);
    if (buffer == buffers.end())
      return invalidModel(program_.path + ": writes '" +
                          printable(output.state) +
                          "', which is not a buffer of the program");
    if (!use_.statistics.contains(buffer->second))
      written_[buffer->second] = output.value;
  }
  return Error::success();
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
  return use_.statistics.contains(spec.value) || written_.contains(spec.value)
             ? RoleKind::Buffer
             : RoleKind::Constant;
}

/// What a step can keep.
static bool isStateType(rt::DType dtype) {
  return dtype == rt::DType::F32 || dtype == rt::DType::F16 ||
         dtype == rt::DType::BF16 || dtype == rt::DType::I32 ||
         dtype == rt::DType::I64;
}

/// A program may write its buffers, but for those that normalizations keep.
void ProgramImporter::protect(const InputSpec &spec, RoleKind kind) {
  if (written_.contains(spec.value)) {
    scope_.setState(spec.value);
    return;
  }
  std::string message = "writes '" + printable(spec.state) + "': ";
  message += use_.statistics.contains(spec.value)
                 ? "it holds the running statistics of a normalization, which "
                   "alone may write them"
                 : "of its state a program may write buffers alone";
  scope_.protect(spec.value, message);
}

Error ProgramImporter::bindState(const InputSpec &spec) {
  MPC_TRY_ASSIGN(const ModelTensor *value, valueOf(spec));
  RoleKind kind = roleOf(spec, *value);
  if (written_.contains(spec.value) && !isStateType(value->desc.dtype))
    return invalidModel(program_.path + ": buffer '" + printable(spec.state) +
                        "' is written, and is " +
                        std::string(rt::name(value->desc.dtype)) +
                        ": a step keeps buffers of float32, int32 and int64");
  MPC_TRY_ASSIGN(std::string name, declareOnce(spec, *value, kind));
  protect(spec, kind);
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

Error ProgramImporter::returnValue(StringRef value, DictionaryAttr attributes) {
  Expected<Operand> operand = scope_.read(value);
  if (!operand)
    return prefixed(program_.path + ": output '" + printable(value) + "'",
                    operand.takeError());
  results_.push_back(operand->value);
  resultAttributes_.push_back(attributes);
  return Error::success();
}

Error ProgramImporter::returnOutputs() {
  for (const OutputSpec &output : program_.outputs)
    if (output.kind == OutputSpec::Kind::User)
      MPC_TRY(returnValue(output.value,
                          builder_.getDictionaryAttr(
                              nn::nameAttribute(builder_, output.value))));
  if (results_.empty())
    return invalidModel(program_.path + ": the program has no outputs");
  return Error::success();
}

/// The next values of buffers, in the order of the inputs.
Error ProgramImporter::returnState() {
  for (const InputSpec &spec : program_.inputs)
    if (auto last = written_.find(spec.value); last != written_.end())
      MPC_TRY(returnValue(
          last->second,
          nn::bufferAttributes(
              builder_, builder_.getStringAttr(nn::symbolOf(spec.state)))));
  return Error::success();
}

Error ProgramImporter::finish() {
  func::ReturnOp::create(builder_, function_.getLoc(), results_);
  function_.setFunctionType(
      builder_.getFunctionType(function_.getFunctionType().getInputs(),
                               ValueRange(results_).getTypes()));
  function_.setAllResultAttrs(resultAttributes_);
  return Error::success();
}

Expected<ImportedModel> importProgram(StringRef json, StringRef name,
                                      ArrayRef<ModelTensor> values,
                                      MLIRContext &context,
                                      const ModelOptions &options) {
  MPC_TRY_ASSIGN(Program program, readProgram(json, name));
  MPC_TRY(replaceComplexNumbers(program));
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

bool readsExportedOp(StringRef target) {
  static const exported::OpTable table;
  exported::Node node;
  node.target = target.str();
  return exported::isKnown(node, table) ||
         is_contained(exported::complexOps(), node.op());
}

std::string describeExportedOps() {
  std::string text;
  exported::OpTable table;
  for (StringRef op : table.ops())
    // Ops of other libraries have the name of theirs.
    text += (op.consume_front("torch.ops.") ? op : "aten." + op).str() + "\n";
  return text;
}

} // namespace mpc
