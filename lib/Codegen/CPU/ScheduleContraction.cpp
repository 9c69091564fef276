// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules contractions, and splits off the packing of a factor.
#include "lib/Codegen/CPU/ScheduleContraction.h"

#include "dialects/Kernel/Border.h"
#include "lib/Codegen/CPU/ContractionPlan.h"
#include "lib/Codegen/CPU/DepthwisePlan.h"
#include "lib/Codegen/CPU/PackBlock.h"
#include "lib/Codegen/CPU/Padding.h"
#include "lib/Codegen/CPU/Producers.h"
#include "lib/Codegen/CPU/Units.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

namespace {

/// Moves the packing of one factor out of a contraction's kernel.
class PackSplitter {
public:
  PackSplitter(FuncOp kernel, const Contraction &contraction, GemmAttr plan)
      : kernel_(kernel), contraction_(contraction), plan_(plan),
        operand_(*plan.getPacked()), builder_(kernel.getContext()) {}

  /// Creates the kernel that packs.
  FuncOp createPackKernel(SymbolTable &symbols);
  /// Makes the contraction read the packed factor.
  void rewriteKernel();
  /// Makes the packing read what the factor is a moved copy of, as a weight
  /// that is reversed and transposed, if all launches have such a copy.
  void readMoved(ArrayRef<LaunchOp> launches, const SymbolTable &symbols);
  /// Adds a packing launch before a launch, which is replaced.
  void rewriteLaunch(LaunchOp launch, FuncOp pack);

private:
  Contraction::DimGroup getOuter() const {
    return Contraction::outerOf(operand_);
  }
  /// The factor's value in the type that the unit multiplies.
  Value getFactor() const {
    return mpc::cpu::getFactor(contraction_, operand_, plan_.getUnit());
  }
  RankedTensorType getPackedType() const {
    return mpc::cpu::getPackedType(contraction_, plan_, operand_);
  }
  /// The type that is packed, and what of it a launch packs.
  Type getSourceType() const;
  Value getSource(LaunchOp launch) const;
  AffineMap getPackedMap(ArrayRef<AffineExpr> dims, unsigned numDims);
  AffineExpr getFlat(Contraction::DimGroup group, ArrayRef<AffineExpr> dims);
  PackAttr getPackSchedule();
  int64_t getPackRun(int64_t tile);
  void createPackBody(FuncOp pack);
  void createPackLoop(FuncOp pack, SmallVector<AffineMap> maps,
                      ArrayRef<int64_t> extents);
  Value addShapeOperand(SmallVectorImpl<AffineMap> &maps,
                        ArrayRef<int64_t> extents);
  linalg::GenericOp createContraction(Value packed);

