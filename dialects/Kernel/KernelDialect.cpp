// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel dialect, and what it attaches to the ops of others.
#include "dialects/Kernel/KernelDialect.h"

#include "dialects/Kernel/Border.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc::kernel;

#include "dialects/Kernel/AttentionInterface.cpp.inc"
#include "dialects/Kernel/KernelDialect.cpp.inc"
#include "dialects/Kernel/KernelEnums.cpp.inc"
#include "dialects/Kernel/ScheduleInterface.cpp.inc"
#include "dialects/Kernel/TargetInterface.cpp.inc"
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

static constexpr StringRef kAlignment =
    KernelDialect::AlignmentAttrHelper::getNameStr();

static constexpr StringRef kInvariant =
    KernelDialect::InvariantAttrHelper::getNameStr();

/// The size of an element in memory; an i1 takes a byte.
static int64_t elementBytes(Type tensor) {
  auto shaped = dyn_cast<ShapedType>(tensor);
  if (!shaped || !shaped.getElementType().isIntOrFloat())
    return 1;
  return std::max<int64_t>(shaped.getElementTypeBitWidth() / 8, 1);
}

/// Whether `value` is a power of two, and at least the natural alignment of
/// elements.
static bool isAlignment(Type argument, Attribute value) {
  auto bytes = dyn_cast<IntegerAttr>(value);
  return bytes && bytes.getType().isInteger(64) && bytes.getInt() > 0 &&
         llvm::isPowerOf2_64(bytes.getInt()) &&
         bytes.getInt() >= elementBytes(argument);
}

int64_t FuncOp::getAlignment(unsigned argument) {
  auto bytes = getArgAttrOfType<IntegerAttr>(argument, kAlignment);
  return bytes ? bytes.getInt() : elementBytes(getArgumentTypes()[argument]);
}

void FuncOp::setAlignment(unsigned argument, int64_t bytes) {
  setArgAttr(argument, kAlignment,
             Builder(getContext()).getI64IntegerAttr(bytes));
}

/// Whether `argument` can have the attribute `value` under its name.
static bool isArgumentAttribute(Operation *op, Type argument,
                                NamedAttribute attribute) {
  if (attribute.getName() == KernelDialect::MayAliasAttrHelper::getNameStr())
    return isa<FuncOp>(op) && isa<DenseI64ArrayAttr>(attribute.getValue());
  if (attribute.getName() == kAlignment)
    return isa<FuncOp>(op) && isAlignment(argument, attribute.getValue());
  if (attribute.getName() == kInvariant)
    return !isa<FuncOp>(op) && isa<UnitAttr>(attribute.getValue());
  auto buffer = dyn_cast<BufferAttr>(attribute.getValue());
  bool hasType = buffer && buffer.getType();
  return attribute.getName() == KernelDialect::BufferAttrHelper::getNameStr() &&
         buffer && isa<MemRefType>(argument) &&
         hasType == (buffer.getRole() != BufferRole::Arena);
}

static constexpr StringRef kState =
    KernelDialect::StateAttrHelper::getNameStr();

/// The arguments of `function` that are the state called `name`.
static SmallVector<unsigned> argumentsOf(FunctionOpInterface function,
                                         Attribute name) {
  auto isOfName = [&](unsigned i) {
    return function.getArgAttr(i, kState) == name;
  };
  return llvm::filter_to_vector(llvm::seq<unsigned>(function.getNumArguments()),
                                isOfName);
}

bool mpc::kernel::isInvariant(Value value) {
  while (auto view = value.getDefiningOp<ViewOp>())
    value = view.getSource();
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  return function &&
         function.getArgAttr(argument.getArgNumber(), kInvariant) != nullptr;
}

std::optional<unsigned>
mpc::kernel::getTiedArgument(FunctionOpInterface function, unsigned result) {
  Attribute name = function.getResultAttr(result, kState);
  if (!name)
    return std::nullopt;
  return argumentsOf(function, name).front();
}

/// An argument that is state is a tensor, or memory once that is planned, and
/// the only one of its name.
static LogicalResult verifyState(FunctionOpInterface function,
                                 unsigned argument, Attribute name) {
  if (!isa<FlatSymbolRefAttr>(name) ||
      !isa<RankedTensorType, MemRefType>(function.getArgumentTypes()[argument]))
    return function.emitOpError("argument #")
           << argument << " cannot have 'kernel.state' = " << name
           << ": a tensor has the name of its state";
  if (argumentsOf(function, name).size() > 1)
    return function.emitOpError("has two arguments that are the state ")
           << name;
  return success();
}

