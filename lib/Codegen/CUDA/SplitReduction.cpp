// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Split-K, on the kernels themselves: neither emitter knows of it.
#include "lib/Codegen/CUDA/SplitReduction.h"

#include "dialects/Kernel/Contract.h"
#include "dialects/Kernel/Contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

/// Tiles of 64 rows and columns that keep a large GPU busy.
static constexpr int64_t kBusy = 264;
/// Terms of a slice that are worth its tile's way through memory.
static constexpr int64_t kLeastTerms = 256;
/// Slices are read by one thread an element of the result.
static constexpr int64_t kMostSlices = 15;

namespace {

/// Which loop of a contraction is split, and into how many slices.
struct Split {
  unsigned loop = 0;
  int64_t slices = 1;
};

/// The two kernels that one becomes.
class Splitter {
public:
  Splitter(FuncOp kernel, const Contraction &contraction, Split split)
      : kernel_(kernel), contraction_(contraction), split_(split),
        builder_(kernel.getContext()) {
    for (unsigned operand = 0; operand < 2; ++operand)
      factors_[operand] =
          cast<BlockArgument>(contraction.getOperand(operand).tensor)
              .getArgNumber();
  }

  /// The kernel of the sum; null where it would not run by rows or columns.
  FuncOp createSum();
  FuncOp createSlices();
  /// Puts the sum in the kernel's place, and the slices before its launches.
  void replace(FuncOp sum, FuncOp slices, ArrayRef<LaunchOp> launches);

private:
  RankedTensorType getPartialType() {
    auto result = cast<RankedTensorType>(contraction_.getResult().getType());
    SmallVector<int64_t> shape = {split_.slices};
    llvm::append_range(shape, result.getShape());
    return RankedTensorType::get(shape, result.getElementType());
  }
  AffineMap addSlices(AffineMap map, bool isResult);
  void createSlicesBody(FuncOp slices);

  FuncOp kernel_;
  const Contraction &contraction_;
  Split split_;
  OpBuilder builder_;
  /// The arguments of the kernel that the factors are.
  std::array<unsigned, 2> factors_;
  /// Inputs of the kernel that the sum still has.
  SmallVector<unsigned> kept_;
};

} // namespace

//===----------------------------------------------------------------------===//
// How many
//===----------------------------------------------------------------------===//

static int64_t largestDivisor(int64_t number, int64_t limit) {
  while (limit > 1 && number % limit != 0)
    --limit;
  return std::max<int64_t>(limit, 1);
}

/// The loop that is the statement's dimension `dim`.
static unsigned loopOf(const Statement &statement, unsigned dim) {
  for (auto [loop, index] : llvm::enumerate(statement.indices))
    if (auto found = dyn_cast<AffineDimExpr>(index);
        found && found.getPosition() == dim)
      return loop;
  llvm_unreachable("every dimension is a loop");
}

/// The most slices that some loop of the sum can be cut into, of those that are
/// worth it.
static Split chooseSplit(const Contraction &contraction) {
  constexpr int64_t kSide = 64;
  int64_t m = contraction.sizes[Contraction::M];
  int64_t n = contraction.sizes[Contraction::N];
  int64_t k = contraction.sizes[Contraction::K];
  int64_t tiles = contraction.sizes[Contraction::Batch] *
                  llvm::divideCeil(m, kSide) * llvm::divideCeil(n, kSide);
  Split split;
  if (std::max(m, n) < 16 || std::min(m, n) < 8)
    return split;
  int64_t limit = std::min({kBusy / tiles, k / kLeastTerms, kMostSlices});
  for (unsigned dim : contraction.groups[Contraction::K]) {
    int64_t slices = largestDivisor(contraction.statement.extents[dim], limit);
    if (slices > split.slices)
      split = {loopOf(contraction.statement, dim), slices};
  }
  return split;
}

//===----------------------------------------------------------------------===//
// The slices
//===----------------------------------------------------------------------===//

/// `map` with a loop over slices in front: the loop that is split is what is
/// left of it, and a result has an axis more.
AffineMap Splitter::addSlices(AffineMap map, bool isResult) {
  MLIRContext *context = map.getContext();
  AffineExpr slice = getAffineDimExpr(0, context);
  unsigned numLoops = map.getNumDims();
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    loops.push_back(getAffineDimExpr(loop + 1, context));
  int64_t extent =
      contraction_.generic().getStaticLoopRanges()[split_.loop] / split_.slices;
  loops[split_.loop] = slice * extent + loops[split_.loop];
  AffineMap moved = map.replaceDimsAndSymbols(loops, {}, numLoops + 1, 0);
  return isResult ? moved.insertResult(slice, 0) : moved;
}

FuncOp Splitter::createSlices() {
  builder_.setInsertionPoint(kernel_);
  Type partial = getPartialType();
  SmallVector<Type> types = {contraction_.getOperand(0).tensor.getType(),
                             contraction_.getOperand(1).tensor.getType(),
                             partial};
  auto slices = FuncOp::create(builder_, kernel_.getLoc(),
                               (kernel_.getName() + "_slices").str(),
                               builder_.getFunctionType(types, {partial}));
  if (ArrayAttr sources = kernel_.getSourcesAttr())
    slices.setSourcesAttr(sources);
  createSlicesBody(slices);
  return slices;
}

