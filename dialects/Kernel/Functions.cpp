// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels, and the ops that run them: groups, launches, repeats.
#include "dialects/Kernel/KernelDialect.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mpc::kernel;

//===----------------------------------------------------------------------===//
// FuncOp
//===----------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   FunctionType type) {
  OpBuilder::InsertionGuard guard(builder);
  state.addAttribute(SymbolTable::getSymbolAttrName(),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  Region *region = state.addRegion();
  Block *block = builder.createBlock(region);
  for (Type input : type.getInputs())
    block->addArgument(input, state.location);
}

/// Parses the kind before the name, if there is one.
static ParseResult parseKind(OpAsmParser &parser, OperationState &result) {
  SmallVector<StringRef> words;
  for (uint32_t kind = 0; kind <= getMaxEnumValForKernelKind(); ++kind)
    words.push_back(stringifyKernelKind(static_cast<KernelKind>(kind)));
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word, words)))
    return success();
  result.addAttribute(
      FuncOp::getKindAttrName(result.name),
      KernelKindAttr::get(parser.getContext(), *symbolizeKernelKind(word)));
  return success();
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (failed(parseKind(parser, result)) ||
      failed(function_interface_impl::parseFunctionOp(
          parser, result, /*allowVariadic=*/false,
          getFunctionTypeAttrName(result.name), buildType,
          getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name))))
    return failure();
  // An attribute of the wrong type would be dropped in silence.
  return verifyInherentAttrs(result.name, result.attributes, [&]() {
    return parser.emitError(loc)
           << "'" << result.name.getStringRef() << "' op ";
  });
}

void FuncOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyKernelKind(getKind()) << ' ';
  if (std::optional<StringRef> visibility = getSymVisibility())
    printer << *visibility << ' ';
  printer.printSymbolName(getSymName());
  function_interface_impl::printFunctionSignature(
      printer, *this, getArgumentTypes(), /*isVariadic=*/false,
      getResultTypes());
  function_interface_impl::printFunctionAttributes(
      printer, *this,
      {getFunctionTypeAttrName(), getArgAttrsAttrName(), getResAttrsAttrName(),
       getKindAttrName(), getSymVisibilityAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ReturnOp FuncOp::getReturn() {
  return cast<ReturnOp>(getBody().front().getTerminator());
}

LogicalResult FuncOp::verify() {
  if (getNumArguments() < getNumResults())
    return emitOpError("has ")
           << getNumResults() << " results but only " << getNumArguments()
           << " arguments: each result needs a destination";
  for (auto [index, type] : llvm::enumerate(getResultTypes()))
    if (getDestination(index).getType() != type)
      return emitOpError("result #") << index << " has type " << type
                                     << " but its destination has type "
                                     << getDestination(index).getType();
  auto terminator = dyn_cast<ReturnOp>(getBody().front().getTerminator());
  if (!terminator)
    return emitOpError("must end in kernel.return");
  if (terminator.getOperandTypes() != getResultTypes())
    return terminator.emitOpError("returns other types than its kernel");
  return success();
}

//===----------------------------------------------------------------------===//
// GroupOp
//===----------------------------------------------------------------------===//

LogicalResult GroupOp::verifyRegions() {
  auto terminator = dyn_cast<ReturnOp>(getBody().front().getTerminator());
  if (!terminator)
    return emitOpError("must end in kernel.return");
  if (terminator.getOperandTypes() != getResultTypes())
    return terminator.emitOpError("returns other types than its group has");
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verify() {
  bool planned = llvm::any_of(getOperandTypes(), llvm::IsaPred<MemRefType>);
  if (planned && getNumResults() != 0)
    return emitOpError("on memrefs has no results");
  if (!planned && getOutputs().getTypes() != getResultTypes())
    return emitOpError("must yield one value of the same type a destination");
  return success();
}

//===----------------------------------------------------------------------===//
// RepeatOp
//===----------------------------------------------------------------------===//

void RepeatOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  // On tensors it is pure.
  for (OpOperand &out : getOutsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &out);
}

int64_t RepeatOp::getLastEntry(unsigned number) {
  int64_t turns = getTurns();
  auto type = cast<ShapedType>(getResult(number).getType());
  return type.getDimSize(0) < turns ? (turns - 1) % 2 : getEntry(turns - 1);
}

LogicalResult RepeatOp::verify() {
  if (static_cast<int64_t>(getTurns()) < 1)
    return emitOpError("runs ") << getTurns() << " times";
  bool isPlanned = !getOuts().empty();
  if (isPlanned && getNumResults() != 0)
    return emitOpError("on memrefs has no results");
  if (!isPlanned && getNumResults() < getNumCarried())
    return emitOpError("yields ")
           << getNumResults() << " results, but carries " << getNumCarried();
  return success();
}

/// Whether `stack` has `entries` entries of type `entry`.
static bool isStackOf(Type stack, int64_t entries, Type entry) {
  auto whole = cast<ShapedType>(stack), part = cast<ShapedType>(entry);
  return whole.getRank() == part.getRank() + 1 &&
         whole.getDimSize(0) == entries &&
         whole.getShape().drop_front() == part.getShape() &&
         whole.getElementType() == part.getElementType();
}

LogicalResult RepeatOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto body = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getBodyAttr());
  if (!body)
    return emitOpError("repeats '")
           << getBody() << "', which is not a function of this module";
  // Once the body is planned, it has memory in place of tensors.
  if (!getOuts().empty() || body.getNumResults() == 0)
    return success();
  auto numOperands =
      getInits().size() + getStacks().size() + getConstants().size();
  if (body.getNumArguments() != numOperands ||
      body.getNumResults() != getNumResults())
    return emitOpError("has ")
           << numOperands << " operands and " << getNumResults()
           << " results, but '" << getBody() << "' has "
           << body.getNumArguments() << " arguments and "
           << body.getNumResults() << " results";
  int64_t turns = getTurns();
  for (auto [index, stack] : llvm::enumerate(getStacks()))
    if (!isStackOf(stack.getType(), turns,
                   body.getArgumentTypes()[getNumCarried() + index]))
      return emitOpError("stack #")
             << index << " has no entry of '" << getBody() << "' for each turn";
  for (auto [index, type] : llvm::enumerate(getResultTypes())) {
    Type entry = body.getResultTypes()[index];
    bool isShort = index < getNumCarried() && isStackOf(type, 2, entry);
    if (!isShort && !isStackOf(type, turns, entry))
      return emitOpError("result #")
             << index << " has no entry of '" << getBody() << "' for each turn";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

/// The target fixes where a buffer begins. A planned buffer lies at a known
/// offset behind that.
static LogicalResult verifyAlignment(LaunchOp launch, FuncOp kernel,
                                     unsigned operand) {
  int64_t alignment = kernel.getAlignment(operand);
  auto view = launch->getOperand(operand).getDefiningOp<memref::ViewOp>();
  APInt offset;
  if (!view || !matchPattern(view.getByteShift(), m_ConstantInt(&offset)) ||
      offset.getSExtValue() % alignment == 0)
    return success();
  return launch.emitOpError("operand #")
         << operand << " is at byte " << offset.getSExtValue()
         << " of its memory, but kernel '" << launch.getKernel()
         << "' takes what is aligned to " << alignment << " bytes";
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getKernelAttr());
  // After emission, kernels are plain functions.
  if (!kernel) {
    if (symbols.lookupNearestSymbolFrom(*this, getKernelAttr()))
      return success();
    return emitOpError("launches '")
           << getKernel() << "', which is not a kernel of this module";
  }
  if (kernel.getNumArguments() != getNumOperands())
    return emitOpError("passes ")
           << getNumOperands() << " operands to kernel '" << getKernel()
           << "', which has " << kernel.getNumArguments() << " arguments";
  for (auto [index, pair] : llvm::enumerate(
           llvm::zip(getOperandTypes(), kernel.getArgumentTypes()))) {
    auto given = cast<ShapedType>(std::get<0>(pair));
    auto wanted = cast<ShapedType>(std::get<1>(pair));
    if (given.getShape() != wanted.getShape() ||
        given.getElementType() != wanted.getElementType())
      return emitOpError("operand #")
             << index << " is " << given << " but kernel '" << getKernel()
             << "' takes " << wanted;
    if (failed(verifyAlignment(*this, kernel, index)))
      return failure();
  }
  return success();
}
