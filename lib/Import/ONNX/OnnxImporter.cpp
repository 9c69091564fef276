// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Goes through the graph once. Names become operands, and nodes become nn ops.
#include "lib/Import/ONNX/OnnxImporter.h"

#include "dialects/NN/EntryNames.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/ParameterNames.h"
#include "lib/Import/Finish.h"
#include "lib/Import/ImportError.h"
#include "lib/Import/NoteList.h"
#include "lib/Import/ONNX/GraphInputs.h"
#include "lib/Import/ONNX/OpCounter.h"
#include "lib/Import/ONNX/Ops/LibraryOps.h"
#include "lib/Import/ONNX/Ops/NodeImporter.h"
#include "lib/Import/ONNX/Ops/Remedies.h"
#include "lib/Import/ONNX/Ops/RuleTable.h"
#include "lib/Import/ONNX/ProposedFlags.h"
#include "lib/Import/ONNX/PyTorch/InitializerRoles.h"
#include "lib/Import/ONNX/PyTorch/Recovery.h"
#include "lib/Import/ONNX/Read/ModelChecks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include <deque>

using namespace llvm;
using namespace mlir;

namespace mpc::onnx {

namespace {

constexpr StringRef kFunctionName = "model";

/// The most ops. Unrolled layers may create many small ops.
constexpr size_t kMostOps = 4000000;
/// The rule of ops in an op library, which itself checks its inputs.
constexpr OpRule kLibraryRule = {"", 1, 0, kUnlimited, kUnlimited, "", nullptr};
/// The greatest depth of graphs within graphs.
constexpr size_t kDeepestScope = 64;

/// The names that a graph, or one copy of a subgraph, defines.
struct Scope {
  StringMap<Entry> entries;
  /// The prefix of its nodes' names.
  std::string place;
};

} // namespace

class GraphImporter {
public:
  GraphImporter(Model &model, MLIRContext &context, const ModelOptions &options)
      : model_(model), context_(context), options_(options),
        builder_(&context, &counter_), build_(builder_), uses_(model.graph) {
    for (const ValueInfo &info : model.graph.values)
      declared_[info.name] = &info;
    scopes_.emplace_back();
  }

  Expected<ImportedModel> run();

private:
  Error decideRoles();
  Error makeFunction();
  Expected<DenseElementsAttr> givenValue(const ValueInfo &input,
                                         ArrayRef<int64_t> shape);
  Error importNodes();
  Error importNode(const Node &node);
  Expected<std::vector<Entry>> inlineGraph(const Graph &graph,
                                           ArrayRef<Entry> arguments,
                                           const std::string &place);
  Expected<Entry> constantEntry(const Tensor &tensor);
  ArrayRef<LibraryFunction> libraryFunctions(const Node &node) const;
  Error unknownDomain(const NodeImporter &importer) const;
  Expected<const OpRule *> ruleFor(const Node &node);
  bool isBuffer(const Operand &operand) const;
  Error emit(NodeImporter &importer, const OpRule &rule);
  Error bindInputs(NodeImporter &importer, const OpRule &rule);
  Expected<const Entry *> lookup(StringRef name);
  void define(StringRef name, Entry entry);
  Value valueOf(Entry &entry, StringRef name);
  Error finish();
  Error checkDeclared(StringRef what, const ValueInfo &info,
                      const Operand &operand) const;
  void declareParameters();
  void warnOfLosses();
  Location locationOf(const Node &node);
  SmallVector<DictionaryAttr> namesOf(ArrayRef<StringRef> names);