LogicalResult
KernelDialect::verifyRegionResultAttribute(Operation *op, unsigned /*region*/,
                                           unsigned result,
                                           NamedAttribute attribute) {
  auto function = cast<FunctionOpInterface>(op);
  if (attribute.getName() != kState)
    return op->emitOpError("result #") << result << " cannot have '"
                                       << attribute.getName().getValue() << "'";
  SmallVector<unsigned> arguments = argumentsOf(function, attribute.getValue());
  Type type = function.getResultTypes()[result];
  if (arguments.size() == 1 &&
      function.getArgumentTypes()[arguments.front()] == type)
    return success();
  return op->emitOpError("result #")
         << result << " is the state " << attribute.getValue()
         << ", but no argument of type " << type << " is";
}

LogicalResult
KernelDialect::verifyRegionArgAttribute(Operation *op, unsigned /*region*/,
                                        unsigned argument,
                                        NamedAttribute attribute) {
  if (attribute.getName() == kState)
    return verifyState(cast<FunctionOpInterface>(op), argument,
                       attribute.getValue());
  Type type = cast<FunctionOpInterface>(op).getArgumentTypes()[argument];
  if (isArgumentAttribute(op, type, attribute))
    return success();
  return op->emitOpError("argument #")
         << argument << " cannot have '" << attribute.getName().getValue()
         << "' = " << attribute.getValue();
}

/// Whether `attribute` has the border of each input of `op`.
static bool areInputBorders(Operation *op, Attribute attribute) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  auto borders = dyn_cast<ArrayAttr>(attribute);
  if (!generic || !borders || borders.size() > generic.getInputs().size())
    return false;
  return llvm::all_of(llvm::zip_first(borders, generic.getInputs()),
                      [](auto input) {
                        auto [border, value] = input;
                        return isBorderOf(border, value.getType());
                      });
}

/// Whether `op` can have the attribute `value` under its name.
static bool isOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == KernelDialect::TargetAttrHelper::getNameStr())
    return isa<ModuleOp>(op) && isa<TargetAttrInterface>(attribute.getValue());
  if (attribute.getName() == KernelDialect::InOrderAttrHelper::getNameStr())
    return isa<linalg::GenericOp>(op) && isa<UnitAttr>(attribute.getValue());
  if (attribute.getName() == KernelDialect::BorderAttrHelper::getNameStr())
    return isa<linalg::GenericOp>(op) &&
           isBorderOf(attribute.getValue(), op->getResultTypes());
  if (attribute.getName() ==
      KernelDialect::InputBordersAttrHelper::getNameStr())
    return areInputBorders(op, attribute.getValue());
  if (attribute.getName() == KernelDialect::WorkAttrHelper::getNameStr())
    return isa<FunctionOpInterface>(op) && isa<WorkAttr>(attribute.getValue());
  return attribute.getName() ==
             KernelDialect::EmittedAttrHelper::getNameStr() &&
         isa<FunctionOpInterface>(op) &&
         isa<EmittedKernelAttrInterface>(attribute.getValue());
}

LogicalResult
KernelDialect::verifyOperationAttribute(Operation *op,
                                        NamedAttribute attribute) {
  if (isOperationAttribute(op, attribute))
    return success();
  return op->emitOpError("cannot have '")
         << attribute.getName().getValue() << "' = " << attribute.getValue()
         << ": a module has a target as 'kernel.target', an emitted function "
            "what its launches must know as 'kernel.emitted' and how much it "
            "computes as 'kernel.work', a reduction that keeps its order "
            "'kernel.in_order', an op with zeros at the ends of its result's "
            "axes 'kernel.border', and a sum of products those of its inputs "
            "as 'kernel.input_borders'";
}

TargetAttrInterface mpc::kernel::getTarget(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  return module ? module->getAttrOfType<TargetAttrInterface>(
                      KernelDialect::TargetAttrHelper::getNameStr())
                : TargetAttrInterface();
}

EmittedKernelAttrInterface mpc::kernel::getEmittedKernel(Operation *function) {
  return function->getAttrOfType<EmittedKernelAttrInterface>(
      KernelDialect::EmittedAttrHelper::getNameStr());
}
