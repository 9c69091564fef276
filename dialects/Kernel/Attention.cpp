// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel.attention and kernel.attention_gradient: verifiers, loops, places.
#include "dialects/Kernel/Attention.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mpc::kernel;

AttentionSizes mpc::kernel::getSizes(AttentionOpInterface op) {
  ArrayRef<int64_t> sizes = op.getSizes();
  return {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], sizes[6]};
}

AffineMap mpc::kernel::getMap(AttentionOpInterface op, OpOperand &operand) {
  return cast<AffineMapAttr>(op.getIndexingMaps()[operand.getOperandNumber()])
      .getValue();
}

void mpc::kernel::setMap(AttentionOpInterface op, OpOperand &operand,
                         AffineMap map) {
  SmallVector<Attribute> maps(op.getIndexingMaps().getValue());
  maps[operand.getOperandNumber()] = AffineMapAttr::get(map);
  op.setIndexingMapsAttr(ArrayAttr::get(op.getContext(), maps));
}

Linear mpc::kernel::getPlace(AttentionOpInterface op, OpOperand &operand) {
  AffineMap map = getMap(op, operand);
  auto type = cast<RankedTensorType>(operand.get().getType());
  return *getLinear(getFlatIndex(map, type.getShape()), map.getNumDims());
}

uint64_t mpc::kernel::countFlops(AttentionOpInterface op) {
  AttentionSizes sizes = getSizes(op);
  uint64_t pairs = 0;
  for (int64_t query = 0; query < sizes.queries; ++query) {
    int64_t end = op.getCausal() ? std::min(query + 1, sizes.keys) : sizes.keys;
    std::optional<uint64_t> window = op.getWindow();
    int64_t first =
        window ? std::max<int64_t>(query + 1 - static_cast<int64_t>(*window), 0)
               : 0;
    pairs += std::max<int64_t>(end - first, 0);
  }
  pairs *= sizes.batch * sizes.heads;
  int64_t products = isa<AttentionOp>(op) ? sizes.depth + sizes.width
                                          : 3 * sizes.depth + 2 * sizes.width;
  return 2 * pairs * products;
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

namespace {

/// What an operand must be: the extents of its map's dimensions, and the type
/// of its elements, or null for any float.
struct Expected {
  OpOperand *operand;
  SmallVector<int64_t> extents;
  Type element;
};

} // namespace

/// Whether `map` stays inside of `shape` for all indices of `extents`.
static bool staysInside(AffineMap map, ArrayRef<int64_t> extents,
                        ArrayRef<int64_t> shape) {
  if (map.getNumDims() != extents.size() || map.getNumResults() != shape.size())
    return false;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
    std::optional<Linear> linear = getLinear(expr, extents.size());
    if (!linear || linear->offset < 0)
      return false;
    int64_t last = linear->offset;
    for (auto [stride, extent] : llvm::zip_equal(linear->strides, extents)) {
      if (stride < 0)
        return false;
      last += stride * (extent - 1);
    }
    if (last >= size)
      return false;
  }
  return true;
}

static LogicalResult verifyOperand(AttentionOpInterface op,
                                   const Expected &expected) {
  OpOperand &operand = *expected.operand;
  unsigned number = operand.getOperandNumber();
  auto type = cast<RankedTensorType>(operand.get().getType());
  if (!isa<FloatType>(type.getElementType()) ||
      (expected.element && type.getElementType() != expected.element))
    return op.emitOpError("operand #")
           << number << " has elements of " << type.getElementType();
  if (!staysInside(getMap(op, operand), expected.extents, type.getShape()))
    return op.emitOpError("map #")
           << number << " does not stay inside of its operand, which is "
           << type;
  bool isInit =
      cast<DestinationStyleOpInterface>(op.getOperation()).isDpsInit(&operand);
  if (!isInit)
    return success();
  int64_t elements = 1;
  for (int64_t extent : expected.extents)
    elements *= extent;
  if (getMap(op, operand).isPermutation() && type.getNumElements() == elements)
    return success();
  return op.emitOpError("map #") << number << " is no permutation";
}

static LogicalResult verifyMask(AttentionOpInterface op) {
  MutableOperandRange mask = op.getMaskMutable();
  if (mask.empty())
    return success();
  AttentionSizes sizes = getSizes(op);
  auto type = cast<RankedTensorType>(mask[0].get().getType());
  if (!type.getElementType().isInteger(1) &&
      !isa<FloatType>(type.getElementType()))
    return op.emitOpError("mask must be of i1 or of floats");
  if (!staysInside(getMap(op, mask[0]),
                   {sizes.batch, sizes.heads, sizes.queries, sizes.keys},
                   type.getShape()))
    return op.emitOpError("the mask's map does not stay inside of it");
  return success();
}

