// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The index spaces of groups, and which two of them are one.
#include "passes/Kernel/GroupSpace.h"

#include "dialects/Kernel/Contraction.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mpc::kernel;

/// A row kernel of fewer rows has too little work to share among threads...
static constexpr int64_t kMinRows = 8;
/// ...unless its whole space is small.
static constexpr int64_t kSmallSpace = 1 << 15;

/// (d0, ..., dn-1) -> (d0, ..., dk-1)
static bool isLeading(AffineMap map) {
  for (auto [index, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || dim.getPosition() != index)
      return false;
  }
  return true;
}

/// The number of reduction loops, where they come after all parallel loops; -1
/// where the two are mixed.
static int64_t trailingReductions(linalg::GenericOp op) {
  int64_t count = op.getNumReductionLoops();
  auto iterators = op.getIteratorTypesArray();
  for (int64_t i = iterators.size() - count, e = iterators.size(); i < e; ++i)
    if (iterators[i] != utils::IteratorType::reduction)
      return -1;
  return count;
}

static bool writesLeading(linalg::GenericOp op) {
  for (OpOperand &init : op.getDpsInitsMutable())
    if (AffineMap map = op.getMatchingIndexingMap(&init);
        !isLeading(map) || map.getNumResults() != op.getNumParallelLoops())
      return false;
  return true;
}

SharedSpace mpc::kernel::spaceOf(linalg::GenericOp op) {
  SharedSpace space;
  int64_t reductions = trailingReductions(op);
  if (reductions < 0 || !writesLeading(op) || readsByIndex(op))
    return space;
  SmallVector<int64_t> loops = op.getStaticLoopRanges();
  if (reductions == 0) {
    space.kind = GroupSpace::Map;
    space.shape = loops;
    return space;
  }
  bool readsWhole = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *in) {
    return op.getMatchingIndexingMap(in).isIdentity();
  });
  // A matrix times a vector reads the matrix whole, as a sum along rows does.
  if (isSumOfProducts(op)) {
    space.kind = GroupSpace::Contraction;
    space.shape.assign(loops.begin(), loops.end() - reductions);
  } else if (readsWhole) {
    space.kind = GroupSpace::Rows;
    space.shape = loops;
    space.inner = reductions;
  }
  return space;
}

/// The rows of a space of rows, without the dimensions that are reduced.
static ArrayRef<int64_t> rowsOf(const SharedSpace &space) {
  return ArrayRef<int64_t>(space.shape).drop_back(space.inner);
}

/// Whether rows have too little work to share among threads.
static bool hasFewRows(const SharedSpace &space) {
  return computeProduct(rowsOf(space)) < kMinRows &&
         computeProduct(space.shape) > kSmallSpace;
}

/// The space of a producer and a consumer together, by their shapes alone;
/// Other where they are two.
static SharedSpace combine(const SharedSpace &producer,
                           const SharedSpace &consumer) {
  using Kind = GroupSpace;
  ArrayRef<int64_t> p = producer.shape, c = consumer.shape;
  auto are = [&](Kind first, Kind second) {
    return producer.kind == first && consumer.kind == second;
  };
  if (are(Kind::Map, Kind::Map) && p == c)
    return producer;
  if (are(Kind::Contraction, Kind::Map) && p == c)
    return producer;
  if (are(Kind::Map, Kind::Contraction) && p == c)
    return consumer;
  if (are(Kind::Rows, Kind::Rows) && p == c && producer.inner == consumer.inner)
    return producer;
  if (are(Kind::Rows, Kind::Map) && (p == c || rowsOf(producer) == c))
    return producer;
  if (are(Kind::Map, Kind::Rows) && (p == c || p == rowsOf(consumer)))
    return consumer;
  return {};
}

/// Whether `op` reads `operand` element by element, or a value of each row by
/// the same row.
static bool readsAligned(linalg::GenericOp op, OpOperand &operand,
                         const SharedSpace &joined) {
  // Another op updates the value in place, which is more than a read.
  if (!op.isDpsInput(&operand))
    return false;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!isLeading(map))
    return false;
  auto rank = static_cast<unsigned>(joined.shape.size());
  unsigned results = map.getNumResults();
  if (results == rank)
    return op.getNumLoops() == rank;
  return results == rank - joined.inner;
}

/// Whether the consumer reads all that the producer computes in that way.
static bool readsAligned(const Group &producer, const Group &consumer,
                         const SharedSpace &joined) {
  DenseSet<Operation *> made(producer.statements.begin(),
                             producer.statements.end());
  for (Operation *statement : consumer.statements) {
    auto op = dyn_cast<linalg::GenericOp>(statement);
    if (!op)
      continue;
    for (OpOperand &operand : op->getOpOperands())
      if (made.contains(operand.get().getDefiningOp()) &&
          !readsAligned(op, operand, joined))
        return false;
  }
  return true;
}

/// Whether a statement uses the position of an element, which a map beside or
/// on a contraction does not have.
static bool asksForIndex(const Group &group) {
  return llvm::any_of(group.statements, [](Operation *statement) {
    auto op = dyn_cast<linalg::GenericOp>(statement);
    return op && op.hasIndexSemantics();
  });
}

SharedSpace mpc::kernel::joinedSpace(const Group &producer,
                                     const Group &consumer) {
  SharedSpace joined = combine(producer.space, consumer.space);
  bool isOne = joined.kind != GroupSpace::Other &&
               !(joined.kind == GroupSpace::Rows && hasFewRows(joined)) &&
               !(joined.kind == GroupSpace::Contraction &&
                 (asksForIndex(producer) || asksForIndex(consumer))) &&
               readsAligned(producer, consumer, joined);
  return isOne ? joined : SharedSpace();
}
