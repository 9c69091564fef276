// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds a module op by op. The dialects know their ops, so that there is no
// list of ops here.
#include "dialects/NN/FunctionNames.h"
#include "lib/CAPI/Model.h"
#include "lib/Driver/Diagnostics.h"
#include "lib/Driver/Dialects.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cstddef>
#include <memory>

using namespace mlir;
using namespace mpc;
using namespace mpc::capi;
using rt::needs;

static constexpr llvm::StringLiteral kName = "nn.name";

capi::Builder::Builder(const std::string &name) {
  DialectRegistry registry;
  registerDialects(registry);
  context_.appendDialectRegistry(registry);
  context_.loadAllAvailableDialects();
  module_ = ModuleOp::create(NameLoc::get(StringAttr::get(&context_, name)));
}

MpcValue capi::Builder::keep(Value value) {
  values_.push_back(value);
  return first_ + static_cast<MpcValue>(values_.size() - 1);
}

rt::Result<Value> capi::Builder::valueOf(MpcValue value) const {
  if (function_ && value >= first_ && value - first_ < values_.size())
    return values_[value - first_];
  return rt::usageError("value " + std::to_string(value) +
                        " is not one of the function that is being built");
}

rt::Result<Type> capi::Builder::parseType(const char *text) {
  MPC_RETURN_IF_ERROR(needs("a type", text));
  DiagnosticCollector diagnostics(&context_);
  if (Type type = mlir::parseType(text, &context_))
    return type;
  return rt::invalidInput(rt::quote(text) +
                          " is not a type: " + diagnostics.errors());
}

rt::Result<std::string> capi::Builder::typeOf(MpcValue value) const {
  MPC_ASSIGN_OR_RETURN(Value known, valueOf(value));
  std::string text;
  llvm::raw_string_ostream(text) << known.getType();
  return text;
}

rt::Status capi::Builder::beginFunction(const std::string &name,
                                        ArrayRef<const char *> names,
                                        ArrayRef<const char *> types,
                                        MpcValue *arguments) {
  if (function_)
    return rt::usageError("function '" + function_.getName().str() +
                          "' is not ended");
  if (module_->lookupSymbol(name))
    return rt::usageError("there is a " + rt::quote(name) + " already");
  SmallVector<Type> inputs;
  for (const char *text : types) {
    MPC_ASSIGN_OR_RETURN(Type type, parseType(text));
    inputs.push_back(type);
  }
  OpBuilder b = OpBuilder::atBlockEnd(module_->getBody());
  function_ = func::FuncOp::create(b, b.getUnknownLoc(), name,
                                   b.getFunctionType(inputs, {}));
  // Other functions are for entries to call and to differentiate.
  if (name != nn::kModelFunction && rt::entryRole(name) == rt::EntryRole::Other)
    function_.setPrivate();
  Block *body = function_.addEntryBlock();
  first_ += static_cast<MpcValue>(values_.size());
  values_.clear();
  for (auto [i, argument] : llvm::enumerate(body->getArguments())) {
    function_.setArgAttr(i, kName, b.getStringAttr(names[i]));
    arguments[i] = keep(argument);
  }
  return {};
}

rt::Status capi::Builder::takeAttributes(const char *text,
                                         OperationState &state) {
  if (!text)
    return {};
  DiagnosticCollector diagnostics(&context_);
  auto attributes =
      dyn_cast_or_null<DictionaryAttr>(parseAttribute(text, &context_));
  if (!attributes)
    return rt::invalidInput(rt::quote(text) +
                            " are not attributes: " + diagnostics.errors());
  state.attributes = attributes;
  return {};
}

/// The properties of an op that does not exist yet, from its attributes.
class Properties {
public:
  Properties(RegisteredOperationName name)
      : name_(name), memory_(new std::max_align_t[units()]) {
    name_.initOpProperties(get(), OpaqueProperties(nullptr));
  }
  ~Properties() { name_.destroyOpProperties(get()); }
  Properties(const Properties &) = delete;
  Properties &operator=(const Properties &) = delete;

