// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns for ops on gradients: gather, transform, check, accumulate,
// exchange.
#include "dialects/Interfaces/Precision.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/Gradient.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/AMP/StatePatterns.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// Replaces `op`, whose result is all gradients of an optimizer, by one flat
/// range for each parameter group.
static void replaceByGroups(ConversionPatternRewriter &b, Operation *op,
                            SmallVector<Value> ranges) {
  SmallVector<SmallVector<Value>> results;
  results.push_back(std::move(ranges));
  b.replaceOpWithMultiple(op, std::move(results));
}

namespace {

struct LowerGather : StatePattern<GatherOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(GatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SlabBuilder s = slabs(op, b);
    SmallVector<Value> ranges;
    for (ParameterGroup *group :
         layout().groupsOf(layout().optimizer(op.getType()))) {
      SmallVector<Value> parts = llvm::map_to_vector(
          group->order, [&](unsigned i) { return adaptor.getGradients()[i]; });
      ranges.push_back(nn::GradientBuilder(b, op.getLoc())
                           .cast(s.pack(*group, parts), b.getF32Type()));
    }
    replaceByGroups(b, op, std::move(ranges));
    return success();
  }
};

struct LowerSplit : StatePattern<SplitOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(SplitOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SlabBuilder s = slabs(op, b);
    SmallVector<Value> parts(op.getNumResults());
    for (auto [group, range] : llvm::zip_equal(
             layout().groupsOf(layout().optimizer(op.getInput().getType())),
             adaptor.getInput()))
      for (auto [index, offset] : llvm::zip_equal(group->order, group->offsets))
        parts[index] =
            s.view(range, offset,
                   cast<RankedTensorType>(op.getResult(index).getType()));
    b.replaceOp(op, parts);
    return success();
  }
};

/// Lowers any gradient transform. The op itself builds the computation for a
/// group.
struct LowerTransform
    : OpInterfaceConversionPattern<GradientTransformInterface> {
  LowerTransform(const TypeConverter &types, MLIRContext *context,
                 const StateContext &state)
      : OpInterfaceConversionPattern(types, context), state_(state) {}

  LogicalResult matchAndRewrite(GradientTransformInterface op,
                                ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &b) const override {
    auto type = dyn_cast<GradientsType>(op->getResult(0).getType());
    if (!type)
      // A transform of one tensor has a kernel body of its own.
      return failure();
    SlabBuilder s(state_.layout, state_.saturates, b, op.getLoc());
    SmallVector<Value> scalars = llvm::map_to_vector(
        operands.drop_front(), [](ValueRange range) { return range.front(); });
    auto groups = state_.layout.groupsOf(state_.layout.optimizer(type));
    SmallVector<Value> results;
    for (auto [group, range] : llvm::zip_equal(groups, operands[0])) {
      SmallVector<int64_t> blocks;
      Value parameters;
      if (op.needsTensors())
        blocks = group->blocks();
      if (op.needsParameters())
        parameters = type.getParts() == 1 ? s.load(group->slab)
                                          : s.loadPart(*group, group->slab);
      results.push_back(op.buildGroup(b, {.gradients = range,
                                          .parameters = parameters,
                                          .decay = group->decay,
                                          .scalars = scalars,
                                          .blocks = blocks}));
    }
    replaceByGroups(b, op, std::move(results));
    return success();
  }

private:
  const StateContext &state_;
};

/// Lowers a reduction over the gradients of one or more optimizers, and over
/// single tensors: the numbers of each block, group after group, and then those
/// of the tensors, which are packed to one range.
template <typename OpT>
struct LowerReduction : StatePattern<OpT> {
  using StatePattern<OpT>::StatePattern;

protected:
  /// Makes the numbers of a range, one for each block.
  using Reduce = function_ref<Value(Value)>;

  SmallVector<Value> rowsOf(OpT op, ArrayRef<ValueRange> operands, OpBuilder &b,
                            Reduce reduce) const {
    SmallVector<Value> rows, tensors;
    ParameterGroup own;
    SlabBuilder s = this->slabs(op, b);
    Parts parts;
    for (auto [gradients, values] :
         llvm::zip_equal(op.getGradients(), operands)) {
      if (auto type = dyn_cast<GradientsType>(gradients.getType())) {
        addRows(type, values, reduce, rows, parts);
        continue;
      }
      tensors.push_back(values.front());
      own.place(cast<RankedTensorType>(gradients.getType()).getNumElements(),
                this->layout().tensorAlignment());
    }
    gather(parts, rows, s);
    if (!tensors.empty())
      rows.push_back(reduce(s.pack(own, tensors)));
    return rows;
  }

private:
  /// The rows of which a rank has a part, by their places among all, and how
  /// many ranks there are.
  struct Parts {
    SmallVector<size_t> places;
    SmallVector<SlabBuilder::Part> parts;
    int64_t ranks = 1;
  };