/// Clones what `block` computes, with the constants from outside of it.
static Value cloneBody(OpBuilder &builder, Block *block, IRMapping &mapping) {
  for (Operation &op : block->without_terminator()) {
    for (Value operand : op.getOperands())
      if (!mapping.contains(operand))
        builder.clone(*operand.getDefiningOp(), mapping);
    builder.clone(op, mapping);
  }
  return mapping.lookup(block->getTerminator()->getOperand(0));
}

void Splitter::createSlicesBody(FuncOp slices) {
  linalg::GenericOp op = contraction_.generic();
  Location loc = op.getLoc();
  builder_.setInsertionPointToStart(&slices.getBody().front());
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  extents[split_.loop] /= split_.slices;
  extents.insert(extents.begin(), split_.slices);
  SmallVector<AffineMap> maps;
  for (unsigned operand = 0; operand < 2; ++operand)
    maps.push_back(addSlices(
        op.getIndexingMapsArray()[contraction_.operands[operand]], false));
  // No map has the loop that was split for itself: a tensor of the right shape,
  // which nobody reads, says how far it goes.
  maps.push_back(builder_.getMultiDimIdentityMap(extents.size()));
  maps.push_back(addSlices(op.getIndexingMapsArray().back(), true));
  Value shape =
      tensor::EmptyOp::create(builder_, loc, extents, builder_.getF32Type());
  Value zero =
      arith::ConstantOp::create(builder_, loc, builder_.getF32FloatAttr(0.0f));
  Value first =
      linalg::FillOp::create(builder_, loc, zero, slices.getDestination(0))
          .getResult(0);
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.insert(iterators.begin(), utils::IteratorType::parallel);
  SmallVector<Value> inputs = {slices.getArgument(0), slices.getArgument(1),
                               shape};
  auto generic = linalg::GenericOp::create(
      builder_, loc, first.getType(), inputs, first, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(contraction_.getArgument(0), arguments[0]);
        mapping.map(contraction_.getArgument(1), arguments[1]);
        mapping.map(op.getBody()->getArguments().back(), arguments.back());
        linalg::YieldOp::create(nested, loc,
                                cloneBody(nested, op.getBody(), mapping));
      });
  ReturnOp::create(builder_, loc, generic.getResults());
}

//===----------------------------------------------------------------------===//
// The sum
//===----------------------------------------------------------------------===//

/// What adds the slices in `partial` up, in order.
static linalg::GenericOp createSumOf(OpBuilder &builder, Value partial,
                                     linalg::GenericOp op) {
  unsigned rank = cast<RankedTensorType>(partial.getType()).getRank();
  AffineMap all = builder.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps = {all, all.dropResult(0)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators[0] = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
      builder, op.getLoc(), op.getResultTypes(), partial, op.getOutputs(), maps,
      iterators, [](OpBuilder &nested, Location loc, ValueRange arguments) {
        Value sum =
            arith::AddFOp::create(nested, loc, arguments[1], arguments[0]);
        linalg::YieldOp::create(nested, loc, sum);
      });
}

FuncOp Splitter::createSum() {
  IRMapping mapping;
  auto sum = cast<FuncOp>(kernel_->clone(mapping));
  unsigned numInputs = sum.getNumInputs();
  (void)sum.insertArgument(numInputs, getPartialType(), {}, kernel_.getLoc());
  auto op = cast<linalg::GenericOp>(
      mapping.lookup(contraction_.generic().getOperation()));
  builder_.setInsertionPoint(op);
  op->replaceAllUsesWith(createSumOf(builder_, sum.getArgument(numInputs), op));
  op->erase();
  for (unsigned input = numInputs; input-- > 0;)
    if (sum.getArgument(input).use_empty())
      (void)sum.eraseArgument(input);
    else
      kept_.insert(kept_.begin(), input);
  if (succeeded(stateContract(sum)) && sum.getKind() != KernelKind::Loops)
    return sum;
  sum.erase();
  return {};
}

void Splitter::replace(FuncOp sum, FuncOp slices, ArrayRef<LaunchOp> launches) {
  RankedTensorType type = getPartialType();
  kernel_.getBody().takeBody(sum.getBody());
  kernel_->setAttrs(sum->getAttrDictionary());
  sum.erase();
  for (LaunchOp launch : launches) {
    builder_.setInsertionPoint(launch);
    SmallVector<Value> given(launch.getInputs());
    Value place = tensor::EmptyOp::create(
        builder_, launch.getLoc(), type.getShape(), type.getElementType());
    auto partial = LaunchOp::create(
        builder_, launch.getLoc(), place.getType(), slices.getName(),
        ValueRange{given[factors_[0]], given[factors_[1]]}, place);
    SmallVector<Value> inputs = llvm::map_to_vector(
        kept_, [&](unsigned input) { return given[input]; });
    inputs.push_back(partial.getResult(0));
    launch.getInputsMutable().assign(inputs);
  }
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

FuncOp mpc::cuda::splitReduction(FuncOp kernel, ArrayRef<LaunchOp> launches,
                                 SymbolTable &symbols) {
  Body body = *getBody(kernel);
  Contraction contraction = *matchContraction(body.statements.front());
  Split split = chooseSplit(contraction);
  if (split.slices == 1)
    return {};
  Splitter splitter(kernel, contraction, split);
  FuncOp sum = splitter.createSum();
  if (!sum)
    return {};
  FuncOp slices = splitter.createSlices();
  if (failed(stateContract(slices)) ||
      slices.getKind() != KernelKind::Contraction) {
    slices.erase();
    sum.erase();
    return {};
  }
  symbols.insert(slices, Block::iterator(kernel));
  splitter.replace(sum, slices, launches);
  return slices;
}