  OpaqueProperties get() { return OpaqueProperties(memory_.get()); }
  LogicalResult set(DictionaryAttr attributes, Location place) {
    auto emit = [&] { return emitError(place); };
    return name_.setOpPropertiesFromAttribute(name_, get(), attributes, emit);
  }

private:
  size_t units() const {
    return static_cast<size_t>(name_.getOpPropertyByteSize()) /
               sizeof(std::max_align_t) +
           1;
  }

  RegisteredOperationName name_;
  std::unique_ptr<std::max_align_t[]> memory_;
};

/// The types of the results, by the op's own rule.
static LogicalResult inferTypes(RegisteredOperationName name,
                                InferTypeOpInterface::Concept &rule,
                                OperationState &state) {
  MLIRContext *context = state.getContext();
  DictionaryAttr attributes = state.attributes.getDictionary(context);
  auto infer = [&](OpaqueProperties properties) {
    return rule.inferReturnTypes(context, state.location, state.operands,
                                 attributes, properties, state.regions,
                                 state.types);
  };
  if (name.getOpPropertyByteSize() == 0)
    return infer(OpaqueProperties(nullptr));
  Properties properties(name);
  if (failed(properties.set(attributes, state.location)))
    return failure();
  return infer(properties.get());
}

rt::Status capi::Builder::addTypes(const MpcOp &op, OperationState &state) {
  for (size_t i = 0; i < op.numResultTypes; ++i) {
    MPC_ASSIGN_OR_RETURN(Type type, parseType(op.resultTypes[i]));
    state.types.push_back(type);
  }
  if (op.numResultTypes > 0)
    return {};
  RegisteredOperationName name = *state.name.getRegisteredInfo();
  auto *rule = name.getInterface<InferTypeOpInterface>();
  if (!rule)
    return {}; // The op has no results, or the verifier reports their types.
  DiagnosticCollector diagnostics(&context_);
  if (succeeded(inferTypes(name, *rule, state)))
    return {};
  return rt::invalidInput(std::string(op.name) + ": " +
                          (diagnostics.errors().empty()
                               ? "the operands do not fit together"
                               : diagnostics.errors()));
}

rt::Result<std::vector<MpcValue>> capi::Builder::addOp(const MpcOp &op) {
  MPC_RETURN_IF_ERROR(needs("op.name", op.name));
  Location place = UnknownLoc::get(&context_);
  if (op.node)
    place = NameLoc::get(StringAttr::get(&context_, op.node));
  OperationState state(place, op.name);
  if (!state.name.isRegistered())
    return rt::usageError(rt::quote(op.name) + " is not an op of mpc");
  for (size_t i = 0; i < op.numOperands; ++i) {
    MPC_ASSIGN_OR_RETURN(Value operand, valueOf(op.operands[i]));
    state.operands.push_back(operand);
  }
  MPC_RETURN_IF_ERROR(takeAttributes(op.attributes, state));
  MPC_RETURN_IF_ERROR(addTypes(op, state));
  DiagnosticCollector diagnostics(&context_);
  Operation *made = Operation::create(state);
  Block *block = function_ ? &function_.getBody().back() : module_->getBody();
  block->push_back(made);
  if (failed(verify(made))) {
    made->erase();
    return diagnostics.status(op.name);
  }
  std::vector<MpcValue> results;
  for (Value result : made->getResults())
    results.push_back(keep(result));
  return results;
}

rt::Status capi::Builder::endFunction(ArrayRef<MpcValue> results,
                                      ArrayRef<const char *> names) {
  if (!function_)
    return rt::usageError("no function is being built");
  SmallVector<Value> values;
  for (MpcValue result : results) {
    MPC_ASSIGN_OR_RETURN(Value value, valueOf(result));
    values.push_back(value);
  }
  OpBuilder b = OpBuilder::atBlockEnd(&function_.getBody().back());
  func::ReturnOp::create(b, b.getUnknownLoc(), values);
  function_.setType(
      b.getFunctionType(function_.getArgumentTypes(),
                        llvm::to_vector(ValueRange(values).getTypes())));
  for (size_t i = 0; i < names.size(); ++i)
    function_.setResultAttr(i, kName, b.getStringAttr(names[i]));
  function_ = nullptr;
  return {};
}

