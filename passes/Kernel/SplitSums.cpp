// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-split-sums: sums over rows that kernels of those rows compute in part.
#include "passes/Kernel/Passes.h"

#include "dialects/Kernel/Cascade.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "passes/Kernel/GroupStages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_SPLITSUMSPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc::kernel;

/// The most ops that a search goes through. What a kernel of rows computes is
/// near.
static constexpr size_t kMostVisited = 64;

namespace {

/// The loops of a sum over rows: `outer` ones that are rows, which it reduces,
/// and others behind them.
struct RowSpace {
  SmallVector<int64_t> extents;
  unsigned outer = 0;

  bool operator==(const RowSpace &) const = default;
  ArrayRef<int64_t> rows() const { return ArrayRef(extents).take_front(outer); }
  ArrayRef<int64_t> elements() const {
    return ArrayRef(extents).drop_front(outer);
  }
};

/// A sum of f32 over all rows, from zero on.
struct RowsSum {
  linalg::GenericOp op;
  RowSpace space;
  int64_t run = 1; ///< The rows of a chain.
  /// The tensors of the space from which it is computed by maps. Some stand
  /// beside sums of single rows.
  llvm::SetVector<Value> tensors;
  bool isBesideRows = false;
  bool isSplit = false; ///< Its op is gone.

  int64_t countRuns() const { return computeProduct(space.rows()) / run; }
};

} // namespace

//===----------------------------------------------------------------------===//
// Sums over rows
//===----------------------------------------------------------------------===//

static bool beginsWithZero(linalg::GenericOp op) {
  auto fill = op.getOutputs().front().getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs().front(), m_PosZeroFloat());
}

/// Whether the region adds a function of its inputs to its result.
static bool addsUp(linalg::GenericOp op, const Statement &statement) {
  return hasChains(statement) &&
         isa_and_present<arith::AddFOp>(getCombiner(statement, 0)) &&
         beginsWithZero(op) && !op.hasIndexSemantics() && !readsByIndex(op);
}

/// The rows of a chain of a sum over `rows`, where whole chains lie in the last
/// loop; otherwise empty.
static std::optional<int64_t> findRun(ArrayRef<int64_t> rows) {
  SmallVector<Chains> cascade = getCascade(computeProduct(rows));
  if (cascade.empty() || rows.back() % cascade.front().count != 0)
    return std::nullopt;
  return cascade.front().count;
}

static std::optional<RowsSum> matchRowsSum(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      op.getNumParallelLoops() == 0)
    return std::nullopt;
  RowsSum sum;
  sum.op = op;
  sum.space = {op.getStaticLoopRanges(), op.getNumReductionLoops()};
  SmallVector<unsigned> kept;
  op.getParallelDims(kept);
  bool isInOrder =
      llvm::equal(kept, llvm::seq<unsigned>(sum.space.outer, op.getNumLoops()));
  if (!isInOrder || !addsUp(op, getStatement(op)))
    return std::nullopt;
  std::optional<int64_t> run = findRun(sum.space.rows());
  if (!run)
    return std::nullopt;
  sum.run = *run;
  return sum;
}

//===----------------------------------------------------------------------===//
// What lies beside sums of single rows
//===----------------------------------------------------------------------===//

static bool isMapOver(linalg::GenericOp op, ArrayRef<int64_t> extents) {
  return op && op.getNumReductionLoops() == 0 && !readsByIndex(op) &&
         ArrayRef(op.getStaticLoopRanges()) == extents;
}

/// Whether `tensor` has a value for each row of `space` that follows from sums,
/// or the like, of single rows.
static bool isOfRowSums(Value tensor, const RowSpace &space) {
  llvm::SetVector<Value> tensors;
  tensors.insert(tensor);
  for (size_t next = 0; next < tensors.size() && next < kMostVisited; ++next) {
    auto op = tensors[next].getDefiningOp<linalg::GenericOp>();
    if (op && op.getNumReductionLoops() != 0) {
      SmallVector<unsigned> kept;
      op.getParallelDims(kept);
      if (ArrayRef(op.getStaticLoopRanges()) == ArrayRef(space.extents) &&
          llvm::equal(kept, llvm::seq<unsigned>(0, space.outer)))
        return true;
    }
    if (isMapOver(op, space.rows()))
      tensors.insert_range(op.getInputs());
  }
  return false;
}

/// Whether a map of `space` reads a value of a row that follows from its sum.
static bool readsRowSums(linalg::GenericOp op, const RowSpace &space) {
  AffineMap row =
      AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext())
          .getMajorSubMap(space.outer);
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return op.getMatchingIndexingMap(input) == row &&
           isOfRowSums(input->get(), space);
  });
}