  FuncOp kernel_;
  const Contraction &contraction_;
  GemmAttr plan_;
  unsigned operand_;
  OpBuilder builder_;
  /// The kernel that moves elements before they are packed; null if none does.
  FuncOp move_;
  /// The kernel's input that was the factor; and whether it still is an input.
  unsigned argument_ = 0;
  bool keepsArgument_ = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Moved copies
//===----------------------------------------------------------------------===//

/// The only statement of `kernel`, if it copies its only input; else null.
static linalg::GenericOp getMove(FuncOp kernel) {
  auto generics = kernel.getBody().getOps<linalg::GenericOp>();
  if (kernel.getNumInputs() != 1 || kernel.getNumResults() != 1 ||
      !llvm::hasSingleElement(generics))
    return {};
  linalg::GenericOp op = *generics.begin();
  bool copies = op.getNumDpsInputs() == 1 &&
                op.getInputs()[0] == kernel.getArgument(0) &&
                op.getNumLoops() == op.getNumParallelLoops() &&
                op.getIndexingMapsArray().back().isIdentity() &&
                op.getBody()->getTerminator()->getOperand(0) ==
                    op.getBody()->getArgument(0);
  return copies ? op : linalg::GenericOp();
}

/// Where `kernel`, which only moves elements, reads each element of its result.
static AffineMap getMoveMap(FuncOp kernel) {
  return getMove(kernel).getIndexingMapsArray().front();
}

/// The kernel that moves what `factor` is in all `launches` of `kernel`; null
/// where there is none, or where something else reads the factor too.
static FuncOp findMove(FuncOp kernel, Value factor, ArrayRef<LaunchOp> launches,
                       const SymbolTable &symbols) {
  auto argument = dyn_cast<BlockArgument>(factor);
  if (!argument || argument.getArgNumber() >= kernel.getNumInputs() ||
      !argument.hasOneUse() || launches.empty())
    return {};
  unsigned number = argument.getArgNumber();
  LaunchOp first = findProducer(launches.front(), number);
  auto move = first ? symbols.lookup<FuncOp>(first.getKernel()) : FuncOp();
  if (!move || !getMove(move))
    return {};
  for (LaunchOp launch : launches) {
    LaunchOp other = findProducer(launch, number);
    if (!other || other.getKernel() != first.getKernel())
      return {};
  }
  return move;
}

void PackSplitter::readMoved(ArrayRef<LaunchOp> launches,
                             const SymbolTable &symbols) {
  Value factor = contraction_.getOperand(operand_).tensor;
  move_ = findMove(kernel_, factor, launches, symbols);
  if (move_)
    argument_ = cast<BlockArgument>(factor).getArgNumber();
}

Type PackSplitter::getSourceType() const {
  if (FuncOp move = move_)
    return move.getArgumentTypes()[0];
  return contraction_.getOperand(operand_).tensor.getType();
}

Value PackSplitter::getSource(LaunchOp launch) const {
  return move_ ? findProducer(launch, argument_).getInputs()[0]
               : launch.getInputs()[argument_];
}

//===----------------------------------------------------------------------===//
// The packed form
//===----------------------------------------------------------------------===//

AffineExpr PackSplitter::getFlat(Contraction::DimGroup group,
                                 ArrayRef<AffineExpr> dims) {
  AffineExpr flat = builder_.getAffineConstantExpr(0);
  for (unsigned dim : contraction_.groups[group])
    flat = flat * contraction_.statement.extents[dim] + dims[dim];
  return flat;
}

// The map to the factor's element of an iteration; `dims` stand for the
// statement's dimensions.
AffineMap PackSplitter::getPackedMap(ArrayRef<AffineExpr> dims,
                                     unsigned numDims) {
  AffineExpr batch = getFlat(Contraction::Batch, dims);
  AffineExpr outer = getFlat(getOuter(), dims);
  AffineExpr k = getFlat(Contraction::K, dims);
  SmallVector<AffineExpr> place;
  if (!plan_.hasPanels(operand_)) {
    place = {batch, k.floorDiv(plan_.getKBlock()),
             outer.floorDiv(plan_.getMicroRows()), outer % plan_.getMicroRows(),
             k % plan_.getKBlock()};
  } else {
    int64_t depth = getDepth(plan_.getUnit());
    int64_t width = plan_.getPanelWidth(operand_);
    place = {batch, outer.floorDiv(width), k.floorDiv(depth), outer % width};
    if (depth > 1)
      place.push_back(k % depth);
  }
  return simplifyAffineMap(
      AffineMap::get(numDims, 0, place, builder_.getContext()));
}

/// About as many elements are packed by a chunk, in runs of whole vectors of k.
static constexpr int64_t kPackedElements = 1 << 14, kRunUnit = 64;

/// The most k that a chunk packs of `tile` rows or columns, since long panels
/// are several chunks.
int64_t PackSplitter::getPackRun(int64_t tile) {
  int64_t size = contraction_.sizes[Contraction::K];
  int64_t runs = tile * size / (2 * kPackedElements);
  if (runs <= 1 || !plan_.hasPanels(operand_))
    return INT64_MAX;
  Linear place = *getLinear(contraction_.getOperand(operand_).index,
                            contraction_.statement.numDims());
  StridedIndex k = contraction_.getStridedIndex(place.strides, Contraction::K);
  int64_t depth = getDepth(plan_.getUnit());
  if (!hasTaps(k, depth, size))
    return alignTo(divideCeil(size, runs), kRunUnit);
  int64_t run = alignTo(divideCeil(size, runs), kLeastTaps * k.parts[1].extent);
  return hasTaps(k, depth, run) ? run : INT64_MAX;
}

PackAttr PackSplitter::getPackSchedule() {
  int64_t batch = contraction_.sizes[Contraction::Batch];
  int64_t outer = contraction_.sizes[getOuter()];
  int64_t unit = plan_.getPanelWidth(operand_);
  int64_t k = contraction_.sizes[Contraction::K];
  int64_t most = kPackedElements / k / unit * unit;
  int64_t tile =
      std::min<int64_t>(alignTo(outer, unit), std::max<int64_t>(most, unit));
  bool hasPanels = plan_.hasPanels(operand_);
  int64_t run = getPackRun(tile);
  int64_t runs = divideCeil(k, std::min(run, k));
  return PackAttr::get(
      builder_.getContext(), batch * divideCeil(outer, tile) * runs,
      hasPanels ? std::min(plan_.getLanes(), unit) : plan_.getLanes(),
      contraction_.groups[Contraction::Batch].size(),
      contraction_.groups[getOuter()].size(), tile, plan_.getKBlock(),
      hasPanels ? unit : 0, getDepth(plan_.getUnit()), run);
}

// Adds an operand for loop bounds. linalg requires that each dimension stands
// alone in some map. Where no map has one, a tensor of the right shape, which
// nothing reads, bounds the loop.
Value PackSplitter::addShapeOperand(SmallVectorImpl<AffineMap> &maps,
                                    ArrayRef<int64_t> extents) {
  if (inversePermutation(concatAffineMaps(maps, builder_.getContext())))
    return {};
  maps.insert(maps.end() - 1, builder_.getMultiDimIdentityMap(extents.size()));
  return tensor::EmptyOp::create(builder_, kernel_.getLoc(), extents,
                                 builder_.getF32Type());
}

//===----------------------------------------------------------------------===//
// The kernel that packs
//===----------------------------------------------------------------------===//

FuncOp PackSplitter::createPackKernel(SymbolTable &symbols) {
  builder_.setInsertionPoint(kernel_);
  Type source = getSourceType();
  Type result = getPackedType();
  auto pack = FuncOp::create(
      builder_, kernel_.getLoc(), (kernel_.getName() + "_pack").str(),
      builder_.getFunctionType({source, result}, {result}));
  pack.setScheduleAttr(getPackSchedule());
  if (ArrayAttr sources = kernel_.getSourcesAttr())
    pack.setSourcesAttr(sources);
  createPackBody(pack);
  symbols.insert(pack, Block::iterator(kernel_));
  return pack;
}

// Clones the ops by which the region computes `factor`, with the constants that
// it captures.
static Value cloneFactor(OpBuilder &builder, Value factor,
                         BlockArgument argument, Value given) {
  IRMapping mapping;
  mapping.map(argument, given);
  for (Operation *op : getSlice(factor, argument.getOwner())) {
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        builder.clone(*operand.getDefiningOp(), mapping);
    builder.clone(*op, mapping);
  }
  return mapping.lookup(factor);
}

// `map` with a loop of extent 1 added to each plain index that does not cover
// its axis of a tensor of `type`. The loop is appended to `extents`.
static AffineMap addIdleLoop(AffineMap map, RankedTensorType type,
                             SmallVectorImpl<int64_t> &extents) {
  ArrayRef<int64_t> shape = type.getShape();
  AffineExpr idle = getAffineDimExpr(extents.size(), map.getContext());
  SmallVector<AffineExpr> results(map.getResults());
  bool added = false;
  for (auto [expr, size] : llvm::zip(results, shape))
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && extents[dim.getPosition()] != size) {
      expr = expr + idle;
      added = true;
    }
  if (added)
    extents.push_back(1);
  return AffineMap::get(extents.size(), 0, results, map.getContext());
}

void PackSplitter::createPackBody(FuncOp pack) {
  const Statement &statement = contraction_.statement;
  SmallVector<AffineExpr> dims(statement.numDims(),
                               builder_.getAffineConstantExpr(0));
  SmallVector<int64_t> extents;
  for (auto group : {Contraction::Batch, getOuter(), Contraction::K})
    for (unsigned dim : contraction_.groups[group]) {
      dims[dim] = builder_.getAffineDimExpr(extents.size());
      extents.push_back(statement.extents[dim]);
    }
  linalg::GenericOp op = contraction_.generic();
  AffineMap source =
      op.getIndexingMapsArray()[contraction_.operands[operand_]]
          .replaceDimsAndSymbols(statement.indices, {}, statement.numDims(), 0);
  source = source.replaceDimsAndSymbols(dims, {}, extents.size(), 0);
  // An access by a plain loop index means to linalg that the loop covers the
  // axis. Here it may read a part only: a result of extent 1 has no loop that
  // moves the window. An added loop of one iteration makes the index a sum.
  if (move_)
    source = getMoveMap(move_).compose(source);
  source =
      addIdleLoop(source, cast<RankedTensorType>(getSourceType()), extents);
  createPackLoop(pack, {source, getPackedMap(dims, extents.size())}, extents);
}

// Creates the copy itself, over zeros; `maps` are the maps of its source and
// its result.
void PackSplitter::createPackLoop(FuncOp pack, SmallVector<AffineMap> maps,
                                  ArrayRef<int64_t> extents) {
  builder_.setInsertionPointToStart(&pack.getBody().front());
  Location loc = kernel_.getLoc();
  SmallVector<Value> inputs = {pack.getArgument(0)};
  if (Value shape = addShapeOperand(maps, extents))
    inputs.push_back(shape);
  Value zero = arith::ConstantOp::create(
      builder_, loc, builder_.getZeroAttr(getPackedType().getElementType()));
  Value filled =
      linalg::FillOp::create(builder_, loc, zero, pack.getDestination(0))
          .getResult(0);
  SmallVector<utils::IteratorType> iterators(extents.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder_, loc, filled.getType(), inputs, filled, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        Value value =
            cloneFactor(nested, getFactor(), contraction_.getArgument(operand_),
                        arguments[0]);
        linalg::YieldOp::create(nested, loc, value);
      });
  ReturnOp::create(builder_, loc, generic.getResults());
}

