// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the amp dialect.
#include "dialects/AMP/AMPDialect.h"

#include "dialects/AMP/RandomState.h"
#include "dialects/AMP/Recipe.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/NNDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc::amp;

template <>
struct mlir::FieldParser<mpc::rt::StateRole> {
  static FailureOr<mpc::rt::StateRole> parse(AsmParser &parser) {
    SMLoc place = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    if (std::optional role = mpc::rt::findStateRole(word))
      return *role;
    return parser.emitError(place)
           << "unknown role '" << word << "', expected one of: "
           << llvm::join(mpc::rt::kStateRoleNames, ", ");
  }
};

#include "dialects/AMP/AMPDialect.cpp.inc"
#include "dialects/AMP/AMPEntryKind.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/AMP/AMPAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/AMP/AMPTypes.cpp.inc"

#include "dialects/AMP/AMPInterfaces.cpp.inc"

/// Parses the type of a transform: the type of one tensor, which is written
/// out, or the type of all gradients of an optimizer.
static ParseResult parseMapTypes(OpAsmParser &parser, Type &input,
                                 Type &output) {
  if (parser.parseType(input))
    return failure();
  output = input;
  if (isa<GradientsType>(input))
    return success();
  return failure(parser.parseArrow() || parser.parseType(output));
}

static void printMapTypes(OpAsmPrinter &printer, Operation *, Type input,
                          Type output) {
  printer << input;
  if (!isa<GradientsType>(input))
    printer << " -> " << output;
}

/// The type of a learning rate is written only where it is not f32.
static ParseResult parseLrType(OpAsmParser &parser, Type &type) {
  if (succeeded(parser.parseOptionalColon()))
    return parser.parseType(type);
  type = RankedTensorType::get({}, parser.getBuilder().getF32Type());
  return success();
}

static void printLrType(OpAsmPrinter &printer, Operation *, Type type) {
  if (!getElementTypeOrSelf(type).isF32())
    printer << " : " << type;
}

#define GET_OP_CLASSES
#include "dialects/AMP/AMPOps.cpp.inc"

void AMPDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/AMP/AMPAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/AMP/AMPTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/AMP/AMPOps.cpp.inc"
      >();
  addOperations<RecipeOp, RandomStateOp>();
}

std::optional<EntryKind> mpc::amp::getEntryKind(Operation *function) {
  auto kind = function->getAttrOfType<EntryKindAttr>(
      AMPDialect::EntryAttrHelper::getNameStr());
  return kind ? std::optional(kind.getValue()) : std::nullopt;
}

void mpc::amp::setEntryKind(Operation *function, EntryKind kind) {
  function->setAttr(AMPDialect::EntryAttrHelper::getNameStr(),
                    EntryKindAttr::get(function->getContext(), kind));
}

FlatSymbolRefAttr mpc::amp::getPendingOf(Operation *parameter) {
  return parameter->getAttrOfType<FlatSymbolRefAttr>(
      AMPDialect::PendingOfAttrHelper::getNameStr());
}

void mpc::amp::setPendingOf(Operation *parameter, FlatSymbolRefAttr buffer) {
  parameter->setAttr(AMPDialect::PendingOfAttrHelper::getNameStr(), buffer);
}

FlatSymbolRefAttr mpc::amp::getBatchesOf(Operation *parameter) {
  return parameter->getAttrOfType<FlatSymbolRefAttr>(
      AMPDialect::BatchesOfAttrHelper::getNameStr());
}

void mpc::amp::setBatchesOf(Operation *parameter, FlatSymbolRefAttr buffer) {
  parameter->setAttr(AMPDialect::BatchesOfAttrHelper::getNameStr(), buffer);
}

bool mpc::amp::isEvaluation(Operation *function) {
  std::optional<EntryKind> kind = getEntryKind(function);
  return kind == EntryKind::Eval || kind == EntryKind::Measure;
}

static LogicalResult refuse(Operation *op, const Twine &where,
                            NamedAttribute attribute) {
  return op->emitOpError() << where << " '" << attribute.getName().getValue()
                           << "', which amp does not know";
}

/// Verifies the probe site of a result, or of the argument that takes the
/// result's place once memory is planned.
static LogicalResult verifySite(Operation *op, const Twine &where,
                                NamedAttribute attribute) {
  if (attribute.getName() != AMPDialect::SiteAttrHelper::getNameStr())
    return refuse(op, where, attribute);
  if (isa<SiteAttr>(attribute.getValue()))
    return success();
  return op->emitOpError() << where << " '" << attribute.getName().getValue()
                           << "' = " << attribute.getValue()
                           << ", which must be a #amp.site";
}

/// Verifies that a parameter names the buffer that it belongs to.
static LogicalResult verifyBuffer(Operation *op, NamedAttribute attribute) {
  if (isa<mpc::nn::ParameterOp>(op) &&
      isa<FlatSymbolRefAttr>(attribute.getValue()))
    return success();
  return op->emitOpError("has '")
         << attribute.getName().getValue() << "' = " << attribute.getValue()
         << ": an nn.parameter has the symbol of a buffer";
}

LogicalResult AMPDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == PendingOfAttrHelper::getNameStr() ||
      attribute.getName() == BatchesOfAttrHelper::getNameStr())
    return verifyBuffer(op, attribute);
  if (attribute.getName() != EntryAttrHelper::getNameStr())
    return refuse(op, "has", attribute);
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (function && function.isPublic() && !function.isExternal() &&
      isa<EntryKindAttr>(attribute.getValue()))
    return success();
  return op->emitOpError("has 'amp.entry' = ")
         << attribute.getValue()
         << ": a public function with a body has an #amp.entry_kind";
}

LogicalResult AMPDialect::verifyRegionArgAttribute(Operation *op,
                                                   unsigned /*region*/,
                                                   unsigned argument,
                                                   NamedAttribute attribute) {
  return verifySite(op, "argument #" + Twine(argument) + " has", attribute);
}

LogicalResult
AMPDialect::verifyRegionResultAttribute(Operation *op, unsigned /*region*/,
                                        unsigned result,
                                        NamedAttribute attribute) {
  return verifySite(op, "result #" + Twine(result) + " has", attribute);
}