/// Finds the tensors from which `sum` is computed, up to those that maps of
/// sums of rows compute.
static void findTensors(RowsSum &sum) {
  auto add = [&](linalg::GenericOp op) {
    for (OpOperand *input : op.getDpsInputOperands())
      if (op.getMatchingIndexingMap(input).isIdentity())
        sum.tensors.insert(input->get());
  };
  add(sum.op);
  for (size_t next = 0; next < sum.tensors.size() && next < kMostVisited;
       ++next) {
    auto op = sum.tensors[next].getDefiningOp<linalg::GenericOp>();
    if (!isMapOver(op, sum.space.extents))
      continue;
    sum.isBesideRows |= readsRowSums(op, sum.space);
    add(op);
  }
}

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

namespace {

/// Splits sums over the same rows into one op of partial sums, where the first
/// of them is, and an op for each whole sum.
class Splitter {
public:
  explicit Splitter(ArrayRef<linalg::GenericOp> sums, const RowsSum &first)
      : sums_(sums), space_(first.space), run_(first.run),
        builder_(sums.front()) {}

  void split();

private:
  SmallVector<int64_t> partialExtents(bool withRun) const;
  AffineMap addRun(AffineMap map) const;
  Value createZeros(Location loc);
  void cloneRegions(OpBuilder &builder, Location loc, ValueRange arguments);
  linalg::GenericOp createPartials();
  Value createWhole(linalg::GenericOp sum, Value partial);

  ArrayRef<linalg::GenericOp> sums_;
  const RowSpace &space_;
  int64_t run_;
  OpBuilder builder_;
};

} // namespace

/// The extents of the loops over runs, with the loop over a run or without.
SmallVector<int64_t> Splitter::partialExtents(bool withRun) const {
  SmallVector<int64_t> extents = space_.extents;
  extents[space_.outer - 1] /= run_;
  if (withRun)
    extents.insert(extents.begin() + space_.outer, run_);
  return extents;
}

/// `map` of a sum's loops, by the loops over runs.
AffineMap Splitter::addRun(AffineMap map) const {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
    loops.push_back(
        getAffineDimExpr(loop < space_.outer ? loop : loop + 1, context));
  AffineExpr &last = loops[space_.outer - 1];
  last = last * run_ + getAffineDimExpr(space_.outer, context);
  return map.replaceDimsAndSymbols(loops, {}, map.getNumDims() + 1, 0);
}

/// Clones the region of `sum`, whose arguments are known, and returns the new
/// sum.
static Value cloneRegion(OpBuilder &builder, linalg::GenericOp sum,
                         ValueRange inputs, Value total) {
  IRMapping mapping;
  mapping.map(sum.getRegionInputArgs(), inputs);
  mapping.map(sum.getRegionOutputArgs().front(), total);
  for (Operation &op : sum.getBody()->without_terminator())
    builder.clone(op, mapping);
  return mapping.lookupOrDefault(sum.getBody()->getTerminator()->getOperand(0));
}

/// The first values of partial sums.
Value Splitter::createZeros(Location loc) {
  Value zero =
      arith::ConstantOp::create(builder_, loc, builder_.getF32FloatAttr(0.0f));
  Value empty = tensor::EmptyOp::create(builder_, loc, partialExtents(false),
                                        builder_.getF32Type());
  return linalg::FillOp::create(builder_, loc, zero, empty).getResult(0);
}

/// The regions of all sums, one after the other.
void Splitter::cloneRegions(OpBuilder &builder, Location loc,
                            ValueRange arguments) {
  ValueRange totals = arguments.take_back(sums_.size());
  SmallVector<Value> results;
  for (auto [sum, total] : llvm::zip(sums_, totals)) {
    linalg::GenericOp op = sum;
    size_t count = op.getNumDpsInputs();
    results.push_back(
        cloneRegion(builder, op, arguments.take_front(count), total));
    arguments = arguments.drop_front(count);
  }
  linalg::YieldOp::create(builder, loc, results);
}