//===----------------------------------------------------------------------===//
// The kernel that multiplies
//===----------------------------------------------------------------------===//

linalg::GenericOp PackSplitter::createContraction(Value packed) {
  linalg::GenericOp op = contraction_.generic();
  const Statement &statement = contraction_.statement;
  unsigned numLoops = op.getNumLoops();
  SmallVector<AffineExpr> dims(statement.numDims());
  for (auto [loop, index] : llvm::enumerate(statement.indices))
    if (auto dim = dyn_cast<AffineDimExpr>(index))
      dims[dim.getPosition()] = builder_.getAffineDimExpr(loop);

  builder_.setInsertionPoint(op);
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  inputs[contraction_.operands[operand_]] = packed;
  maps[contraction_.operands[operand_]] = getPackedMap(dims, numLoops);
  if (Value shape = addShapeOperand(maps, op.getStaticLoopRanges()))
    inputs.push_back(shape);
  auto body = [&](OpBuilder &nested, Location loc, ValueRange arguments) {
    IRMapping mapping;
    Block *block = op.getBody();
    for (auto [number, argument] :
         llvm::enumerate(block->getArguments().drop_back()))
      mapping.map(argument, arguments[number]);
    mapping.map(block->getArguments().back(), arguments.back());
    // Values computed from the factor are computed at packing.
    Value known = getFactor();
    mapping.map(known, arguments[contraction_.operands[operand_]]);
    Value result = block->getTerminator()->getOperand(0);
    for (Operation *inner : getSlice(result, block, known))
      nested.clone(*inner, mapping);
    linalg::YieldOp::create(nested, loc, mapping.lookup(result));
  };
  auto contraction = linalg::GenericOp::create(
      builder_, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray(), body);
  copyInputBorders(op, contraction, contraction_.operands[operand_]);
  return contraction;
}

