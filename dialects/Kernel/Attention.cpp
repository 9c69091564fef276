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

/// What the operands of `op` must be, but for the mask and what is random.
static SmallVector<Expected> getExpected(AttentionOpInterface op) {
  AttentionSizes s = mpc::kernel::getSizes(op);
  SmallVector<int64_t> rows{s.batch, s.heads, s.queries};
  SmallVector<int64_t> query{s.batch, s.heads, s.queries, s.depth};
  SmallVector<int64_t> key{s.batch, s.groups, s.keys, s.depth};
  SmallVector<int64_t> value{s.batch, s.groups, s.keys, s.width};
  SmallVector<int64_t> output{s.batch, s.heads, s.queries, s.width};
  Type f32 = Float32Type::get(op.getContext());
  Type element = getElementTypeOrSelf(op.getQueryMutable().get().getType());
  SmallVector<Expected> expected{{&op.getQueryMutable(), query, element},
                                 {&op.getKeyMutable(), key, element},
                                 {&op.getValueMutable(), value, element}};
  if (auto forward = dyn_cast<AttentionOp>(op.getOperation())) {
    expected.push_back({&forward.getOutputInitMutable(), output, {}});
    expected.push_back({&forward.getRowMaxInitMutable(), rows, f32});
    expected.push_back({&forward.getRowSumInitMutable(), rows, f32});
    return expected;
  }
  auto gradient = cast<AttentionGradientOp>(op.getOperation());
  expected.push_back({&gradient.getRowMaxMutable(), rows, f32});
  expected.push_back({&gradient.getRowSumMutable(), rows, f32});
  expected.push_back({&gradient.getDeltaMutable(), rows, f32});
  expected.push_back({&gradient.getDOutputMutable(), output, element});
  expected.push_back({&gradient.getDQueryInitMutable(), query, {}});
  expected.push_back({&gradient.getDKeyInitMutable(), key, {}});
  expected.push_back({&gradient.getDValueInitMutable(), value, {}});
  return expected;
}

static bool isOneOf(MutableOperandRange operands, OpOperand &operand) {
  return llvm::any_of(operands,
                      [&](OpOperand &one) { return &one == &operand; });
}

static bool isMask(AttentionOpInterface op, OpOperand &operand) {
  return isOneOf(op.getMaskMutable(), operand);
}

/// The extents of the dimensions of an operand's map.
static SmallVector<int64_t> getExtents(AttentionOpInterface op,
                                       OpOperand &operand) {
  AttentionSizes s = mpc::kernel::getSizes(op);
  if (isMask(op, operand))
    return {s.batch, s.heads, s.queries, s.keys};
  if (isOneOf(op.getRandomMutable(), operand))
    return {};
  for (Expected &expected : getExpected(op))
    if (expected.operand == &operand)
      return expected.extents;
  llvm_unreachable("an operand that is not listed");
}

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

bool mpc::kernel::canRead(AttentionOpInterface op, OpOperand &operand) {
  auto type = cast<RankedTensorType>(operand.get().getType());
  if (!staysInside(getMap(op, operand), getExtents(op, operand),
                   type.getShape()))
    return false;
  return !isMask(op, operand) || getPlace(op, operand).strides.back() <= 1;
}

static LogicalResult verifyInit(AttentionOpInterface op, OpOperand &init) {
  auto type = cast<RankedTensorType>(init.get().getType());
  int64_t elements = 1;
  for (int64_t extent : getExtents(op, init))
    elements *= extent;
  if (getMap(op, init).isPermutation() && type.getNumElements() == elements)
    return success();
  return op.emitOpError("map #")
         << init.getOperandNumber() << " is no permutation";
}

static LogicalResult verifyElements(AttentionOpInterface op) {
  for (const Expected &expected : getExpected(op)) {
    Type element = getElementTypeOrSelf(expected.operand->get().getType());
    if (!isa<FloatType>(element) ||
        (expected.element && element != expected.element))
      return op.emitOpError("operand #") << expected.operand->getOperandNumber()
                                         << " has elements of " << element;
  }
  MutableOperandRange mask = op.getMaskMutable();
  if (mask.empty())
    return success();
  Type element = getElementTypeOrSelf(mask[0].get().getType());
  if (element.isInteger(1) || isa<FloatType>(element))
    return success();
  return op.emitOpError("mask must be of i1 or of floats");
}

/// Checks that there is what dropout draws by, if there is dropout.
static LogicalResult verifyDropout(AttentionOpInterface op) {
  std::optional<APFloat> dropout = op.getDropout();
  MutableOperandRange random = op.getRandomMutable();
  if (random.size() != (dropout ? 3u : 0u))
    return op.emitOpError("draws by ")
           << random.size() << " numbers, not by " << (dropout ? 3 : 0);
  for (OpOperand &operand : random)
    if (!getElementTypeOrSelf(operand.get().getType()).isInteger(64))
      return op.emitOpError("operand #")
             << operand.getOperandNumber() << " must be of i64";
  if (dropout && !(*dropout >= APFloat(0.0) && *dropout <= APFloat(1.0)))
    return op.emitOpError("needs a dropout from 0 to 1");
  return success();
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
    return op.emitOpError("has ") << op.getIndexingMaps().size() << " maps for "
                                  << op->getNumOperands() << " operands";
  if (std::optional<APFloat> cap = op.getSoftcap();
      cap && !(cap->isFinite() && !cap->isNegative() && !cap->isZero()))
    return op.emitOpError("needs a softcap that is positive and finite");
  if (std::optional<uint64_t> window = op.getWindow();
      window && (!op.getCausal() || static_cast<int64_t>(*window) < 1))
    return op.emitOpError("needs a window of at least 1, and causal");
  return success();
}

static LogicalResult verifyAttention(AttentionOpInterface op) {
  if (failed(verifyNumbers(op)) || failed(verifyElements(op)) ||
      failed(verifyDropout(op)))
    return failure();
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (!type.hasStaticShape())
      return op.emitOpError("needs operands of static shape");
    if (!canRead(op, operand))
      return op.emitOpError("map #")
             << operand.getOperandNumber()
             << " is no sum of products that stays inside of its operand, "
             << type;
  }
  auto inits = cast<DestinationStyleOpInterface>(op.getOperation());
  for (OpOperand &init : inits.getDpsInitsMutable())
    if (failed(verifyInit(op, init)))
      return failure();
  return success();
}

LogicalResult AttentionOp::verify() { return verifyAttention(*this); }

LogicalResult AttentionGradientOp::verify() { return verifyAttention(*this); }

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
SmallVector<Range> AttentionGradientOp::getIterationDomain(OpBuilder &builder) {
  return getDomain(*this, builder);
}
