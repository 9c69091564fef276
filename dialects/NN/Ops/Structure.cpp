// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters, constants, regions and vjp.
#include "dialects/Interfaces/Precision.h"
#include "dialects/NN/BodyBuilder.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mpc::nn;

//===----------------------------------------------------------------------===//
// InitAttr
//===----------------------------------------------------------------------===//

static bool takesArgument(StringRef kind) {
  return kind == "uniform" || kind == "normal";
}

Attribute InitAttr::parse(AsmParser &parser, Type) {
  StringRef kind;
  double argument = 0.0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&kind))
    return {};
  if (takesArgument(kind) && parser.parseFloat(argument))
    return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    kind, APFloat(argument));
}

void InitAttr::print(AsmPrinter &printer) const {
  printer << "<" << getKind();
  if (takesArgument(getKind())) {
    printer << " ";
    printer.printFloat(getArgument());
  }
  printer << ">";
}

LogicalResult InitAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef kind, APFloat argument) {
  if (!takesArgument(kind) && kind != "zeros" && kind != "ones" &&
      kind != "external")
    return emitError() << "unknown initializer '" << kind
                       << "'; known are zeros, ones, uniform, normal, external";
  if (!argument.isFinite() || argument.isNegative())
    return emitError() << "initializer '" << kind
                       << "' needs a finite, non-negative argument";
  return success();
}

//===----------------------------------------------------------------------===//
// RangeAttr
//===----------------------------------------------------------------------===//

LogicalResult RangeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t /*low*/, int64_t /*high*/,
                                std::optional<int64_t> /*except*/,
                                ArrayRef<int64_t> skipFirst,
                                ArrayRef<int64_t> skipLast) {
  if (skipFirst.size() != skipLast.size())
    return emitError() << "the first elements that are unread are given for "
                       << skipFirst.size() << " axes, and the last for "
                       << skipLast.size();
  auto isNegative = [](int64_t count) { return count < 0; };
  if (any_of(skipFirst, isNegative) || any_of(skipLast, isNegative))
    return emitError() << "a number of unread elements is negative";
  return success();
}

//===----------------------------------------------------------------------===//
// ParameterOp
//===----------------------------------------------------------------------===//

LogicalResult ParameterOp::verify() {
  if (getFrozen() || isa<FloatType>(getElementTypeOrSelf(getType())))
    return success();
  return emitOpError("is ")
         << getType() << ", which no gradient trains; mark it frozen";
}

//===----------------------------------------------------------------------===//
// GetOp
//===----------------------------------------------------------------------===//

LogicalResult GetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto parameter =
      symbols.lookupNearestSymbolFrom<ParameterOp>(*this, getParameterAttr());
  if (!parameter)
    return emitOpError("reads '")
           << getParameter() << "', which is not a parameter of this module";
  if (parameter.getType() != getOutput().getType())
    return emitOpError("yields ")
           << getOutput().getType() << " but parameter '" << getParameter()
           << "' is " << parameter.getType();
  return success();
}

LogicalResult GetOp::buildVJP(OpBuilder &, ArrayRef<Value>,
                              MutableArrayRef<Value>) {
  return success();
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::buildVJP(OpBuilder &, ArrayRef<Value>,
                                   MutableArrayRef<Value>) {
  return success();
}

FailureOr<SmallVector<Value>> ConstantOp::buildBody(OpBuilder &builder,
                                                    ValueRange) {
  Location loc = getLoc();
  auto type = getKernelType(cast<RankedTensorType>(getOutput().getType()));
  auto dense = dyn_cast<DenseElementsAttr>(getValue());
  if (!dense)
    return SmallVector<Value>{
        arith::ConstantOp::create(builder, loc, cast<TypedAttr>(getValue()))};
  dense = dense.bitcast(type.getElementType());
  if (!dense.isSplat())
    return SmallVector<Value>{arith::ConstantOp::create(builder, loc, dense)};
  // The body is a map without inputs and not a fill, because it fuses like any
  // other map.
  return SmallVector<Value>{
      buildMap(builder, loc, type, {},
               [&](OpBuilder &b, Location l, ValueRange) -> Value {
                 return arith::ConstantOp::create(
                     b, l, cast<TypedAttr>(dense.getSplatValue<Attribute>()));
               })};
}

//===----------------------------------------------------------------------===//
// AutocastOp
//===----------------------------------------------------------------------===//

ParseResult AutocastOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  bool enabled = succeeded(parser.parseOptionalKeyword("enabled"));
  if (!enabled && parser.parseKeyword("disabled"))
    return failure();
  result.addAttribute("enabled", builder.getBoolAttr(enabled));
  Type dtype;
  if (succeeded(parser.parseOptionalKeyword("dtype"))) {
    if (parser.parseLParen() || parser.parseType(dtype) || parser.parseRParen())
      return failure();
    result.addAttribute("dtype", TypeAttr::get(dtype));
  }
  if (parser.parseOptionalArrowTypeList(result.types) ||
      parser.parseRegion(*result.addRegion(), {}) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*result.regions.front(), builder, result.location);
  return success();
}

