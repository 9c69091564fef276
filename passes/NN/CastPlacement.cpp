// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds a PlacementGraph from IR: the free ops, the ops that may be low, and
// the costs.
#include "passes/NN/CastPlacement.h"

#include "dialects/NN/Annotations.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// Costs count 64ths of a moved byte. A multiply-add in f32 takes as long as
/// 1/8 byte and one in the low type as 1/64. Accelerators with matrix units
/// have these ratios (67 and 990 TFLOP/s to 4.8 TB/s are 7 and 103).
static constexpr int64_t kByte = 64, kF32MultiplyAdd = 8, kLowMultiplyAdd = 1;

/// A bound above any existing tensor. It keeps sums of costs below kInfinite.
static constexpr int64_t kMaxCount = int64_t{1} << 40;

static int64_t limited(int64_t a, int64_t b) {
  return std::min<uint64_t>(llvm::SaturatingMultiply(static_cast<uint64_t>(a),
                                                     static_cast<uint64_t>(b)),
                            kMaxCount);
}

static int64_t numElements(Value value) {
  int64_t count = 1;
  for (int64_t size : cast<RankedTensorType>(value.getType()).getShape())
    count = limited(count, ShapedType::isDynamic(size) ? 1 : size);
  return count;
}

CastPlacement::CastPlacement(Block &block, FloatType low, bool refuse)
    : low_(low), f32_(Float32Type::get(low.getContext())), refuse_(refuse) {
  graph_.ops.resize(FirstFree);
  graph_.ops[PinnedLow].canBeF32 = false;
  graph_.ops[PinnedF32].canBeLow = false;
  for (Operation &op : block)
    if (isFree(&op))
      addOp(&op);
  limitTypes();
  for (auto &[op, decision] : placed_)
    addOwnCost(op);
  addValues(block);
  isLow_ = graph_.place();
  for (auto [i, entry] : llvm::enumerate(placed_))
    entry.second.isLow = isLow_[FirstFree + i];
}

bool CastPlacement::isCastable(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type &&
         (type.getElementType() == low_ || type.getElementType() == f32_);
}

bool CastPlacement::isChosen(Operation *op, Value value) const {
  return isCastable(value) && !hasOwnType(op, value);
}

static bool isMarked(Operation *op, StringRef name, Type low) {
  auto mark = op->getAttrOfType<TypeAttr>(name);
  return mark && mark.getValue() == low;
}

/// Whether the op is free: it is marked, runs in either type, and all its
/// values have one of the two.
bool CastPlacement::isFree(Operation *op) const {
  bool refusable = refuse_ && isMarked(op, kRefusableAttr, low_);
  if (!isa<PrecisionOpInterface>(op) ||
      !(refusable || isMarked(op, kFreeAttr, low_)))
    return false;
  Type common;
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults())) {
    Type type = getElementTypeOrSelf(value.getType());
    if (!isa<FloatType>(type) || hasOwnType(op, value))
      continue;
    if (!isCastable(value) || (common && common != type))
      return false;
    common = type;
  }
  // An op without floating results has no type to choose.
  return llvm::any_of(op->getResults(),
                      [&](Value result) { return isChosen(op, result); });
}

void CastPlacement::addOp(Operation *op) {
  Decision decision;
  for (Value operand : op->getOperands())
    decision.sources.push_back(isChosen(op, operand) ? source(operand)
                                                     : Value());
  decision.wasLow = decision.isLow =
      llvm::any_of(op->getResults(), [&](Value result) {
        return isChosen(op, result) &&
               getElementTypeOrSelf(result.getType()) == low_;
      });
  placed_.insert({op, std::move(decision)});
  graph_.ops.emplace_back();
}

bool CastPlacement::isTransparent(CastOp cast) const {
  Type from = getElementTypeOrSelf(cast.getInput().getType());
  Type to = getElementTypeOrSelf(cast.getOutput().getType());
  if (from == low_ && to == f32_)
    return true;
  return refuse_ && from == f32_ && to == low_ &&
         isMarked(cast, kRefusableAttr, low_);
}

Value CastPlacement::source(Value value) const {
  while (auto cast = value.getDefiningOp<CastOp>()) {
    if (!isTransparent(cast))
      break;
    value = cast.getInput();
  }
  return value;
}

unsigned CastPlacement::pinnedNode(Value value) const {
  return getElementTypeOrSelf(value.getType()) == low_ ? PinnedLow : PinnedF32;
}

unsigned CastPlacement::freeNode(Operation *op) const {
  return FirstFree + std::distance(placed_.begin(), placed_.find(op));
}

unsigned CastPlacement::readerNode(Operation *op, Value read) const {
  if (placed_.contains(op))
    return isChosen(op, read) ? freeNode(op) : pinnedNode(read);
  auto cast = dyn_cast<CastOp>(op);
  bool narrows = cast && isCastable(cast.getOutput());
  return pinnedNode(narrows ? cast.getOutput() : read);
}