  Model &model_;
  MLIRContext &context_;
  const ModelOptions &options_;
  OpCounter counter_;
  OpBuilder builder_;
  TensorBuilder build_;
  GraphUses uses_;
  RuleTable rules_;
  ImportedModel result_;
  func::FuncOp function_;
  StringMap<int64_t> symbols_;
  /// The scope of the graph, and those of the subgraphs that are being
  /// imported.
  std::deque<Scope> scopes_;
  size_t numNodes_ = 0;
  /// The file's declarations of values that are neither inputs nor outputs.
  StringMap<const ValueInfo *> declared_;
  /// Initializers by name. A used one becomes an entry.
  StringMap<size_t> initializers_;
  /// The initializers that an nn.get reads.
  llvm::DenseSet<size_t> readParameters_;
  NoteList notes_;
};

Expected<ImportedModel> GraphImporter::run() {
  MPC_TRY(decideRoles());
  MPC_TRY(makeFunction());
  MPC_TRY(importNodes());
  MPC_TRY(finish());
  eraseUnusedConstants(function_);
  declareParameters();
  result_.notes = notes_.lines();
  warnOfLosses();
  MPC_TRY(verifyImported(*result_.module, model_.path));
  result_.storage = std::move(model_.storage);
  return std::move(result_);
}

Error GraphImporter::decideRoles() {
  result_.initializers = listInitializers(model_, uses_);
  MPC_TRY(overrideRoles(model_, options_.roles, result_.initializers));
  for (auto [index, role] : enumerate(result_.initializers))
    initializers_[role.name] = index;
  return Error::success();
}

Error GraphImporter::makeFunction() {
  std::vector<const ValueInfo *> inputs = trueInputs(model_.graph);
  auto shapes = resolveInputShapes(model_, inputs, options_, symbols_);
  if (!shapes)
    return shapes.takeError();
  SmallVector<Type> types;
  for (auto [input, shape] : zip_equal(inputs, *shapes)) {
    Type element = elementType(&context_, input->type);
    if (!element)
      return invalidModel(model_.path + ": input '" + printable(input->name) +
                          "' has element type " + toString(input->type) +
                          ", which is not supported");
    types.push_back(RankedTensorType::get(shape, element));
  }
  Location file = FileLineColLoc::get(&context_, model_.path, 0, 0);
  result_.module = ModuleOp::create(file);
  builder_.setInsertionPointToEnd(result_.module->getBody());
  function_ = func::FuncOp::create(builder_, file, kFunctionName,
                                   builder_.getFunctionType(types, {}));
  Block *block = function_.addEntryBlock();
  builder_.setInsertionPointToEnd(block);
  function_.setAllArgAttrs(
      namesOf(map_to_vector(inputs, [](const ValueInfo *input) -> StringRef {
        return input->name;
      })));
  for (auto [index, input] : enumerate(inputs)) {
    block->getArgument(index).setLoc(
        NameLoc::get(builder_.getStringAttr(input->name)));
    BlockArgument argument = block->getArgument(index);
    auto type = llvm::cast<RankedTensorType>(argument.getType());
    MPC_TRY_ASSIGN(auto known, givenValue(*input, type.getShape()));
    define(input->name, Entry{build_.given(argument, known), false, {}});
  }
  return Error::success();
}

/// Whether an input may have a value at compile time. A setting of an op has
/// few elements.
static bool maySet(ElemType type, ArrayRef<int64_t> shape) {
  return countElements(shape).value_or(INT64_MAX) <=
         (isFloat(type) ? 16 : 65536);
}

/// The user's value for an input; null where there is none.
Expected<DenseElementsAttr> GraphImporter::givenValue(const ValueInfo &input,
                                                      ArrayRef<int64_t> shape) {
  RankedTensorType type =
      build_.tensorType(elementType(&context_, input.type), shape);
  for (const auto &[name, numbers] : options_.inputNumbers) {
    if (name != input.name)
      continue;
    if (static_cast<int64_t>(numbers.size()) != type.getNumElements())
      return invalidModel(model_.path + ": --input-value=" + name + ": has " +
                          Twine(numbers.size()) + " numbers, the input is " +
                          shapeText(shape));
    return nn::constantOfReals(type, numbers);
  }
  for (const ModelTensor &tensor : options_.inputTensors)
    if (tensor.desc.name == input.name &&
        tensor.desc.dtype == dtypeOf(input.type) &&
        ArrayRef<int64_t>(tensor.desc.shape) == shape &&
        maySet(input.type, shape))
      return nn::constantOfBytes(type, tensor.bytes);
  return DenseElementsAttr();
}

/// The attributes nn.name of all arguments or results, made at once, for files
/// with many.
SmallVector<DictionaryAttr> GraphImporter::namesOf(ArrayRef<StringRef> names) {
  return map_to_vector(names, [&](StringRef name) {
    return builder_.getDictionaryAttr(nn::nameAttribute(builder_, name));
  });
}

void GraphImporter::define(StringRef name, Entry entry) {
  scopes_.back().entries.try_emplace(name, std::move(entry));
}

Expected<Entry> GraphImporter::constantEntry(const Tensor &tensor) {
  build_.setLocation(NameLoc::get(builder_.getStringAttr(tensor.name)));
  Expected<Operand> constant = constantOf(build_, tensor);
  if (constant)
    return Entry{*constant, false, {}};
  std::string text;
  takeError(constant.takeError(), text);
  return invalidModel("initializer '" + printable(tensor.name) + "': " + text);
}

/// An initializer becomes an entry at its first use.
Expected<const Entry *> GraphImporter::lookup(StringRef name) {
  for (const Scope &scope : llvm::reverse(scopes_)) {
    auto known = scope.entries.find(name);
    if (known != scope.entries.end())
      return &known->second;
  }
  auto initializer = initializers_.find(name);
  if (initializer == initializers_.end())
    return invalidModel("uses '" + printable(name) +
                        "', which nothing before it defines");
  const Tensor &tensor = model_.graph.initializers[initializer->second];
  // The body of a loop is a function of its own, and other nodes may read the
  // initializer too.
  OpBuilder::InsertionGuard guard(builder_);
  Operation *parent = builder_.getInsertionBlock()->getParentOp();
  if (parent && parent != function_)
    builder_.setInsertionPointToStart(&function_.getBody().front());
  Entry entry;
  if (result_.initializers[initializer->second].kind != RoleKind::Constant) {
    auto type =
        build_.tensorType(elementType(&context_, tensor.type), tensor.shape);
    auto symbol = FlatSymbolRefAttr::get(&context_, nn::symbolOf(tensor.name));
    entry.tensor = build_.fromValue(nn::GetOp::create(
        builder_, NameLoc::get(builder_.getStringAttr(name)), type, symbol));
    readParameters_.insert(initializer->second);
  } else {
    MPC_TRY_ASSIGN(entry, constantEntry(tensor));
  }
  StringMap<Entry> &entries = scopes_.front().entries;
  return &entries.try_emplace(name, std::move(entry)).first->second;
}

Location GraphImporter::locationOf(const Node &node) {
  auto name = builder_.getStringAttr(scopes_.back().place + node.name);
  if (node.module.empty())
    return NameLoc::get(name);
  return NameLoc::get(name, NameLoc::get(builder_.getStringAttr(node.module)));
}

Error GraphImporter::importNodes() {
  // All unsupported ops of the file are reported at once.
  SmallVector<StringRef> unknown;
  for (const Node &node : model_.graph.nodes)
    if (node.domain.empty() && rules_.rowsOf("", node.opType).empty() &&
        !is_contained(unknown, StringRef(node.opType)))
      unknown.push_back(node.opType);
  for (const Node &node : model_.graph.nodes) {
    Error error = importNode(node);
    if (!error)
      continue;
    if (unknown.size() < 2 || !rules_.rowsOf(node.domain, node.opType).empty())
      return error;
    std::string text;
    ImportFault fault = takeError(std::move(error), text);
    return make_error<ImportError>(
        fault, text + " (unsupported in this file: " +
                   join(map_range(unknown, printable), ", ") + ")");
  }
  return Error::success();
}

ArrayRef<LibraryFunction>
GraphImporter::libraryFunctions(const Node &node) const {
  if (!options_.library || node.domain.empty())
    return {};
  return options_.library->functionsOf(node.domain, node.opType);
}

Error GraphImporter::unknownDomain(const NodeImporter &importer) const {
  const Node &node = importer.node();
  std::string defined =
      options_.library ? options_.library->opsOf(node.domain) : "";
  std::string domain = "domain '" + printable(node.domain) + "' ";
  if (!defined.empty())
    return importer.fail("the op library defines no such op of " + domain +
                         "(it has: " + defined + ")");
  return importer.fail(domain + "is not supported, only ai.onnx is; " +
                       remedyFor(node));
}

Expected<const OpRule *> GraphImporter::ruleFor(const Node &node) {
  if (!libraryFunctions(node).empty())
    return &kLibraryRule;
  int64_t opset = opsetOf(model_, node);
  NodeImporter at(node, opset, model_.path, build_);
  at.place_ = scopes_.back().place;
  bool hasForm = !node.form.empty();
  if (!hasForm && !rules_.hasDomain(node.domain))
    return unknownDomain(at);
  ArrayRef<const OpRule *> rows = hasForm
                                      ? rules_.rowsOfForm(node.form)
                                      : rules_.rowsOf(node.domain, node.opType);
  if (rows.empty()) {
    return at.fail("this op is not supported; " +
                   remedyFor(node, rules_.near(node.opType)));
  }
  const OpRule *best = nullptr;
  for (const OpRule *row : rows)
    if (row->since <= opset)
      best = row;
  if (!best)
    return at.fail("this op is imported from opset " +
                   Twine(rows.front()->since) + " on");
  return best;
}

Error GraphImporter::bindInputs(NodeImporter &importer, const OpRule &rule) {
  const Node &node = importer.node();
  if (node.inputs.size() > rule.maxInputs)
    return importer.fail("has " + Twine(node.inputs.size()) +
                         " inputs, expected at most " + Twine(rule.maxInputs));
  for (auto [index, name] : enumerate(node.inputs)) {
    // A variadic op has no optional inputs, unless it works without any.
    bool isVariadic = rule.maxInputs == kUnlimited && rule.minInputs != 0;
    bool required = index < rule.minInputs || isVariadic;
    if (name.empty() && required)
      return importer.fail("input " + Twine(index) + " is missing");
    if (name.empty()) {
      importer.inputs_.push_back(nullptr);
      continue;
    }
    Expected<const Entry *> entry = lookup(name);
    if (!entry) {
      std::string text;
      takeError(entry.takeError(), text);
      return importer.fail(text);
    }
    if ((*entry)->isSequence && !rule.takesSequences)
      return importer.fail("input '" + printable(name) +
                           "' is a sequence, expected a tensor");
    importer.inputs_.push_back(*entry);
  }
  if (importer.inputs_.size() < rule.minInputs)
    return importer.fail("has " + Twine(node.inputs.size()) +
                         " inputs, expected at least " + Twine(rule.minInputs));
  for (size_t i = rule.maxOutputs; i < node.outputs.size(); ++i)
    if (importer.wants(i) && (!uses_.usesOf(node.outputs[i]).empty() ||
                              uses_.isOutput(node.outputs[i])))
      return importer.fail("output " + Twine(i) + " ('" +
                           printable(node.outputs[i]) +
                           "') is used, but not supported");
  return Error::success();
}

/// Makes the node's ops.
Error GraphImporter::emit(NodeImporter &importer, const OpRule &rule) {
  ArrayRef<LibraryFunction> functions = libraryFunctions(importer.node());
  if (functions.empty())
    MPC_TRY(checkAttributes(importer, rule));
  MPC_TRY(bindInputs(importer, rule));
  build_.setLocation(locationOf(importer.node()));
  if (!functions.empty())
    return importLibraryOp(importer, functions);
  MPC_TRY(importer.readAsInputs(rule));
  const std::string &refusal = importer.node().refusal;
  return refusal.empty() ? rule.emit(importer) : importer.fail(refusal);
}

/// Whether `operand` is itself a buffer, which has no gradient and which a
/// normalization recognizes by its name.
bool GraphImporter::isBuffer(const Operand &operand) const {
  auto get = operand.value.getDefiningOp<nn::GetOp>();
  if (!get)
    return false;
  auto initializer = initializers_.find(nn::nameOf(get.getParameter()));
  return initializer != initializers_.end() &&
         result_.initializers[initializer->second].kind == RoleKind::Buffer;
}

Error GraphImporter::importNode(const Node &node) {
  Expected<const OpRule *> rule = ruleFor(node);
  if (!rule)
    return rule.takeError();
  NodeImporter importer(node, opsetOf(model_, node), model_.path, build_);
  importer.place_ = scopes_.back().place;
  auto inliner = [&](const Graph &graph, ArrayRef<Entry> arguments,
                     const std::string &place) {
    return inlineGraph(graph, arguments, place);
  };
  importer.inliner_ = inliner;
  llvm::SaveAndRestore call(counter_.call, StringRef(node.calledAs));
  MPC_TRY(emit(importer, **rule));
  if (counter_.count > kMostOps || ++numNodes_ > kMostOps)
    return importer.fail("the graph unrolls into more than " + Twine(kMostOps) +
                         " ops");
  bool isUntracked = importer.isSet(setting::kUntracked);
  if (isUntracked)
    importer.note("computed under torch.no_grad(): no gradient goes through");
  for (const std::string &note : importer.notes_)
    notes_.add("node '" + printable(scopes_.back().place + node.name) + "'",
               "(" + printable(node.opType) + "): " + note);
  append_range(result_.warnings, importer.warnings_);
  for (auto [index, name] : enumerate(node.outputs)) {
    if (name.empty() || index >= (*rule)->maxOutputs)
      continue;
    if (index >= importer.results_.size() || !importer.results_[index])
      return importer.fail("output " + Twine(index) + " ('" + printable(name) +
                           "') is not computed");
    Entry &entry = *importer.results_[index];
    if (const ValueInfo *info = declared_.lookup(name);
        info && !entry.isSequence)
      MPC_TRY(checkDeclared("value", *info, entry.tensor));
    if (isUntracked && !entry.isSequence && !isBuffer(entry.tensor))
      entry.tensor = build_.withoutGradient(entry.tensor);
    define(name, std::move(entry));
  }
  return Error::success();
}

Expected<std::vector<Entry>>
GraphImporter::inlineGraph(const Graph &graph, ArrayRef<Entry> arguments,
                           const std::string &place) {
  if (scopes_.size() > kDeepestScope)
    return invalidModel(model_.path + ": graph '" + printable(graph.name) +
                        "' is nested more than " + Twine(kDeepestScope) +
                        " deep");
  scopes_.push_back({StringMap<Entry>(), place});
  llvm::scope_exit leave([&] { scopes_.pop_back(); });
  for (auto [input, argument] : zip_equal(graph.inputs, arguments))
    define(input.name, argument);
  for (const Tensor &tensor : graph.initializers) {
    Expected<Entry> entry = constantEntry(tensor);
    if (!entry)
      return prefixed(model_.path, entry.takeError());
    define(tensor.name, std::move(*entry));
  }
  for (const Node &node : graph.nodes)
    MPC_TRY(importNode(node));
  std::vector<Entry> results;
  for (const ValueInfo &output : graph.outputs) {
    Expected<const Entry *> entry = lookup(output.name);
    if (!entry)
      return prefixed(model_.path + ": graph '" + printable(graph.name) + "'",
                      entry.takeError());
    results.push_back(**entry);
  }
  return results;
}

/// Compares the file's declaration of a value with the value.
Error GraphImporter::checkDeclared(StringRef what, const ValueInfo &info,
                                   const Operand &operand) const {
  auto wrong = [&](const Twine &why) {
    return invalidModel(model_.path + ": " + what + " '" +
                        printable(info.name) + "' " + why);
  };
  if (info.type != ElemType::Undefined &&
      info.type != elementTypeOf(operand.type))
    return wrong("is declared " + toString(info.type) +
                 ", the graph computes " + toString(operand.type));
  if (!info.hasShape)
    return Error::success();
  bool agrees = info.shape.size() == operand.shape.size();
  for (size_t axis = 0; agrees && axis < info.shape.size(); ++axis) {
    const Dimension &dimension = info.shape[axis];
    std::optional<int64_t> size = dimension.size;
    auto symbol = symbols_.find(dimension.symbol);
    if (!size && symbol != symbols_.end())
      size = symbol->second;
    agrees = !size || *size == operand.shape[axis];
  }
  if (agrees)
    return Error::success();
  return wrong("is declared with shape [" + toString(info.shape) +
               "], the graph computes [" + shapeText(operand.shape) + "]");
}

Error GraphImporter::finish() {
  if (model_.graph.outputs.empty())
    return invalidModel(model_.path + ": the graph has no outputs");
  SmallVector<Value> values;
  SmallVector<Type> types;
  for (const ValueInfo &output : model_.graph.outputs) {
    Expected<const Entry *> entry = lookup(output.name);
    if (!entry || (*entry)->isSequence) {
      consumeError(entry.takeError());
      return invalidModel(model_.path + ": output '" + printable(output.name) +
                          "' is not a tensor that the graph computes");
    }
    MPC_TRY(checkDeclared("output", output, (*entry)->tensor));
    build_.setLocation(NameLoc::get(builder_.getStringAttr(output.name)));
    values.push_back((*entry)->tensor.value);
    types.push_back(values.back().getType());
  }
  func::ReturnOp::create(builder_, function_.getLoc(), values);
  function_.setFunctionType(
      builder_.getFunctionType(function_.getFunctionType().getInputs(), types));
  function_.setAllResultAttrs(
      namesOf(map_to_vector(model_.graph.outputs, [](const ValueInfo &output) {
        return StringRef(output.name);
      })));
  return Error::success();
}

void GraphImporter::declareParameters() {
  builder_.setInsertionPoint(function_);
  auto init = nn::InitAttr::get(&context_, "external", APFloat(0.0));
  for (auto [index, tensor] : enumerate(model_.graph.initializers)) {
    RoleKind kind = result_.initializers[index].kind;
    if (kind == RoleKind::Constant)
      continue;
    if (!readParameters_.contains(index)) {
      notes_.add("initializer '" + printable(tensor.name) + "'",
                 "reaches no output by its value: it is not a " +
                     toString(kind).str());
      continue;
    }
    nn::ParameterOp::create(
        builder_, NameLoc::get(builder_.getStringAttr(tensor.name)),
        builder_.getStringAttr(nn::symbolOf(tensor.name)),
        TypeAttr::get(build_.tensorType(elementType(&context_, tensor.type),
                                        tensor.shape)),
        init, kind == RoleKind::Buffer ? builder_.getUnitAttr() : UnitAttr());
    const InitializerRole &role = result_.initializers[index];
    result_.parameters.push_back(
        {{role.name, *dtypeOf(tensor.type), role.shape}, tensor.bytes});
  }
}

void GraphImporter::warnOfLosses() {
  std::vector<std::string> losses = findLosses(model_.graph, uses_);
  if (losses.empty())
    return;
  result_.losses =
      join(losses, ", ") +
      ": this file was exported for inference, with constant folding; what "
      "was folded cannot be trained as it was written. Export it with "
      "torch.onnx.export(..., dynamo=True, optimize=False)";
  result_.warnings.push_back(result_.losses);
}

/// Adds `found` to `warnings`, for the model in the file at `path`.
static void addWarnings(const std::vector<std::string> &found,
                        const std::string &path,
                        std::vector<std::string> &warnings) {
  for (const std::string &warning : found)
    warnings.push_back(path + ": " + warning);
}

static Expected<ImportedModel> importModel(Expected<Model> read,
                                           MLIRContext &context,
                                           const ModelOptions &options) {
  if (!read)
    return read.takeError();
  Model &model = *read;
  context.loadDialect<nn::NNDialect, func::FuncDialect>();
  MPC_TRY_ASSIGN(Recovered found, recoverPyTorch(model, options));
  Expected<ImportedModel> result = GraphImporter(model, context, options).run();
  if (result) {
    addWarnings(found.warnings, model.path, result->warnings);
    addWarnings(found.gradientWarnings, model.path, result->gradientWarnings);
    addWarnings(found.trainingWarnings, model.path, result->trainingWarnings);
    return result;
  }
  return handleErrors(
      result.takeError(), [&](const OpenDimension &info) -> Error {
        ScopedDiagnosticHandler silence(&context,
                                        [](Diagnostic &) { return success(); });
        auto imports = [&](const ModelOptions &proposed) {
          return !errorToBool(
              GraphImporter(model, context, proposed).run().takeError());
        };
        std::string flags = proposeFlags(model, options, imports);
        return invalidModel(info.message() + "; fix it, " +
                            (flags.empty()
                                 ? "with --input-shape or --batch-size"
                                 : "for example with " + flags));
      });
}

} // namespace mpc::onnx

namespace mpc {

Expected<ImportedModel> importOnnx(StringRef path, MLIRContext &context,
                                   const ModelOptions &options) {
  return onnx::importModel(onnx::readModel(path), context, options);
}

Expected<ImportedModel> importOnnx(std::unique_ptr<MemoryBuffer> buffer,
                                   StringRef name, MLIRContext &context,
                                   const ModelOptions &options,
                                   StringRef folder) {
  return onnx::importModel(onnx::readModel(std::move(buffer), name, folder),
                           context, options);
}

} // namespace mpc
