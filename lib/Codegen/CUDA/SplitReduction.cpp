// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Split-K, as a rewriting of kernels. Emitters do not know of it.
#include "lib/Codegen/CUDA/SplitReduction.h"

#include "dialects/Kernel/Contract.h"
#include "dialects/Kernel/Contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

/// The number of tiles of 64 rows and columns that keep a large GPU busy.
static constexpr int64_t kBusy = 264;
/// The least terms of a slice that are worth the tile's way through memory.
static constexpr int64_t kLeastTerms = 256;
/// The most slices, which one thread reads for each element of the result.
static constexpr int64_t kMostSlices = 15;

namespace {

/// The loop of a sum that is split, and the number of slices.
struct Split {
  unsigned loop = 0;
  int64_t slices = 1;
};

/// The first statement of a kernel: an f32 sum from zero over tensors that are
/// inputs of the kernel.
struct Sum {
  linalg::GenericOp op;
  SmallVector<unsigned> operands; ///< The inputs of `op` that the sum reads.
  Split split;
};

/// Splits a kernel into two.
class Splitter {
public:
  Splitter(FuncOp kernel, const Sum &sum)
      : kernel_(kernel), sum_(sum), op_(sum.op), split_(sum.split),
        builder_(kernel.getContext()) {
    for (unsigned operand : sum.operands)
      arguments_.push_back(
          cast<BlockArgument>(op_.getDpsInputOperand(operand)->get())
              .getArgNumber());
  }

  /// Creates the kernel of the sum; null where it would not run by rows or
  /// columns.
  FuncOp createSum();
  FuncOp createSlices();
  /// Replaces the kernel by the sum, and adds the slices before its launches.
  void replace(FuncOp sum, FuncOp slices, ArrayRef<LaunchOp> launches);

private:
  RankedTensorType getPartialType() {
    auto result = cast<RankedTensorType>(op_->getResult(0).getType());
    SmallVector<int64_t> shape = {split_.slices};
    llvm::append_range(shape, result.getShape());
    return RankedTensorType::get(shape, result.getElementType());
  }
  AffineMap addSlices(AffineMap map, bool isResult);
  void createSlicesBody(FuncOp slices);

  FuncOp kernel_;
  const Sum &sum_;
  linalg::GenericOp op_;
  Split split_;
  OpBuilder builder_;
  /// The kernel's arguments that are operands of the sum.
  SmallVector<unsigned> arguments_;
  /// The kernel's inputs that the sum of slices still reads.
  SmallVector<unsigned> kept_;
};

} // namespace

//===----------------------------------------------------------------------===//
// The number of slices
//===----------------------------------------------------------------------===//

static int64_t largestDivisor(int64_t number, int64_t limit) {
  while (limit > 1 && number % limit != 0)
    --limit;
  return std::max<int64_t>(limit, 1);
}

/// The loop that belongs to dimension `dim` of the statement.
static unsigned loopOf(const Statement &statement, unsigned dim) {
  for (auto [loop, index] : llvm::enumerate(statement.indices))
    if (auto found = dyn_cast<AffineDimExpr>(index);
        found && found.getPosition() == dim)
      return loop;
  llvm_unreachable("every dimension is a loop");
}

/// The most slices into which a loop of the sum can be cut, where slices have
/// enough terms.
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

/// The split of a sum over columns, of which a block has 32.
static Split chooseColumnSplit(const Statement &statement) {
  int64_t columns = statement.numParallel();
  int64_t terms = statement.numIterations() / columns;
  int64_t blocks = llvm::divideCeil(columns, 32);
  int64_t limit = std::min({kBusy / blocks, terms / kLeastTerms, kMostSlices});
  Split split;
  for (unsigned dim = 0; dim < statement.numDims(); ++dim) {
    if (!statement.reduced[dim])
      continue;
    int64_t slices = largestDivisor(statement.extents[dim], limit);
    if (slices > split.slices)
      split = {loopOf(statement, dim), slices};
  }
  return split;
}

/// Whether the region adds a function of its inputs to its result.
static bool addsUp(linalg::GenericOp op) {
  BlockArgument sum = op.getBody()->getArguments().back();
  auto add = op.getBody()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  return add && sum.hasOneUse() && llvm::is_contained(add->getOperands(), sum);
}

static bool beginsWithZero(linalg::GenericOp op) {
  auto fill = op.getOutputs().front().getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs().front(), m_AnyZeroFloat());
}

/// Reads `statement` as a sum; empty where something is computed before it.
static std::optional<Sum> matchColumnSum(const Statement &statement) {
  linalg::GenericOp op = statement.generic();
  if (!op || op.getNumDpsInits() != 1 || op.hasIndexSemantics() ||
      isInOrder(statement) ||
      !getElementTypeOrSelf(op->getResult(0).getType()).isF32() ||
      !llvm::all_of(op.getInputs(), llvm::IsaPred<BlockArgument>) ||
      !addsUp(op) || !beginsWithZero(op))
    return std::nullopt;
  return Sum{op, llvm::to_vector(llvm::seq<unsigned>(0, op.getNumDpsInputs())),
             chooseColumnSplit(statement)};
}

//===----------------------------------------------------------------------===//
// The slices
//===----------------------------------------------------------------------===//