/// The readers of `value`, directly or through casts that may be removed.
void CastPlacement::findReaders(Value value, Readers &readers) const {
  for (Operation *user : value.getUsers()) {
    auto cast = dyn_cast<CastOp>(user);
    if (cast && isTransparent(cast))
      findReaders(cast.getOutput(), readers);
    else
      readers.insert({user, readerNode(user, value)});
  }
}

/// Whether all readers of the op's results would round them to the low type
/// anyway.
bool CastPlacement::isReadLowOnly(Operation *op) const {
  Readers readers;
  for (Value result : op->getResults()) {
    if (isChosen(op, result))
      findReaders(result, readers);
    else if (!result.use_empty())
      return false;
  }
  return !readers.empty() && llvm::all_of(readers, [&](const auto &reader) {
    return graph_.ops[reader.second].canBeLow;
  });
}

/// Prevents roundings that a reader in f32 would see: an op that autocast has
/// put in f32 may become low only where its results are read in the low type
/// alone.
void CastPlacement::limitTypes() {
  for (size_t i = placed_.size(); i-- > 0;) {
    auto &[op, decision] = placed_.begin()[i];
    graph_.ops[FirstFree + i].canBeLow = decision.wasLow || isReadLowOnly(op);
  }
}

/// False for a value that is never in memory: a constant of one value is part
/// of the kernel that reads it, and so is a value between two elementwise ops.
bool CastPlacement::findMoved(Value value) const {
  Operation *writer = value.getDefiningOp();
  if (!writer)
    return true;
  ElementsAttr constant;
  if (matchPattern(writer, m_Constant(&constant)) && constant.isSplat())
    return false;
  if (!isa<ScalarBodyOpInterface>(writer) || isa<CastOp>(writer))
    return true;
  Readers readers;
  findReaders(value, readers);
  if (readers.size() != 1)
    return true;
  Operation *reader = readers.front().first;
  return isa<CastOp>(reader) || !isa<ScalarBodyOpInterface>(reader);
}

bool CastPlacement::isMoved(Value value) {
  auto [it, isNew] = moved_.try_emplace(value, false);
  if (isNew)
    it->second = findMoved(value);
  return it->second;
}

void CastPlacement::addOwnCost(Operation *op) {
  int64_t elements = 0;
  SmallPtrSet<Value, 4> seen;
  for (Value source : placed_.find(op)->second.sources)
    if (source && seen.insert(source).second && isMoved(source))
      elements += numElements(source);
  for (Value result : op->getResults())
    if (isChosen(op, result) && isMoved(result))
      elements += numElements(result);
  int64_t multiplyAdds = 0;
  if (auto contraction = dyn_cast<ContractionOpInterface>(op))
    multiplyAdds = limited(contraction.getMultiplyAdds(), 1);
  PlacementGraph::Op &costs = graph_.ops[freeNode(op)];
  costs.lowCost =
      elements * low_.getWidth() / 8 * kByte + multiplyAdds * kLowMultiplyAdd;
  costs.f32Cost =
      elements * f32_.getWidth() / 8 * kByte + multiplyAdds * kF32MultiplyAdd;
}

void CastPlacement::addValues(Block &block) {
  for (Value argument : block.getArguments())
    addValue(argument);
  for (Operation &op : block) {
    auto cast = dyn_cast<CastOp>(op);
    if (cast && isTransparent(cast))
      continue;
    for (Value result : op.getResults())
      addValue(result);
  }
}

void CastPlacement::addValue(Value value) {
  if (!isCastable(value))
    return;
  Readers readers;
  findReaders(value, readers);
  Operation *writer = value.getDefiningOp();
  bool isOpen = writer && placed_.contains(writer) && isChosen(writer, value);
  PlacementGraph::Value entry{isOpen ? freeNode(writer) : pinnedNode(value),
                              {}};
  for (auto [op, reader] : readers)
    entry.readers.push_back(reader);
  if (isMoved(value)) {
    int64_t elements = numElements(value);
    int64_t lowBytes = elements * low_.getWidth() / 8 * kByte;
    int64_t f32Bytes = elements * f32_.getWidth() / 8 * kByte;
    entry.widening = entry.narrowing = lowBytes + f32Bytes;
    // The optimizer writes the low copy of a parameter together with the
    // parameter.
    if (isa_and_present<GetOp>(writer))
      entry.narrowing = lowBytes;
  }
  graph_.values.push_back(std::move(entry));
}

int64_t CastPlacement::bytesOfChange(Operation *op) const {
  SmallVector<bool> other = isLow_;
  unsigned node = freeNode(op);
  other[node] = !other[node];
  return (graph_.cost(other) - graph_.cost(isLow_)) / kByte;
}

llvm::json::Object CastPlacement::toJSON() const {
  llvm::json::Object result = graph_.toJSON(isLow_);
  llvm::json::Array &ops = *result.getArray("ops");
  for (const auto &[op, decision] : placed_)
    (*ops[freeNode(op)].getAsObject())["name"] =
        op->getName().getStringRef().str();
  return result;
}
