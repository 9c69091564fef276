// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folding of data movement into the maps of its readers.
#include "passes/Kernel/FoldReads.h"

#include "dialects/Kernel/Attention.h"
#include "dialects/Kernel/Border.h"
#include "dialects/Kernel/Contraction.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mpc::kernel;

/// Whether all loops are parallel, there is one result, an identity map writes
/// it once, and the old content of its destination is not read.
static bool isPlainMap(linalg::GenericOp op) {
  return op.getNumDpsInits() == 1 &&
         op.getNumLoops() == op.getNumParallelLoops() &&
         op.getIndexingMapsArray().back().isIdentity() &&
         op.getRegionOutputArgs().front().use_empty();
}

/// Whether the body yields its only input, so that the op only moves data.
static bool isMove(linalg::GenericOp op) {
  if (!isPlainMap(op) || op.getNumDpsInputs() != 1)
    return false;
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  return yield.getOperand(0) == op.getRegionInputArgs().front();
}

/// Whether all operands that `op` reads are scalars.
static bool readsScalars(linalg::GenericOp op) {
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return op.getMatchingIndexingMap(input).getNumResults() == 0;
  });
}

/// Whether the elements follow from constants and loop indices alone, which is
/// cheap, or from indices and scalars: such elements are random numbers, which
/// take some time.
static bool isGenerated(linalg::GenericOp op) {
  bool isDrawn = readsScalars(op) && op.hasIndexSemantics();
  return isPlainMap(op) && (op.getNumDpsInputs() == 0 || isDrawn) &&
         !readsByIndex(op);
}

/// The most readers for which an expensive generated tensor is computed again
/// by each. With more readers, it is kept in memory.
static constexpr unsigned kMostReaders = 4;

/// Whether generating an operand again in each reader is better than keeping it
/// in memory. It is for a mask that the forward and the backward pass read, but
/// not for one that is repeated along an axis.
static bool isWorthwhile(linalg::GenericOp source, AffineMap read) {
  return source.getNumDpsInputs() == 0 ||
         (read.isPermutation() &&
          !source->getResult(0).hasNUsesOrMore(kMostReaders + 1));
}

/// Whether every index that `source` uses is one loop of the reader.
static bool canInline(linalg::GenericOp source, AffineMap read) {
  return llvm::all_of(
      source.getBody()->getOps<linalg::IndexOp>(), [&](linalg::IndexOp index) {
        return isa<AffineDimExpr>(read.getResult(index.getDim()));
      });
}

static void setMaps(linalg::GenericOp op, ArrayRef<AffineMap> maps) {
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

/// Adds `scalar` to the operands of `reader` and returns its value in the body.
static Value addScalar(linalg::GenericOp reader, Value scalar) {
  unsigned index = reader.getInputs().size();
  SmallVector<AffineMap> maps = reader.getIndexingMapsArray();
  maps.insert(maps.begin() + index,
              AffineMap::get(reader.getNumLoops(), 0, {}, reader.getContext()));
  reader.getInputsMutable().append(scalar);
  setMaps(reader, maps);
  return reader.getBody()->insertArgument(
      index, getElementTypeOrSelf(scalar.getType()), scalar.getLoc());
}

/// Clones the body of `source` at the start of the body of `reader` and returns
/// the value that it yields.
static Value inlineBody(linalg::GenericOp source, linalg::GenericOp reader,
                        AffineMap read) {
  OpBuilder builder = OpBuilder::atBlockBegin(reader.getBody());
  IRMapping mapping;
  for (auto [scalar, argument] :
       llvm::zip(source.getInputs(), source.getRegionInputArgs()))
    mapping.map(argument, addScalar(reader, scalar));
  for (Operation &inner : source.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      auto dim = cast<AffineDimExpr>(read.getResult(index.getDim()));
      mapping.map(
          index.getResult(),
          linalg::IndexOp::create(builder, inner.getLoc(), dim.getPosition())
              .getResult());
      continue;
    }
    builder.clone(inner, mapping);
  }
  Value yielded = source.getBody()->getTerminator()->getOperand(0);
  return mapping.lookupOrDefault(yielded);
}