  void addRows(GradientsType type, ValueRange ranges, Reduce reduce,
               SmallVectorImpl<Value> &rows, Parts &parts) const {
    auto groups = this->layout().groupsOf(this->layout().optimizer(type));
    for (auto [group, range] : llvm::zip_equal(groups, ranges)) {
      rows.push_back(reduce(range));
      if (type.getParts() == 1)
        continue;
      parts.places.push_back(rows.size() - 1);
      parts.parts.push_back({rows.back(), group->size / kBlockSize});
      parts.ranks = type.getParts();
    }
  }

  static void gather(const Parts &parts, SmallVectorImpl<Value> &rows,
                     SlabBuilder &s) {
    for (auto [place, all] :
         llvm::zip_equal(parts.places, s.gather(parts.parts, parts.ranks)))
      rows[place] = all;
  }
};

struct LowerCheck : LowerReduction<CheckOp> {
  using LowerReduction::LowerReduction;

  LogicalResult matchAndRewrite(CheckOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOpWithNewOp<CombineCheckOp>(
        op, rowsOf(op, adaptor.getGradients(), b, [&](Value range) {
          return buildSquareSums(b, op.getLoc(), range);
        }));
    return success();
  }
};

struct LowerMaxAbs : LowerReduction<MaxAbsOp> {
  using LowerReduction::LowerReduction;

  LogicalResult matchAndRewrite(MaxAbsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto reduce = [&](Value range) -> Value {
      Value blocks = buildBlocks(b, op.getLoc(), range);
      int64_t rows = cast<RankedTensorType>(blocks.getType()).getDimSize(0);
      return BlockMaxAbsOp::create(
          b, op.getLoc(), RankedTensorType::get(rows, b.getF32Type()), blocks);
    };
    b.replaceOpWithNewOp<CombineMaxAbsOp>(
        op, rowsOf(op, adaptor.getGradients(), b, reduce));
    return success();
  }
};

struct LowerAccumulate : StatePattern<AccumulateOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(AccumulateOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SlabBuilder s = slabs(op, b);
    const OptimizerState &optimizer =
        layout().optimizer(op.getGradients().getType());
    for (auto [group, range] :
         llvm::zip_equal(layout().groupsOf(optimizer), adaptor.getGradients()))
      add(op, range, *group, s, b);
    if (SlabOp batches = optimizer.batches) {
      nn::GradientBuilder g(b, op.getLoc());
      Value count = s.element(batches, 0);
      s.storeElements(batches, g.add(count, g.splat(count, 1.0)));
    }
    b.eraseOp(op);
    return success();
  }

private:
  void add(AccumulateOp op, Value range, const ParameterGroup &group,
           SlabBuilder &s, OpBuilder &b) const {
    SmallVector<Value> parts = llvm::map_to_vector(
        group.gradientSlabs, [&](SlabOp slab) { return s.load(slab); });
    if (!op.getPairsOf())
      return s.store(
          group.gradientSlabs.front(),
          AddGradientOp::create(b, op.getLoc(), range, parts.front()));
    const OptimizerState &optimizer =
        layout().optimizer(op.getGradients().getType());
    auto sums =
        AddPairsOp::create(b, op.getLoc(), ValueRange(parts).getTypes(), range,
                           s.element(optimizer.batches, 0), parts);
    for (auto [slab, sum] :
         llvm::zip_equal(group.gradientSlabs, sums.getOutputs()))
      s.store(slab, sum);
  }
};

struct LowerTakeGradients : StatePattern<TakeGradientsOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(TakeGradientsOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    SlabBuilder s = slabs(op, b);
    const OptimizerState &optimizer = layout().optimizer(op.getType());
    SmallVector<Value> sums;
    for (ParameterGroup *group : layout().groupsOf(optimizer))
      sums.push_back(op.getPairsOf() ? sumOfPairs(op, *group, s, b)
                                     : takeSum(op, *group, s, b));
    if (SlabOp batches = optimizer.batches)
      s.store(batches,
              nn::GradientBuilder(b, op.getLoc())
                  .splat(cast<RankedTensorType>(batches.getType()), 0.0));
    replaceByGroups(b, op, std::move(sums));
    return success();
  }