/// `map` with a loop over slices in front. The split loop goes over the terms
/// of a slice, and a result has one more axis.
AffineMap Splitter::addSlices(AffineMap map, bool isResult) {
  MLIRContext *context = map.getContext();
  AffineExpr slice = getAffineDimExpr(0, context);
  unsigned numLoops = map.getNumDims();
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    loops.push_back(getAffineDimExpr(loop + 1, context));
  int64_t extent = op_.getStaticLoopRanges()[split_.loop] / split_.slices;
  loops[split_.loop] = slice * extent + loops[split_.loop];
  AffineMap moved = map.replaceDimsAndSymbols(loops, {}, numLoops + 1, 0);
  return isResult ? moved.insertResult(slice, 0) : moved;
}

FuncOp Splitter::createSlices() {
  builder_.setInsertionPoint(kernel_);
  Type partial = getPartialType();
  SmallVector<Type> types;
  for (unsigned operand : sum_.operands)
    types.push_back(op_.getDpsInputOperand(operand)->get().getType());
  types.push_back(partial);
  auto slices = FuncOp::create(builder_, kernel_.getLoc(),
                               (kernel_.getName() + "_slices").str(),
                               builder_.getFunctionType(types, {partial}));
  if (ArrayAttr sources = kernel_.getSourcesAttr())
    slices.setSourcesAttr(sources);
  createSlicesBody(slices);
  return slices;
}

/// Clones the computation of `block`, with the constants from outside of it.
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
  Location loc = op_.getLoc();
  builder_.setInsertionPointToStart(&slices.getBody().front());
  SmallVector<int64_t> extents = op_.getStaticLoopRanges();
  extents[split_.loop] /= split_.slices;
  extents.insert(extents.begin(), split_.slices);
  SmallVector<AffineMap> maps;
  for (unsigned operand : sum_.operands)
    maps.push_back(addSlices(op_.getIndexingMapsArray()[operand], false));
  // No map has the split loop alone, so that a tensor of the right shape, which
  // nothing reads, bounds it.
  maps.push_back(builder_.getMultiDimIdentityMap(extents.size()));
  maps.push_back(addSlices(op_.getIndexingMapsArray().back(), true));
  Value shape =
      tensor::EmptyOp::create(builder_, loc, extents, builder_.getF32Type());
  Value zero =
      arith::ConstantOp::create(builder_, loc, builder_.getF32FloatAttr(0.0f));
  Value first =
      linalg::FillOp::create(builder_, loc, zero, slices.getDestination(0))
          .getResult(0);
  SmallVector<utils::IteratorType> iterators = op_.getIteratorTypesArray();
  iterators.insert(iterators.begin(), utils::IteratorType::parallel);
  SmallVector<Value> inputs;
  for (unsigned input = 0; input < sum_.operands.size(); ++input)
    inputs.push_back(slices.getArgument(input));
  inputs.push_back(shape);
  auto generic = linalg::GenericOp::create(
      builder_, loc, first.getType(), inputs, first, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        IRMapping mapping;
        for (auto [input, operand] : llvm::enumerate(sum_.operands))
          mapping.map(op_.getBody()->getArgument(operand), arguments[input]);
        mapping.map(op_.getBody()->getArguments().back(), arguments.back());
        linalg::YieldOp::create(nested, loc,
                                cloneBody(nested, op_.getBody(), mapping));
      });
  ReturnOp::create(builder_, loc, generic.getResults());
}

//===----------------------------------------------------------------------===//
// The sum
//===----------------------------------------------------------------------===//

/// Creates the op that adds up the slices in `partial`, in order.
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
  auto op = cast<linalg::GenericOp>(mapping.lookup(op_.getOperation()));
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
    SmallVector<Value> operands = llvm::map_to_vector(
        arguments_, [&](unsigned argument) { return given[argument]; });
    auto partial = LaunchOp::create(builder_, launch.getLoc(), place.getType(),
                                    slices.getName(), operands, place);
    SmallVector<Value> inputs = llvm::map_to_vector(
        kept_, [&](unsigned input) { return given[input]; });
    inputs.push_back(partial.getResult(0));
    launch.getInputsMutable().assign(inputs);
  }
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

static std::optional<Sum> matchSum(FuncOp kernel) {
  Body body = *getBody(kernel);
  const Statement &first = body.statements.front();
  if (kernel.getKind() == KernelKind::Columns)
    return matchColumnSum(first);
  Contraction contraction = *matchContraction(first);
  return Sum{contraction.generic(), llvm::to_vector(contraction.operands),
             chooseSplit(contraction)};
}

FuncOp mpc::cuda::splitReduction(FuncOp kernel, ArrayRef<LaunchOp> launches,
                                 SymbolTable &symbols) {
  KernelKind kind = kernel.getKind();
  std::optional<Sum> found = matchSum(kernel);
  if (!found || found->split.slices == 1)
    return {};
  Splitter splitter(kernel, *found);
  FuncOp sum = splitter.createSum();
  if (!sum)
    return {};
  FuncOp slices = splitter.createSlices();
  if (failed(stateContract(slices)) || slices.getKind() != kind) {
    slices.erase();
    sum.erase();
    return {};
  }
  symbols.insert(slices, Block::iterator(kernel));
  splitter.replace(sum, slices, launches);
  return slices;
}
