// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel dialect: verifiers, folds and assembly.
#include "dialects/Kernel/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc::kernel;

#include "dialects/Kernel/KernelDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/KernelAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.cpp.inc"

void KernelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Kernel/KernelAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Kernel/KernelOps.cpp.inc"
      >();
}

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

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
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

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getKernelAttr());
  // Once kernels are emitted they are plain functions.
  if (!kernel) {
    if (symbols.lookupNearestSymbolFrom(*this, getKernelAttr()))
      return success();
    return emitOpError("launches '")
           << getKernel() << "', which is no kernel of this module";
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
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ViewOp, PackOp, ScatterOp
//===----------------------------------------------------------------------===//

LogicalResult ViewOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (source.getElementType() != result.getElementType())
    return emitOpError("cannot change the element type");
  int64_t offset = getOffset();
  if (offset < 0 || offset + result.getNumElements() > source.getNumElements())
    return emitOpError("elements ")
           << offset << " to " << offset + result.getNumElements()
           << " lie outside of the source's " << source.getNumElements();
  return success();
}

OpFoldResult ViewOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ViewOp>()) {
    setOffset(inner.getOffset() + getOffset());
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

LogicalResult PackOp::verify() {
  if (getParts().size() != getOffsets().size())
    return emitOpError("has ") << getParts().size() << " parts but "
                               << getOffsets().size() << " offsets";
  auto result = cast<RankedTensorType>(getResult().getType());
  int64_t end = 0;
  for (auto [part, offset] : llvm::zip(getParts(), getOffsets())) {
    auto type = cast<RankedTensorType>(part.getType());
    if (type.getElementType() != result.getElementType())
      return emitOpError("parts and result must have one element type");
    if (offset < end)
      return emitOpError("parts overlap or are out of order");
    end = offset + type.getNumElements();
  }
  if (end > result.getNumElements())
    return emitOpError("parts reach beyond the result");
  return success();
}

LogicalResult ScatterOp::verify() {
  auto updates = cast<RankedTensorType>(getUpdates().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  auto init = cast<RankedTensorType>(getInit().getType());
  if (updates.getRank() != 3 || init.getRank() != 3)
    return emitOpError("updates and init must be [outer, index, inner]");
  if (!isa<IntegerType>(indices.getElementType()))
    return emitOpError("indices must be integers");
  bool shared = indices.getRank() == 1;
  if (!shared && (indices.getRank() != 2 ||
                  indices.getDimSize(0) != updates.getDimSize(0)))
    return emitOpError("indices must be [outer, index] or [index]");
  if (indices.getShape().back() != updates.getDimSize(1) ||
      init.getDimSize(0) != updates.getDimSize(0) ||
      init.getDimSize(2) != updates.getDimSize(2))
    return emitOpError("updates, indices and init disagree in shape");
  return success();
}