private:
  static Value takeSum(TakeGradientsOp op, const ParameterGroup &group,
                       SlabBuilder &s, OpBuilder &b) {
    SlabOp slab = group.gradientSlabs.front();
    Value sum = s.load(slab);
    s.store(slab, nn::GradientBuilder(b, op.getLoc()).splat(sum, 0.0));
    return sum;
  }

  /// The parts that a whole window has in use, joined from the smallest on. The
  /// next window overwrites them.
  static Value sumOfPairs(TakeGradientsOp op, const ParameterGroup &group,
                          SlabBuilder &s, OpBuilder &b) {
    Value sum;
    for (auto [level, slab] : llvm::enumerate(group.gradientSlabs)) {
      if (((*op.getPairsOf() >> level) & 1) == 0)
        continue;
      Value part = s.load(slab);
      sum = sum ? nn::GradientBuilder(b, op.getLoc()).add(part, sum) : part;
    }
    return sum;
  }
};

/// Ranks exchange parts of a range, each sums its own part, and the sums are
/// gathered where each rank asks for all.
struct LowerExchange : StatePattern<ExchangeOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(ExchangeOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto groups = layout().groupsOf(layout().optimizer(op.getType()));
    SmallVector<SlabBuilder::Part> sums;
    for (auto [group, received] :
         llvm::zip_equal(groups, exchange(op, adaptor.getInput(), b)))
      sums.push_back({sumOf(op, received, b), group->size});
    SmallVector<Value> results;
    if (cast<GradientsType>(op.getType()).getParts() == 1)
      results = slabs(op, b).gather(sums, ranksOf(op));
    else
      for (const SlabBuilder::Part &sum : sums)
        results.push_back(sum.own);
    replaceByGroups(b, op, std::move(results));
    return success();
  }

private:
  static int64_t ranksOf(ExchangeOp op) {
    return static_cast<int64_t>(op.getRanks());
  }

  /// The parts of all ranks of the elements of each range that this rank sums.
  static SmallVector<Value> exchange(ExchangeOp op, ValueRange ranges,
                                     OpBuilder &b) {
    int64_t ranks = ranksOf(op);
    SmallVector<Value> sent;
    SmallVector<Type> types;
    for (Value range : ranges) {
      auto type = cast<RankedTensorType>(range.getType());
      int64_t part = kernel::partOf(type.getNumElements(), ranks, kBlockSize);
      sent.push_back(narrowed(range));
      types.push_back(RankedTensorType::get({ranks * part},
                                            getElementTypeOrSelf(sent.back())));
    }
    auto moved = kernel::CollectiveOp::create(
        b, op.getLoc(), types, kernel::CollectiveKind::AllToAll, ranks, sent);
    return llvm::to_vector_of<Value>(moved.getResults());
  }

  static Value sumOf(ExchangeOp op, Value received, OpBuilder &b) {
    nn::GradientBuilder g(b, op.getLoc());
    auto type = cast<RankedTensorType>(received.getType());
    int64_t part = type.getNumElements() / ranksOf(op);
    SmallVector<Value> parts;
    for (int64_t rank = 0; rank != ranksOf(op); ++rank)
      parts.push_back(
          g.cast(kernel::ViewOp::create(b, op.getLoc(), type.clone({part}),
                                        received, rank * part),
                 b.getF32Type()));
    return sumOfPairs(g, parts);
  }

  /// `range` in the type in which its gradients arrived.
  static Value narrowed(Value range) {
    auto cast = range.getDefiningOp<nn::CastOp>();
    return cast && isLowPrecision(getElementTypeOrSelf(cast.getInput()))
               ? cast.getInput()
               : range;
  }

  /// Level by level; the last one of an odd number goes up as it is.
  static Value sumOfPairs(nn::GradientBuilder &g, SmallVector<Value> parts) {
    while (parts.size() > 1) {
      SmallVector<Value> sums;
      for (size_t i = 0; i + 1 < parts.size(); i += 2)
        sums.push_back(g.add(parts[i], parts[i + 1]));
      if (parts.size() % 2 == 1)
        sums.push_back(parts.back());
      parts = std::move(sums);
    }
    return parts.front();
  }
};

struct LowerAllGather : StatePattern<AllGatherOp> {
  using StatePattern::StatePattern;

  LogicalResult matchAndRewrite(AllGatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<RankedTensorType>(op.getType());
    b.replaceOp(op, kernel::CollectiveOp::create(
                        b, op.getLoc(), TypeRange(type),
                        kernel::CollectiveKind::AllGather,
                        static_cast<int64_t>(op.getRanks()), adaptor.getInput())
                        .getResult(0));
    return success();
  }
};

} // namespace

void mpc::amp::addGradientPatterns(RewritePatternSet &patterns,
                                   const TypeConverter &types,
                                   const StateContext &state) {
  patterns
      .add<LowerGather, LowerSplit, LowerTransform, LowerCheck, LowerMaxAbs,
           LowerAccumulate, LowerTakeGradients, LowerExchange, LowerAllGather>(
          types, patterns.getContext(), state);
}