rt::Result<std::string> capi::Builder::text() {
  if (function_)
    return rt::usageError("function '" + function_.getName().str() +
                          "' is not ended");
  DiagnosticCollector diagnostics(&context_);
  if (failed(verify(*module_)))
    return diagnostics.status("the model");
  std::string text;
  llvm::raw_string_ostream stream(text);
  module_->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

//===----------------------------------------------------------------------===//
// Functions of the C ABI
//===----------------------------------------------------------------------===//

/// Checks that an array with a length other than 0 is not null, and neither is
/// any of its elements.
static rt::Status needsAll(const char *what, size_t size,
                           const char *const *texts) {
  if (size != 0)
    MPC_RETURN_IF_ERROR(needs(what, static_cast<const void *>(texts)));
  for (size_t i = 0; i < size; ++i)
    MPC_RETURN_IF_ERROR(needs(what, texts[i]));
  return {};
}

static rt::Status needsArray(const char *what, size_t size, const void *array) {
  return size == 0 ? rt::Status() : needs(what, array);
}

MpcError *mpcModelBeginFunction(MpcModel *model, const char *name,
                                size_t numArguments, const char *const *names,
                                const char *const *types, MpcValue *arguments) {
  return onModel(model, [&](Model &known) -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("name", name));
    MPC_RETURN_IF_ERROR(needsAll("names", numArguments, names));
    MPC_RETURN_IF_ERROR(needsAll("types", numArguments, types));
    MPC_RETURN_IF_ERROR(needsArray("arguments", numArguments, arguments));
    MPC_ASSIGN_OR_RETURN(capi::Builder * builder, known.builder());
    return builder->beginFunction(name, {names, numArguments},
                                  {types, numArguments}, arguments);
  });
}

MpcError *mpcModelAddOp(MpcModel *model, const MpcOp *op, MpcValue *results,
                        size_t maxResults, size_t *numResults) {
  return onModel(model, [&](Model &known) -> rt::Status {
    MpcOp taken = {};
    MPC_RETURN_IF_ERROR(rt::takeStruct("op", op, &taken, sizeof taken));
    MPC_RETURN_IF_ERROR(
        needsArray("operands", taken.numOperands, taken.operands));
    MPC_RETURN_IF_ERROR(
        needsAll("resultTypes", taken.numResultTypes, taken.resultTypes));
    MPC_RETURN_IF_ERROR(needsArray("results", maxResults, results));
    MPC_ASSIGN_OR_RETURN(capi::Builder * builder, known.builder());
    MPC_ASSIGN_OR_RETURN(std::vector<MpcValue> made, builder->addOp(taken));
    std::copy_n(made.begin(), std::min(made.size(), maxResults), results);
    if (numResults)
      *numResults = made.size();
    return {};
  });
}

MpcError *mpcModelGetType(MpcModel *model, MpcValue value, const char **type) {
  return onModel(model, [&](Model &known) -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("type", type));
    MPC_ASSIGN_OR_RETURN(capi::Builder * builder, known.builder());
    MPC_ASSIGN_OR_RETURN(std::string text, builder->typeOf(value));
    *type = known.keepText(std::move(text));
    return {};
  });
}

MpcError *mpcModelEndFunction(MpcModel *model, size_t numResults,
                              const MpcValue *results,
                              const char *const *names) {
  return onModel(model, [&](Model &known) -> rt::Status {
    MPC_RETURN_IF_ERROR(needsArray("results", numResults, results));
    MPC_RETURN_IF_ERROR(needsAll("names", numResults, names));
    MPC_ASSIGN_OR_RETURN(capi::Builder * builder, known.builder());
    return builder->endFunction({results, numResults}, {names, numResults});
  });
}
