// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the attributes of functions in an op library.
#include "lib/Import/OpLibrary.h"

#include "dialects/NN/Annotations.h"
#include "dialects/NN/NNDialect.h"
#include "dialects/NN/RegionRule.h"
#include "lib/Import/ImportError.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using mlir::func::FuncOp;

namespace mpc {

/// The value of `nn.rule` that leaves each op of the body its own rule.
static constexpr StringLiteral kOwnRules = "own";

StringRef LibraryFunction::attributeOf(unsigned index) const {
  auto name = FuncOp(function).getArgAttrOfType<mlir::StringAttr>(
      index, nn::kLibraryAttribute);
  return name ? name.getValue() : StringRef();
}

std::string LibraryFunction::describe() const {
  std::string text;
  raw_string_ostream os(text);
  FuncOp op = function;
  os << path << ": @" << op.getName() << " takes (";
  interleaveComma(op.getArgumentTypes().take_front(numInputs), os);
  os << ")";
  return text;
}

static Error fail(StringRef path, FuncOp function, const Twine &message) {
  return invalidModel(path + ": @" + function.getName() + ": " + message);
}

/// "domain::Type".
static Expected<std::pair<StringRef, StringRef>> readOp(StringRef path,
                                                        FuncOp function) {
  auto op = function->getAttrOfType<mlir::StringAttr>(nn::kLibraryOp);
  if (!op)
    return fail(path, function,
                "has no nn.op = \"domain::Type\", which says what it defines");
  auto [domain, type] = op.getValue().rsplit("::");
  if (type.empty() || domain.empty() || domain == "ai.onnx")
    return fail(path, function,
                "nn.op = \"" + printable(op.getValue()) +
                    "\" is not an op of a custom domain: expected "
                    "\"domain::Type\"");
  return std::pair(domain, type);
}

static Error readRule(LibraryFunction &entry) {
  auto rule = entry.function->getAttrOfType<mlir::StringAttr>(nn::kRegionRule);
  if (rule && rule.getValue() == kOwnRules)
    return Error::success();
  if (rule)
    entry.rule = nn::precisionRuleOf(rule.getValue());
  if (entry.rule)
    return Error::success();
  return fail(entry.path, entry.function,
              (rule ? "nn.rule = \"" + printable(rule.getValue()) +
                          "\" is not a precision rule"
                    : std::string("has no nn.rule")) +
                  "; autocast must know it: lower, keep-f32, promote, infer, "
                  "clear, or own for those of the body's ops");
}

/// Tensors come first, and attributes after them.
static Error readArguments(LibraryFunction &entry) {
  unsigned count = entry.function.getNumArguments();
  while (entry.numInputs < count && entry.attributeOf(entry.numInputs).empty())
    ++entry.numInputs;
  for (unsigned index = entry.numInputs; index < count; ++index)
    if (entry.attributeOf(index).empty())
      return fail(entry.path, entry.function,
                  "argument " + Twine(index) +
                      " is a tensor behind an argument with nn.attribute");
  for (mlir::Type type : entry.function.getFunctionType().getInputs())
    if (!isa<mlir::RankedTensorType>(type))
      return fail(entry.path, entry.function,
                  "takes an argument that is not a tensor");
  return Error::success();
}

/// The body becomes a part of models, so that its ops must be pure and
/// differentiable.
static Error checkBody(const LibraryFunction &entry) {
  FuncOp function = entry.function;
  if (!function.getBody().hasOneBlock())
    return fail(entry.path, function, "has no body of one block");
  for (mlir::Operation &op : function.getBody().front().without_terminator())
    if (!isa<nn::NNDialect>(op.getDialect()) || isa<nn::VJPOp>(op) ||
        isa<nn::GetOp>(op))
      return fail(entry.path, function,
                  "uses '" + op.getName().getStringRef() +
                      "': a body is of nn ops, and reads its operands alone");
  return Error::success();
}

Error OpLibrary::add(mlir::OwningOpRef<mlir::ModuleOp> module, StringRef path) {
  for (auto function : module->getOps<FuncOp>()) {
    auto op = readOp(path, function);
    if (!op)
      return op.takeError();
    LibraryFunction entry{function, path.str(), std::nullopt, 0};
    MPC_TRY(readRule(entry));
    MPC_TRY(readArguments(entry));
    MPC_TRY(checkBody(entry));
    functions_[{op->first.str(), op->second.str()}].push_back(entry);
  }
  modules_.push_back(std::move(module));
  return Error::success();
}

ArrayRef<LibraryFunction> OpLibrary::functionsOf(StringRef domain,
                                                 StringRef opType) const {
  auto found = functions_.find({domain.str(), opType.str()});
  return found == functions_.end() ? ArrayRef<LibraryFunction>()
                                   : ArrayRef(found->second);
}

std::string OpLibrary::opsOf(StringRef domain) const {
  std::string text;
  for (const auto &[key, functions] : functions_)
    if (key.first == domain)
      text += (text.empty() ? "" : ", ") + key.second;
  return text;
}

} // namespace mpc