linalg::GenericOp Splitter::createPartials() {
  SmallVector<int64_t> loops = partialExtents(true);
  AffineMap all = builder_.getMultiDimIdentityMap(loops.size());
  SmallVector<Location> locs;
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps;
  for (linalg::GenericOp sum : sums_) {
    locs.push_back(sum.getLoc());
    for (OpOperand *input : sum.getDpsInputOperands()) {
      inputs.push_back(input->get());
      maps.push_back(addRun(sum.getMatchingIndexingMap(input)));
    }
    outputs.push_back(createZeros(sum.getLoc()));
  }
  Location loc = FusedLoc::get(builder_.getContext(), locs);
  // No input has the loop over a run alone, so that a tensor of the right
  // shape, which nothing reads, bounds it.
  inputs.push_back(
      tensor::EmptyOp::create(builder_, loc, loops, builder_.getF32Type()));
  maps.push_back(all);
  maps.append(sums_.size(), all.dropResult(space_.outer));
  SmallVector<utils::IteratorType> iterators(loops.size(),
                                             utils::IteratorType::parallel);
  iterators[space_.outer] = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
      builder_, loc, TypeRange(ValueRange(outputs)), inputs, outputs, maps,
      iterators, [&](OpBuilder &nested, Location at, ValueRange arguments) {
        cloneRegions(nested, at, arguments);
      });
}

/// The sum of the partial sums, in place of `sum`.
Value Splitter::createWhole(linalg::GenericOp sum, Value partial) {
  SmallVector<AffineMap> maps = {
      builder_.getMultiDimIdentityMap(sum.getNumLoops()),
      sum.getIndexingMapsArray().back()};
  return linalg::GenericOp::create(
             builder_, sum.getLoc(), sum.getResultTypes(), partial,
             sum.getOutputs(), maps, sum.getIteratorTypesArray(),
             [](OpBuilder &nested, Location loc, ValueRange arguments) {
               Value next = arith::AddFOp::create(nested, loc, arguments[1],
                                                  arguments[0]);
               linalg::YieldOp::create(nested, loc, next);
             })
      .getResult(0);
}

void Splitter::split() {
  linalg::GenericOp partials = createPartials();
  for (auto [sum, partial] : llvm::zip(sums_, partials.getResults())) {
    linalg::GenericOp op = sum;
    builder_.setInsertionPoint(op);
    op.getResult(0).replaceAllUsesWith(createWhole(op, partial));
    op.erase();
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether what `sum` reads is there before `first`.
static bool canComeWith(linalg::GenericOp sum, linalg::GenericOp first) {
  return llvm::all_of(usedTensors(sum), [&](Value value) {
    Operation *source = value.getDefiningOp();
    return !source || value == sum.getOutputs().front() ||
           source->isBeforeInBlock(first);
  });
}

/// The sums of `all` that are split together with `sum`, in order: it, and
/// others of the tensors from which it is computed.
static SmallVector<linalg::GenericOp> findTogether(const RowsSum &sum,
                                                   ArrayRef<RowsSum> all) {
  auto readsTensors = [&](linalg::GenericOp op) {
    return llvm::any_of(op.getInputs(), [&](Value input) {
      return sum.tensors.contains(input);
    });
  };
  SmallVector<linalg::GenericOp> together;
  for (const RowsSum &other : all)
    if (other.op == sum.op ||
        (!other.isBesideRows && !other.isSplit && other.space == sum.space &&
         readsTensors(other.op)))
      together.push_back(other.op);
  linalg::GenericOp first = together.front();
  bool canCome = llvm::all_of(
      together, [&](linalg::GenericOp op) { return canComeWith(op, first); });
  return canCome ? together : SmallVector<linalg::GenericOp>{sum.op};
}

namespace {

struct SplitSumsPass : mpc::kernel::impl::SplitSumsPassBase<SplitSumsPass> {
  using SplitSumsPassBase::SplitSumsPassBase;

  void runOnOperation() override {
    if (TargetAttrInterface target = getTarget(getOperation()))
      for (Block &block : getOperation().getBody())
        splitBlock(block, target);
  }

private:
  void splitBlock(Block &block, TargetAttrInterface target) {
    std::vector<RowsSum> sums;
    for (auto op : block.getOps<linalg::GenericOp>())
      if (std::optional<RowsSum> sum = matchRowsSum(op)) {
        findTensors(*sum);
        sums.push_back(std::move(*sum));
      }
    for (const RowsSum &sum : sums) {
      if (!sum.isBesideRows)
        continue;
      SmallVector<linalg::GenericOp> together = findTogether(sum, sums);
      if (!target.sumsRunsOfRows(sum.countRuns(),
                                 computeProduct(sum.space.elements()),
                                 together.size()))
        continue;
      for (RowsSum &one : sums)
        one.isSplit |= llvm::is_contained(together, one.op);
      Splitter(together, sum).split();
      ++numSplit;
    }
  }
};

} // namespace
