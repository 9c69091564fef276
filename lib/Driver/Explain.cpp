// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the precision of each op from a function with its casts.
#include "lib/Driver/Explain.h"

#include "dialects/Interfaces/NodeNames.h"
#include "dialects/Interfaces/Precision.h"
#include "dialects/NN/Annotations.h"
#include "dialects/NN/EntryNames.h"
#include "dialects/NN/FunctionNames.h"
#include "dialects/NN/ParameterNames.h"
#include "dialects/NN/Random.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/NN/PrecisionRecord.h"
#include "runtime/Support/Output.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mpc;

std::string ExplainedOp::name() const {
  return node.empty() ? op : "'" + node + "' (" + op + ")";
}

template <typename Range, typename Number>
static int64_t total(const Range &range, Number number) {
  int64_t sum = 0;
  for (const auto &entry : range)
    sum += number(entry);
  return sum;
}

int64_t Explanation::castBytes() const {
  return total(casts, [](const ExplainedCast &cast) {
    return cast.isWeightCopy ? 0 : cast.bytesRead + cast.bytesWritten;
  });
}
int64_t Explanation::gradientBytes() const {
  return total(casts, [](const ExplainedCast &cast) {
    return cast.hasGradient ? cast.bytesRead + cast.bytesWritten : 0;
  });
}
int64_t Explanation::activationBytes() const {
  return total(ops, [](const ExplainedOp &op) { return op.bytes; }) +
         total(casts, [](const ExplainedCast &cast) {
           return cast.isWeightCopy ? 0 : cast.bytesWritten;
         });
}
int64_t Explanation::activationBytesInF32() const {
  return total(ops, [](const ExplainedOp &op) { return op.bytesInF32; });
}
int64_t Explanation::weightCopyBytes() const {
  return total(casts, [](const ExplainedCast &cast) {
    return cast.isWeightCopy ? cast.bytesWritten : 0;
  });
}

int64_t Explanation::drawnBytes() const {
  return total(ops, [](const ExplainedOp &op) { return op.drawnBytes; });
}
int64_t Explanation::carryingOps() const {
  return llvm::count_if(ops,
                        [](const ExplainedOp &op) { return op.carriesNumber; });
}
int64_t Explanation::carryingBytes() const {
  return total(ops, [](const ExplainedOp &op) {
    return op.carriesNumber ? op.bytes : 0;
  });
}

std::vector<std::string> Explanation::warnings() const {
  std::vector<std::string> lines;
  for (const ExplainedOp &op : ops)
    if (!op.hider.empty())
      lines.push_back(op.name() + " may be infinite in " + op.type +
                      " where it is finite in f32, and " + op.hider +
                      " would hide that: the column hidden_inf of --metrics "
                      "counts it, and the policy mpc computes it in f32");
  return lines;
}

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << getElementTypeOrSelf(type);
  return name;
}

static int64_t bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return llvm::divideCeil(
      tensor.getNumElements() * tensor.getElementTypeBitWidth(), 8);
}

static bool isNarrow(Type type) {
  return isLowPrecision(getElementTypeOrSelf(type));
}

static std::string describe(Operation *op) {
  ExplainedOp named;
  named.node = getNodeName(op->getLoc()).str();
  named.op = op->getName().stripDialect().str();
  return named.name();
}

static std::string describe(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    StringAttr name = nn::getArgumentName(argument);
    return name ? "input '" + name.str() + "'" : "an input";
  }
  if (auto get = value.getDefiningOp<nn::GetOp>())
    return "parameter '" + nn::nameOf(get.getParameter()) + "'";
  return describe(value.getDefiningOp());
}

/// The type in which the op computes: the type of its floating values, else of
/// any value.
static std::string typeOf(Operation *op) {
  Type found;
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getResultTypes()),
                                llvm::to_vector(op->getOperandTypes()))) {
    if (isa<FloatType>(getElementTypeOrSelf(type)))
      return typeName(type);
    if (!found)
      found = type;
  }
  return found ? typeName(found) : "";
}

static bool carriesNumber(PrecisionOpInterface op) {
  return op.carriesNumbers() &&
         llvm::any_of(op->getOperands(),
                      [&](Value value) { return op.hasOwnType(value); });
}