/// Whether the loops of `op` stay bounded by its operands' shapes when operand
/// `index` is removed.
static bool boundsRemain(linalg::GenericOp op, unsigned index) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.erase(maps.begin() + index);
  llvm::SmallBitVector bounded(op.getNumLoops());
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        bounded.set(dim.getPosition());
  return bounded.all();
}

/// Whether both maps move along the same loops. A contraction is recognized by
/// the loops along which each operand moves, so that reads must keep them.
static bool movesAlongSameLoops(linalg::GenericOp op, AffineMap a,
                                AffineMap b) {
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (extent != 1 && a.isFunctionOfDim(loop) != b.isFunctionOfDim(loop))
      return false;
  return true;
}

/// Makes `reader` read `source` in place of its operand, which is a copy of it.
/// `place` maps elements of the copy to elements of the source.
static bool readSource(linalg::GenericOp reader, OpOperand &operand,
                       Value source, AffineMap place) {
  unsigned index = operand.getOperandNumber();
  SmallVector<AffineMap> maps = reader.getIndexingMapsArray();
  AffineMap composed = place.compose(maps[index]);
  if (isSumOfProducts(reader) &&
      !movesAlongSameLoops(reader, composed, maps[index]))
    return false;
  if (!boundsRemain(reader, index)) {
    // The composed map must bound the loops that the old one bounded.
    llvm::SmallBitVector dims(reader.getNumLoops());
    for (AffineExpr expr : composed.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        dims.set(dim.getPosition());
    for (AffineExpr expr : maps[index].getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (!dims.test(dim.getPosition()))
          return false;
  }
  maps[index] = composed;
  setMaps(reader, maps);
  operand.set(source);
  return true;
}

/// The map from elements of `view` to elements of its source, where they differ
/// by axes of extent 1 alone, as the sum of a row that keeps its axis does.
static std::optional<AffineMap> getPlaceInSource(ViewOp view) {
  auto type = cast<RankedTensorType>(view.getType());
  auto source = cast<RankedTensorType>(view.getSource().getType());
  if (source.getNumElements() != type.getNumElements() ||
      source.getElementType() != type.getElementType())
    return std::nullopt;
  SmallVector<int64_t> axes;
  for (auto [axis, size] : llvm::enumerate(type.getShape()))
    if (size != 1)
      axes.push_back(axis);
  SmallVector<AffineExpr> place;
  auto next = axes.begin();
  for (int64_t size : source.getShape()) {
    if (size != 1 && (next == axes.end() || type.getDimSize(*next) != size))
      return std::nullopt;
    place.push_back(size == 1 ? getAffineConstantExpr(0, view.getContext())
                              : getAffineDimExpr(*next++, view.getContext()));
  }
  return AffineMap::get(type.getRank(), 0, place, view.getContext());
}

/// Computes an operand that consists of constants and indices in the body of
/// its reader.
static bool foldGenerated(linalg::GenericOp reader, OpOperand &operand,
                          linalg::GenericOp source) {
  unsigned index = operand.getOperandNumber();
  SmallVector<AffineMap> maps = reader.getIndexingMapsArray();
  if (!canInline(source, maps[index]) || !boundsRemain(reader, index) ||
      !isWorthwhile(source, maps[index]) || isSumOfProducts(reader))
    return false;
  Value value = inlineBody(source, reader, maps[index]);
  reader.getBody()->getArgument(index).replaceAllUsesWith(value);
  reader.getBody()->eraseArgument(index);
  maps = reader.getIndexingMapsArray();
  maps.erase(maps.begin() + index);
  reader.getInputsMutable().erase(index);
  setMaps(reader, maps);
  return true;
}

/// The map from elements of `view` to elements of its source, where axes of the
/// source are split: each index there is a sum of products of indices here.
static std::optional<AffineMap> getSplitPlace(ViewOp view) {
  auto type = cast<RankedTensorType>(view.getType());
  auto source = cast<RankedTensorType>(view.getSource().getType());
  if (source.getNumElements() != type.getNumElements() ||
      source.getElementType() != type.getElementType())
    return std::nullopt;
  MLIRContext *context = view.getContext();
  SmallVector<AffineExpr> place;
  int64_t axis = 0;
  for (int64_t size : source.getShape()) {
    AffineExpr index = getAffineConstantExpr(0, context);
    int64_t product = 1;
    while (axis < type.getRank() && product < size) {
      int64_t extent = type.getDimSize(axis);
      index = index * extent + getAffineDimExpr(axis++, context);
      product *= extent;
    }
    if (product != size)
      return std::nullopt;
    place.push_back(index);
  }
  // What is left are axes of extent 1.
  return AffineMap::get(type.getRank(), 0, place, context);
}

/// Makes attention read what its operand is a copy of: rows where a packed
/// product has written them.
static bool foldAttentionOperand(AttentionOpInterface reader,
                                 OpOperand &operand) {
  std::optional<AffineMap> place;
  Value source;
  if (auto view = operand.get().getDefiningOp<ViewOp>()) {
    place = getSplitPlace(view);
    source = view.getSource();
  } else if (auto move = operand.get().getDefiningOp<linalg::GenericOp>();
             move && isMove(move)) {
    place = move.getIndexingMapsArray().front();
    source = move.getDpsInputs().front();
  }
  if (!place)
    return false;
  AffineMap composed =
      simplifyAffineMap(place->compose(getMap(reader, operand)));
  Value before = operand.get();
  AffineMap old = getMap(reader, operand);
  operand.set(source);
  setMap(reader, operand, composed);
  if (canRead(reader, operand))
    return true;
  operand.set(before);
  setMap(reader, operand, old);
  return false;
}

static bool foldOperand(linalg::GenericOp reader, OpOperand &operand) {
  if (auto view = operand.get().getDefiningOp<ViewOp>()) {
    std::optional<AffineMap> place = getPlaceInSource(view);
    return place && readSource(reader, operand, view.getSource(), *place);
  }
  auto source = operand.get().getDefiningOp<linalg::GenericOp>();
  if (!source)
    return false;
  if (isMove(source))
    return readSource(reader, operand, source.getDpsInputs().front(),
                      source.getIndexingMapsArray().front());
  if (isGenerated(source))
    return foldGenerated(reader, operand, source);
  return false;
}

/// Whether `op` copies a result of attention as it is: heads that have been
/// split and joined again.
static bool copiesAttention(linalg::GenericOp op) {
  return isMove(op) && op.getIndexingMapsArray().front().isIdentity() &&
         op.getInputs().front().getType() == op.getResult(0).getType() &&
         op.getInputs().front().getDefiningOp<AttentionOpInterface>();
}

void mpc::kernel::foldReads(Block &block) {
  for (auto reader : block.getOps<linalg::GenericOp>()) {
    // A data movement whose result is used elsewhere stays. It reads from the
    // earliest source that it can.
    for (unsigned i = 0; i < reader.getInputs().size();)
      if (!foldOperand(reader, reader->getOpOperand(i)))
        ++i;
  }
  for (auto op : block.getOps<linalg::GenericOp>())
    if (isSumOfProducts(op))
      noteInputBorders(op);
  for (auto op : block.getOps<linalg::GenericOp>())
    if (copiesAttention(op))
      op.getResult(0).replaceAllUsesWith(op.getInputs().front());
  for (auto reader : block.getOps<AttentionOpInterface>())
    for (OpOperand *operand :
         cast<DestinationStyleOpInterface>(reader.getOperation())
             .getDpsInputOperands())
      while (foldAttentionOperand(reader, *operand))
        ;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}
