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
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

/// The number of tiles of 64 rows and columns that keep a large GPU busy.
static constexpr int64_t kBusy = 264;
/// The least terms of a slice that are worth the tile's way through memory.
static constexpr int64_t kLeastTerms = 256;
/// The number of tiles of 128 rows and columns at which the last ones that run
/// are few beside all: a large GPU has some 130 multiprocessors, of which one
/// with two tiles keeps those with one waiting. And the least terms of a slice
/// that are worth it.
static constexpr int64_t kEven = 640, kLongTerms = 8192;
/// The most slices, which one thread reads for each element of the result.
static constexpr int64_t kMostSlices = 15;

namespace {

/// The loop of a sum that is split, and the number of slices.
struct Split {
  unsigned loop = 0;
  int64_t slices = 1;
};

/// An f32 sum from zero over tensors that are inputs of the kernel, or that
/// maps compute of such.
struct Sum {
  /// The maps before the sum, each of all of its loops.
  SmallVector<linalg::GenericOp> maps;
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
    auto read = [&](Value value) {
      if (auto argument = dyn_cast<BlockArgument>(value))
        arguments_.insert(argument.getArgNumber());
    };
    for (linalg::GenericOp map : sum.maps)
      llvm::for_each(map.getInputs(), read);
    for (unsigned operand : sum.operands)
      read(op_.getDpsInputOperand(operand)->get());
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
  SmallVector<int64_t> sliceExtents();
  linalg::GenericOp createSlice(linalg::GenericOp op,
                                ArrayRef<unsigned> operands, Value first,
                                AffineMap place, const IRMapping &values);

  FuncOp kernel_;
  const Sum &sum_;
  linalg::GenericOp op_;
  Split split_;
  OpBuilder builder_;
  /// The kernel's arguments that the sum and its maps read.
  llvm::SmallSetVector<unsigned, 4> arguments_;
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
  constexpr int64_t kSide = 64, kLargeSide = 128;
  int64_t m = contraction.sizes[Contraction::M];
  int64_t n = contraction.sizes[Contraction::N];
  int64_t k = contraction.sizes[Contraction::K];
  auto countTiles = [&](int64_t side) -> int64_t {
    return contraction.sizes[Contraction::Batch] * llvm::divideCeil(m, side) *
           llvm::divideCeil(n, side);
  };
  Split split;
  if (std::max(m, n) < 16 || std::min(m, n) < 8)
    return split;
  int64_t limit = std::min(kBusy / countTiles(kSide), k / kLeastTerms);
  if (std::min(m, n) >= kLargeSide)
    limit = std::max(limit,
                     std::min(kEven / countTiles(kLargeSide), k / kLongTerms));
  limit = std::min(limit, kMostSlices);
  for (unsigned dim : contraction.groups[Contraction::K]) {
    int64_t slices = largestDivisor(contraction.statement.extents[dim], limit);
    if (slices > split.slices)
      split = {loopOf(contraction.statement, dim), slices};
  }
  return split;
}

/// The most slices of sums over columns, of which a block has 32.
static int64_t mostColumnSlices(int64_t columns, int64_t terms) {
  int64_t blocks = llvm::divideCeil(columns, 32);
  return std::min({kBusy / blocks, terms / kLeastTerms, kMostSlices});
}

bool mpc::cuda::splitsColumns(int64_t columns, int64_t terms) {
  return mostColumnSlices(columns, terms) > 1;
}

static Split chooseColumnSplit(const Statement &statement) {
  int64_t columns = statement.numParallel();
  int64_t limit =
      mostColumnSlices(columns, statement.numIterations() / columns);
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

static SmallVector<unsigned> allInputs(linalg::GenericOp op) {
  return llvm::to_vector(llvm::seq<unsigned>(0, op.getNumDpsInputs()));
}

/// Whether each input of `op` is one of the kernel, or what one of `maps`
/// computes at the same loops.
static bool readsInputs(linalg::GenericOp op,
                        ArrayRef<linalg::GenericOp> maps) {
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return isa<BlockArgument>(input->get()) ||
           (llvm::is_contained(maps, input->get().getDefiningOp()) &&
            op.getMatchingIndexingMap(input).isIdentity());
  });
}

/// Whether `op` computes its one result from its inputs at the same loops.
static bool isMapOfInputs(linalg::GenericOp op,
                          ArrayRef<linalg::GenericOp> maps) {
  return op && op.getNumDpsInits() == 1 && op.getNumReductionLoops() == 0 &&
         !op.hasIndexSemantics() && !readsByIndex(op) &&
         op.getRegionOutputArgs().front().use_empty() &&
         op.getIndexingMapsArray().back().isIdentity() && readsInputs(op, maps);
}