/// Checks what both ops have: sizes, the number of maps, and operands.
static LogicalResult verifyAttention(AttentionOpInterface op,
                                     ArrayRef<Expected> rest) {
  AttentionSizes sizes = getSizes(op);
  for (Value operand : op->getOperands())
    if (!cast<RankedTensorType>(operand.getType()).hasStaticShape())
      return op.emitOpError("needs operands of static shape");
  OpOperand *query = &op.getQueryMutable(), *key = &op.getKeyMutable(),
            *value = &op.getValueMutable();
  Type element = getElementTypeOrSelf(query->get().getType());
  Expected read[] = {
      {query, {sizes.batch, sizes.heads, sizes.queries, sizes.depth}, element},
      {key, {sizes.batch, sizes.groups, sizes.keys, sizes.depth}, element},
      {value, {sizes.batch, sizes.groups, sizes.keys, sizes.width}, element}};
  for (const Expected &expected : read)
    if (failed(verifyOperand(op, expected)))
      return failure();
  for (const Expected &expected : rest)
    if (failed(verifyOperand(op, expected)))
      return failure();
  return verifyMask(op);
}

/// Checks the numbers that everything else rests on.
static LogicalResult verifyNumbers(AttentionOpInterface op) {
  ArrayRef<int64_t> sizes = op.getSizes();
  if (sizes.size() != 7 || llvm::any_of(sizes, [](int64_t s) { return s < 1; }))
    return op.emitOpError("needs seven sizes of at least 1");
  if (sizes[1] % sizes[2] != 0)
    return op.emitOpError("has ")
           << sizes[1] << " heads in " << sizes[2] << " groups";
  if (op.getIndexingMaps().size() != op->getNumOperands())
    return op.emitOpError("has ")
           << op.getIndexingMaps().size() << " maps for "
           << op->getNumOperands() << " operands";
  if (std::optional<uint64_t> window = op.getWindow();
      window && (!op.getCausal() || static_cast<int64_t>(*window) < 1))
    return op.emitOpError("needs a window of at least 1, and causal");
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyNumbers(*this)))
    return failure();
  AttentionSizes sizes = mpc::kernel::getSizes(*this);
  SmallVector<int64_t> rows{sizes.batch, sizes.heads, sizes.queries};
  SmallVector<int64_t> all = rows;
  all.push_back(sizes.width);
  Type f32 = Float32Type::get(getContext());
  Expected rest[] = {{&getOutputInitMutable(), all, {}},
                     {&getLogSumExpInitMutable(), rows, f32}};
  return verifyAttention(*this, rest);
}

LogicalResult AttentionGradientOp::verify() {
  if (failed(verifyNumbers(*this)))
    return failure();
  AttentionSizes sizes = mpc::kernel::getSizes(*this);
  SmallVector<int64_t> rows{sizes.batch, sizes.heads, sizes.queries};
  SmallVector<int64_t> query = rows, output = rows;
  query.push_back(sizes.depth);
  output.push_back(sizes.width);
  SmallVector<int64_t> key{sizes.batch, sizes.groups, sizes.keys, sizes.depth};
  SmallVector<int64_t> value = key;
  value.back() = sizes.width;
  Type f32 = Float32Type::get(getContext());
  Type element = getElementTypeOrSelf(getQuery().getType());
  Expected rest[] = {{&getLogSumExpMutable(), rows, f32},
                     {&getDeltaMutable(), rows, f32},
                     {&getDOutputMutable(), output, element},
                     {&getDQueryInitMutable(), query, {}},
                     {&getDKeyInitMutable(), key, {}},
                     {&getDValueInitMutable(), value, {}}};
  return verifyAttention(*this, rest);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static SmallVector<utils::IteratorType> getIterators() {
  using utils::IteratorType;
  return {IteratorType::parallel, IteratorType::parallel,
          IteratorType::reduction, IteratorType::reduction,
          IteratorType::reduction};
}

/// Loops over batch and groups, and what is inside of a group.
static SmallVector<Range> getDomain(AttentionOpInterface op,
                                    OpBuilder &builder) {
  AttentionSizes sizes = mpc::kernel::getSizes(op);
  int64_t extents[] = {sizes.batch, sizes.groups,
                       sizes.getShared() * sizes.queries, sizes.keys,
                       sizes.depth};
  return llvm::map_to_vector(extents, [&](int64_t extent) {
    return Range{builder.getIndexAttr(0), builder.getIndexAttr(extent),
                 builder.getIndexAttr(1)};
  });
}

SmallVector<utils::IteratorType> AttentionOp::getLoopIteratorTypes() {
  return getIterators();
}
SmallVector<Range> AttentionOp::getIterationDomain(OpBuilder &builder) {
  return getDomain(*this, builder);
}
SmallVector<utils::IteratorType> AttentionGradientOp::getLoopIteratorTypes() {
  return getIterators();
}
SmallVector<Range>
AttentionGradientOp::getIterationDomain(OpBuilder &builder) {
  return getDomain(*this, builder);
}