void PackSplitter::rewriteKernel() {
  linalg::GenericOp op = contraction_.generic();
  auto factor = cast<BlockArgument>(contraction_.getOperand(operand_).tensor);
  argument_ = factor.getArgNumber();
  keepsArgument_ = !factor.hasOneUse() || argument_ >= kernel_.getNumInputs();
  Type type = getPackedType();
  unsigned place = keepsArgument_ ? kernel_.getNumInputs() : argument_;
  (void)kernel_.insertArgument(place, type, {}, factor.getLoc());
  linalg::GenericOp packed = createContraction(kernel_.getArgument(place));
  op->replaceAllUsesWith(packed);
  op->erase();
  if (!keepsArgument_)
    (void)kernel_.eraseArgument(place + 1);
  kernel_.setScheduleAttr(plan_);
}

void PackSplitter::rewriteLaunch(LaunchOp launch, FuncOp pack) {
  builder_.setInsertionPoint(launch);
  Value factor = getSource(launch);
  Value destination = tensor::EmptyOp::create(builder_, launch.getLoc(),
                                              getPackedType().getShape(),
                                              getPackedType().getElementType());
  auto packed =
      LaunchOp::create(builder_, launch.getLoc(), destination.getType(),
                       pack.getName(), factor, destination);
  if (keepsArgument_)
    launch.getInputsMutable().append(packed.getResult(0));
  else
    launch.getInputsMutable().slice(argument_, 1).assign(packed.getResult(0));
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// The factor of `contraction` that is the same in all turns of the loops that
/// launch its kernel; empty for both or none.
static std::optional<unsigned> findInvariant(const Contraction &contraction,
                                             ArrayRef<LaunchOp> launches) {
  auto isFixed = [&](unsigned operand) {
    auto argument =
        dyn_cast<BlockArgument>(contraction.getOperand(operand).tensor);
    return argument && llvm::all_of(launches, [&](LaunchOp launch) {
             return argument.getArgNumber() < launch.getInputs().size() &&
                    isInvariant(launch.getInputs()[argument.getArgNumber()]);
           });
  };
  if (launches.empty() || isFixed(0) == isFixed(1))
    return std::nullopt;
  return isFixed(0) ? 0 : 1;
}

/// Whether `move` yields exchanged axes of its input, each of which it has,
/// and another axis than number `channels` of its result is innermost there.
static bool transposesPlanes(FuncOp move, unsigned channels) {
  auto type = cast<RankedTensorType>(move.getResultTypes()[0]);
  SmallVector<unsigned> uses(type.getRank(), 0);
  AffineMap map = getMoveMap(move);
  for (AffineExpr index : map.getResults()) {
    auto axis = dyn_cast<AffineDimExpr>(index);
    if (!axis)
      return false;
    ++uses[axis.getPosition()];
  }
  for (auto [size, count] : llvm::zip(type.getShape(), uses))
    if (count > 1 || (count == 0 && size != 1))
      return false;
  return map.getNumResults() > 0 && uses[channels] == 1 &&
         map.getResults().back() !=
             getAffineDimExpr(channels, move.getContext());
}

/// Makes `kernel`, a depthwise contraction, read factor `operand` where it was
/// before its axes were exchanged, if all launches have such a copy, and
/// channels are planes there too.
static void readTransposed(FuncOp kernel, unsigned operand,
                           ArrayRef<LaunchOp> launches,
                           const SymbolTable &symbols) {
  Contraction contraction =
      *matchContraction(getBody(kernel)->statements.front());
  Depthwise depthwise = *matchDepthwise(contraction);
  Value factor = contraction.getOperand(operand).tensor;
  FuncOp move = findMove(kernel, factor, launches, symbols);
  if (!move || !transposesPlanes(move, depthwise.factors[operand].channelAxis))
    return;
  unsigned number = cast<BlockArgument>(factor).getArgNumber();
  for (LaunchOp launch : launches)
    launch.getInputsMutable().slice(number, 1).assign(
        findProducer(launch, number).getInputs()[0]);
  kernel.getArgument(number).setType(move.getArgumentTypes()[0]);
  kernel.setFunctionType(FunctionType::get(kernel.getContext(),
                                           kernel.getBody().getArgumentTypes(),
                                           kernel.getResultTypes()));
  linalg::GenericOp op = contraction.generic();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &map = maps[contraction.operands[operand]];
  map = getMoveMap(move).compose(map);
  op.setIndexingMapsAttr(
      OpBuilder(kernel.getContext()).getAffineMapArrayAttr(maps));
  // They are for windows over all channels at once.
  op->removeAttr(KernelDialect::InputBordersAttrHelper::getNameStr());
}

/// Schedules `kernel`, a depthwise contraction, which reads its factors as they
/// lay before they were transposed and had a border of zeros in memory.
static void scheduleDepthwise(FuncOp kernel, ArrayRef<LaunchOp> launches,
                              const SymbolTable &symbols, int64_t lanes) {
  auto match = [&] {
    return *matchContraction(getBody(kernel)->statements.front());
  };
  for (unsigned operand = 0; operand < 2; ++operand)
    readTransposed(kernel, operand, launches, symbols);
  Contraction contraction = match();
  Depthwise depthwise = *matchDepthwise(contraction);
  unsigned channels = depthwise.factors[depthwise.image].channelAxis;
  readUnpadded(
      kernel, launches, symbols,
      [&](BorderAttr border) {
        return border.getLow()[channels] == 0 &&
               border.getHigh()[channels] == 0;
      },
      contraction.getOperand(depthwise.image).tensor);
  Contraction unpadded = match();
  kernel.setScheduleAttr(
      planDepthwise(unpadded, *matchDepthwise(unpadded), lanes));
}

void mpc::cpu::scheduleContraction(FuncOp kernel, ArrayRef<LaunchOp> launches,
                                   SymbolTable &symbols, TargetAttr target) {
  int64_t lanes = target.getLanes();
  Body body = *getBody(kernel);
  Contraction contraction = *matchContraction(body.statements.front());
  if (matchDepthwise(contraction))
    return scheduleDepthwise(kernel, launches, symbols, lanes);
  Epilogue epilogue = getEpilogue(kernel, body);
  GemmAttr plan = planContraction(contraction, epilogue, lanes,
                                  chooseUnit(contraction, target.getBf16()),
                                  findInvariant(contraction, launches));
  if (!plan.getPacked())
    return kernel.setScheduleAttr(plan);
  std::optional<Windows> windows;
  if (plan.getRowLayout() == RowLayout::Windows)
    windows = matchWindows(contraction);
  Value image = contraction.getOperand(windows ? windows->image : 0).tensor;
  PackSplitter splitter(kernel, contraction, plan);
  splitter.readMoved(launches, symbols);
  FuncOp pack = splitter.createPackKernel(symbols);
  splitter.rewriteKernel();
  for (LaunchOp launch : launches)
    splitter.rewriteLaunch(launch, pack);
  if (windows)
    readUnpadded(
        kernel, launches, symbols,
        [&](BorderAttr border) { return windows->goAlong(border); }, image);
}