/// Reads the first sum of `body`, and the maps before it.
static std::optional<Sum> matchColumnSum(const Body &body) {
  auto first =
      llvm::find_if_not(body.statements, [](const Statement &statement) {
        return statement.isParallel();
      });
  Sum sum;
  for (const Statement &map :
       llvm::make_range(body.statements.begin(), first)) {
    if (!isMapOfInputs(map.generic(), sum.maps))
      return std::nullopt;
    sum.maps.push_back(map.generic());
  }
  sum.op = first->generic();
  if (!sum.op || sum.op.getNumDpsInits() != 1 || sum.op.hasIndexSemantics() ||
      isInOrder(*first) ||
      !getElementTypeOrSelf(sum.op->getResult(0).getType()).isF32() ||
      !readsInputs(sum.op, sum.maps) || !addsUp(sum.op) ||
      !beginsWithZero(sum.op))
    return std::nullopt;
  sum.operands = allInputs(sum.op);
  sum.split = chooseColumnSplit(*first);
  return sum;
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
  for (unsigned argument : arguments_)
    types.push_back(kernel_.getArgument(argument).getType());
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

/// The extents of the loops over slices and their terms.
SmallVector<int64_t> Splitter::sliceExtents() {
  SmallVector<int64_t> extents = op_.getStaticLoopRanges();
  extents[split_.loop] /= split_.slices;
  extents.insert(extents.begin(), split_.slices);
  return extents;
}

/// `op` over the loops of slices, of its inputs `operands`, whose `values` are
/// known. Its result begins with `first`, at `place`.
linalg::GenericOp Splitter::createSlice(linalg::GenericOp op,
                                        ArrayRef<unsigned> operands,
                                        Value first, AffineMap place,
                                        const IRMapping &values) {
  SmallVector<int64_t> extents = sliceExtents();
  AffineMap all = builder_.getMultiDimIdentityMap(extents.size());
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (unsigned operand : operands) {
    Value value = op.getDpsInputOperand(operand)->get();
    inputs.push_back(values.lookup(value));
    maps.push_back(isa<BlockArgument>(value)
                       ? addSlices(op.getIndexingMapsArray()[operand], false)
                       : all);
  }
  // No map has the split loop alone, so that a tensor of the right shape, which
  // nothing reads, bounds it.
  inputs.push_back(tensor::EmptyOp::create(builder_, op.getLoc(), extents,
                                           builder_.getF32Type()));
  maps.push_back(all);
  maps.push_back(place);
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.insert(iterators.begin(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      builder_, op.getLoc(), first.getType(), inputs, first, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        IRMapping mapping;
        for (auto [input, operand] : llvm::enumerate(operands))
          mapping.map(op.getBody()->getArgument(operand), arguments[input]);
        mapping.map(op.getBody()->getArguments().back(), arguments.back());
        linalg::YieldOp::create(nested, loc,
                                cloneBody(nested, op.getBody(), mapping));
      });
}

void Splitter::createSlicesBody(FuncOp slices) {
  Location loc = op_.getLoc();
  builder_.setInsertionPointToStart(&slices.getBody().front());
  SmallVector<int64_t> extents = sliceExtents();
  AffineMap all = builder_.getMultiDimIdentityMap(extents.size());
  IRMapping values;
  for (auto [number, argument] : llvm::enumerate(arguments_))
    values.map(kernel_.getArgument(argument), slices.getArgument(number));
  for (linalg::GenericOp map : sum_.maps) {
    Value result = map->getResult(0);
    Value place = tensor::EmptyOp::create(builder_, loc, extents,
                                          getElementTypeOrSelf(result));
    values.map(
        result,
        createSlice(map, allInputs(map), place, all, values)->getResult(0));
  }
  Value zero =
      arith::ConstantOp::create(builder_, loc, builder_.getF32FloatAttr(0.0f));
  Value first =
      linalg::FillOp::create(builder_, loc, zero, slices.getDestination(0))
          .getResult(0);
  linalg::GenericOp sum =
      createSlice(op_, sum_.operands, first,
                  addSlices(op_.getIndexingMapsArray().back(), true), values);
  ReturnOp::create(builder_, loc, sum.getResults());
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
  for (linalg::GenericOp map : llvm::reverse(sum_.maps))
    if (Operation *copy = mapping.lookup(map.getOperation()); copy->use_empty())
      copy->erase();
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
    SmallVector<Value> operands =
        llvm::map_to_vector(arguments_.getArrayRef(),
                            [&](unsigned argument) { return given[argument]; });
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
  if (kernel.getKind() == KernelKind::Columns)
    return matchColumnSum(body);
  Contraction contraction = *matchContraction(body.statements.front());
  return Sum{{},
             contraction.generic(),
             llvm::to_vector(contraction.operands),
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