static ExplainedOp explainOp(PrecisionOpInterface op) {
  ExplainedOp result;
  result.node = getNodeName(op->getLoc()).str();
  result.scope = getNodeScope(op->getLoc()).str();
  result.op = op->getName().stripDialect().str();
  result.type = typeOf(op);
  result.carriesNumber = carriesNumber(op);
  for (Type type : op->getResultTypes()) {
    int64_t bytes = bytesOf(type);
    result.bytes += bytes;
    result.bytesInF32 += isNarrow(type) ? 2 * bytes : bytes;
  }
  // An op with a gradient draws its numbers again for the backward pass.
  if (auto random = dyn_cast<nn::RandomInterface>(op.getOperation());
      random && isa<VJPOpInterface>(op.getOperation()) &&
      !random.getRandomKeyMutable().empty())
    result.drawnBytes = random.getDrawnBytes();
  if (auto hider = op->getAttrOfType<StringAttr>(nn::kHiddenInfinity);
      hider && result.type == "f16")
    result.hider = hider.getValue().str();
  std::optional<nn::PrecisionRecord> record = nn::getPrecisionRecord(op);
  if (!record) {
    result.rule = "as-written";
    result.source = "none";
    result.why = "autocast did not look at it";
    return result;
  }
  result.rule = record->rule.str();
  result.source = record->source.str();
  result.why = record->why.str();
  if (!record->type.empty() && record->type != result.type) {
    result.why = result.type + " moves fewer bytes with the casts around it; " +
                 "autocast chose " + record->type.str() + " (" + result.source +
                 ": " + result.why + ")";
    result.source = "nn-simplify-casts";
  }
  return result;
}

static ExplainedCast explainCast(nn::CastOp op, bool trains, bool hasGradient) {
  ExplainedCast result;
  Value input = op.getInput();
  result.value = describe(input);
  result.from = typeName(input.getType());
  result.to = typeName(op.getOutput().getType());
  result.elements = cast<RankedTensorType>(input.getType()).getNumElements();
  result.bytesRead = bytesOf(input.getType());
  result.bytesWritten = bytesOf(op.getOutput().getType());
  result.isWeightCopy = trains && input.getDefiningOp<nn::GetOp>() &&
                        isNarrow(op.getOutput().getType());
  result.hasGradient = hasGradient && !result.isWeightCopy;
  llvm::SetVector<Operation *> unique(op->user_begin(), op->user_end());
  SmallVector<Operation *> readers = unique.takeVector();
  llvm::sort(readers,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *reader : readers)
    result.readers.push_back(reader->hasTrait<OpTrait::IsTerminator>()
                                 ? "the result"
                                 : describe(reader));
  return result;
}

/// Whether `cast` casts one number. Its readers hold the number, so that
/// nothing is moved.
static bool isOfNumber(nn::CastOp cast) {
  SplatElementsAttr number;
  return matchPattern(cast.getInput(), m_Constant(&number));
}

/// The explained function: @loss, else @model, else the function that a step of
/// the module's own differentiates.
static func::FuncOp explainedFunction(ModuleOp module) {
  for (StringRef name : {nn::kLossFunction, nn::kModelFunction})
    if (auto function = module.lookupSymbol<func::FuncOp>(name))
      return function;
  func::FuncOp found;
  module.walk([&](nn::VJPOp vjp) {
    if (!found)
      found = module.lookupSymbol<func::FuncOp>(vjp.getCallee());
  });
  return found;
}

Explanation mpc::explainPrecision(ModuleOp module, bool trains) {
  Explanation result;
  func::FuncOp function = explainedFunction(module);
  if (!function)
    return result;
  result.function = function.getSymName().str();
  // The values that depend on a parameter, which therefore have a gradient.
  llvm::DenseSet<Value> depends;
  function.walk([&](Operation *op) {
    if (isa<nn::GetOp>(op) || llvm::any_of(op->getOperands(), [&](Value value) {
          return depends.contains(value);
        }))
      depends.insert(op->result_begin(), op->result_end());
    if (auto cast = dyn_cast<nn::CastOp>(op)) {
      if (!isOfNumber(cast))
        result.casts.push_back(
            explainCast(cast, trains, trains && depends.contains(cast)));
    } else if (auto precise = dyn_cast<PrecisionOpInterface>(op))
      result.ops.push_back(explainOp(precise));
  });
  return result;
}

rt::Status mpc::writeExplanation(const Explanation &explanation,
                                 const std::string &file) {
  llvm::StringRef name = file;
  std::string text = name.ends_with(".html")   ? toHtml(explanation)
                     : name.ends_with(".json") ? toJson(explanation)
                                               : toText(explanation);
  return rt::writeOutput(file, text);
}
