// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel dialect: verifiers, folds and assembly.
#include "dialects/Kernel/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionImplementation.h"
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

/// Whether `attribute` is the border of one tensor, whose type is `types`.
static bool isBorder(Attribute attribute, TypeRange types) {
  auto border = dyn_cast<BorderAttr>(attribute);
  auto type =
      types.size() == 1 ? dyn_cast<RankedTensorType>(types[0]) : nullptr;
  if (!border || !type ||
      border.getLow().size() != static_cast<size_t>(type.getRank()) ||
      border.getHigh().size() != border.getLow().size())
    return false;
  return llvm::all_of(
      llvm::zip(border.getLow(), border.getHigh(), type.getShape()),
      [](auto axis) {
        auto [low, high, size] = axis;
        return low >= 0 && high >= 0 && low <= size && high <= size - low;
      });
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
                        return isBorder(border, value.getType());
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
           isBorder(attribute.getValue(), op->getResultTypes());
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

int64_t FuncOp::getAlignment(unsigned argument) {
  auto bytes = getArgAttrOfType<IntegerAttr>(argument, kAlignment);
  return bytes ? bytes.getInt() : elementBytes(getArgumentTypes()[argument]);
}

void FuncOp::setAlignment(unsigned argument, int64_t bytes) {
  setArgAttr(argument, kAlignment,
             Builder(getContext()).getI64IntegerAttr(bytes));
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

//===----------------------------------------------------------------------===//
// ViewOp, PackOp, ScatterOp, RankOp, ScanOp
//===----------------------------------------------------------------------===//

static bool differInSignAtMost(Type a, Type b) {
  auto left = dyn_cast<IntegerType>(a), right = dyn_cast<IntegerType>(b);
  return a == b || (left && right && left.getWidth() == right.getWidth());
}

LogicalResult PadOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  if (!isBorder(getBorder(), getResult().getType()))
    return emitOpError("has a border that does not fit into ")
           << getResult().getType();
  SmallVector<int64_t> inside;
  for (auto [low, high, size] :
       llvm::zip(getBorder().getLow(), getBorder().getHigh(),
                 cast<RankedTensorType>(getResult().getType()).getShape()))
    inside.push_back(size - low - high);
  auto type = cast<RankedTensorType>(getResult().getType()).clone(inside);
  if (source == type)
    return success();
  return emitOpError("has a border around ") << type << ", but pads " << source;
}

LogicalResult ViewOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (!differInSignAtMost(source.getElementType(), result.getElementType()))
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
  auto inner = getSource().getDefiningOp<ViewOp>();
  if (!inner)
    return {};
  // This view and the innermost source have equal types, so the two views
  // together take all elements of it, from the first on.
  if (inner.getSource().getType() == getResult().getType())
    return inner.getSource();
  setOffset(inner.getOffset() + getOffset());
  getSourceMutable().assign(inner.getSource());
  return getResult();
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
  if (isa<IntegerType>(init.getElementType()) &&
      init.getElementType() != updates.getElementType())
    return emitOpError("integers are joined to integers of their type");
  return success();
}

SmallVector<utils::IteratorType> ScatterOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::parallel,
          utils::IteratorType::reduction};
}

/// Loops from 0 to each of `extents`.
static SmallVector<Range> wholeRanges(OpBuilder &builder,
                                      ArrayRef<int64_t> extents) {
  return llvm::map_to_vector(extents, [&](int64_t extent) {
    return Range{builder.getIndexAttr(0), builder.getIndexAttr(extent),
                 builder.getIndexAttr(1)};
  });
}

SmallVector<Range> ScatterOp::getIterationDomain(OpBuilder &builder) {
  auto updates = cast<RankedTensorType>(getUpdates().getType());
  return wholeRanges(builder, {updates.getDimSize(0), updates.getDimSize(2),
                               updates.getDimSize(1)});
}

LogicalResult RankOp::verify() {
  auto keys = cast<RankedTensorType>(getKeys().getType());
  auto init = cast<RankedTensorType>(getInit().getType());
  if (keys.getRank() != 2 || !keys.getElementType().isSignlessInteger() ||
      keys.getElementTypeBitWidth() % 8 != 0)
    return emitOpError("keys must be [row, key] of i8, i16, i32 or i64");
  if (init != keys.clone(IntegerType::get(getContext(), 64)))
    return emitOpError("init must be i64 of the shape of keys");
  return success();
}

SmallVector<utils::IteratorType> RankOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::reduction};
}

SmallVector<Range> RankOp::getIterationDomain(OpBuilder &builder) {
  return wholeRanges(builder,
                     cast<RankedTensorType>(getKeys().getType()).getShape());
}

LogicalResult ScanOp::verify() {
  if (cast<RankedTensorType>(getInput().getType()).getRank() == 3)
    return success();
  return emitOpError("input must be [outer, size, inner]");
}

SmallVector<utils::IteratorType> ScanOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::parallel,
          utils::IteratorType::reduction};
}

SmallVector<Range> ScanOp::getIterationDomain(OpBuilder &builder) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(getInput().getType()).getShape();
  return wholeRanges(builder, {shape[0], shape[2], shape[1]});
}