void AutocastOp::print(OpAsmPrinter &printer) {
  printer << (getEnabled() ? " enabled" : " disabled");
  if (getDtype())
    printer << " dtype(" << *getDtype() << ")";
  printer.printOptionalArrowTypeList(getResultTypes());
  printer << " ";
  printer.printRegion(getBody());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"enabled", "dtype"});
}

LogicalResult AutocastOp::verify() {
  if (getDtype() && !mpc::isLowPrecision(*getDtype()))
    return emitOpError("dtype must be f16 or bf16, not ") << *getDtype();
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  if (yield.getOperandTypes() != getResultTypes())
    return emitOpError("yields other types than its results");
  return success();
}

//===----------------------------------------------------------------------===//
// VJPOp
//===----------------------------------------------------------------------===//

LogicalResult VJPOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getCalleeAttr());
  if (!callee)
    return emitOpError("differentiates '")
           << getCallee() << "', which is not a function of this module";
  if (getInputs().getTypes() != callee.getArgumentTypes())
    return emitOpError("passes other types than '") << getCallee() << "' takes";
  SmallVector<Type> expected(callee.getResultTypes());
  SmallVector<Type> seeds;
  for (Type type : callee.getResultTypes())
    if (isa<FloatType>(cast<ShapedType>(type).getElementType()))
      seeds.push_back(type);
  if (getSeeds().getTypes() != TypeRange(seeds))
    return emitOpError("needs one seed for each floating result of '")
           << getCallee() << "', in its type";
  for (auto symbol : getWrt().getAsRange<FlatSymbolRefAttr>()) {
    auto parameter =
        symbols.lookupNearestSymbolFrom<ParameterOp>(*this, symbol);
    if (!parameter)
      return emitOpError("differentiates with respect to '")
             << symbol.getValue() << "', which is not a parameter";
    expected.push_back(parameter.getType());
  }
  for (int64_t index : getArgs()) {
    if (index < 0 || index >= static_cast<int64_t>(getInputs().size()))
      return emitOpError("has no argument #") << index;
    expected.push_back(getInputs()[index].getType());
  }
  if (getResultTypes() != TypeRange(expected))
    return emitOpError("must yield the function's results, then the gradients");
  return success();
}

//===----------------------------------------------------------------------===//
// VariableOp
//===----------------------------------------------------------------------===//

LogicalResult VariableOp::buildVJP(OpBuilder &, ArrayRef<Value> cotangents,
                                   MutableArrayRef<Value> operandCotangents) {
  operandCotangents[0] = cotangents[0];
  return success();
}

//===----------------------------------------------------------------------===//
// GradOp
//===----------------------------------------------------------------------===//

LogicalResult GradOp::verify() {
  if (getSeeds().getTypes() != getValues().getTypes())
    return emitOpError("needs one seed for each value, in its type");
  if (getResultTypes() != getWrt().getTypes())
    return emitOpError("must yield one gradient for each value of 'wrt', in "
                       "its type");
  for (Value variable : getWrt())
    if (!variable.getDefiningOp<VariableOp>())
      return emitOpError("takes a gradient with respect to a value that is no "
                         "nn.variable");
  return success();
}
