// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules contractions and splits off the packing of a factor.
#include "lib/Codegen/CPU/ScheduleContraction.h"

#include "lib/Codegen/CPU/ContractionPlan.h"
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

/// Splits the packing of one factor off a contraction's kernel.
class PackSplitter {
public:
  PackSplitter(FuncOp kernel, const Contraction &contraction, GemmAttr plan)
      : kernel(kernel), contraction(contraction), plan(plan),
        operand(*plan.getPacked()), builder(kernel.getContext()) {}

  /// Creates the kernel that packs.
  FuncOp createPackKernel(SymbolTable &symbols);
  /// Makes the contraction read the packed factor.
  void rewriteKernel();
  /// Packs before a launch, which is replaced.
  void rewriteLaunch(LaunchOp launch, FuncOp pack);

private:
  bool isRows() const { return operand == plan.getRows(); }
  Contraction::Group getOuter() const {
    return operand == 0 ? Contraction::M : Contraction::N;
  }
  int64_t getOuterTile() const {
    return isRows() ? plan.getTileRows() : plan.getTileColumns();
  }
  RankedTensorType getPackedType();
  AffineMap getPackedMap(ArrayRef<AffineExpr> dims, unsigned numDims);
  AffineExpr getFlat(Contraction::Group group, ArrayRef<AffineExpr> dims);
  PackAttr getPackSchedule();
  void createPackBody(FuncOp pack);
  Value addShapeOperand(SmallVectorImpl<AffineMap> &maps,
                        ArrayRef<int64_t> extents);
  linalg::GenericOp createContraction(Value packed);

  FuncOp kernel;
  const Contraction &contraction;
  GemmAttr plan;
  unsigned operand;
  OpBuilder builder;
  /// The input of the kernel that was the factor; whether it still is one.
  unsigned argument = 0;
  bool keepsArgument = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// The packed form
//===----------------------------------------------------------------------===//

RankedTensorType PackSplitter::getPackedType() {
  int64_t batch = contraction.sizes[Contraction::Batch];
  int64_t outer = contraction.sizes[getOuter()];
  int64_t k = contraction.sizes[Contraction::K];
  SmallVector<int64_t> shape;
  if (isRows())
    shape = {batch, static_cast<int64_t>(divideCeil(k, plan.getKBlock())),
             static_cast<int64_t>(divideCeil(outer, plan.getMicroRows())),
             plan.getMicroRows(), plan.getRowStride()};
  else
    shape = {batch,
             static_cast<int64_t>(divideCeil(outer, plan.getMicroColumns())), k,
             plan.getMicroColumns()};
  return RankedTensorType::get(shape, builder.getF32Type());
}

AffineExpr PackSplitter::getFlat(Contraction::Group group,
                                 ArrayRef<AffineExpr> dims) {
  AffineExpr flat = builder.getAffineConstantExpr(0);
  for (unsigned dim : contraction.groups[group])
    flat = flat * contraction.statement.extents[dim] + dims[dim];
  return flat;
}

// Where the factor's element of an iteration lies; `dims` stand for the
// statement's dimensions.
AffineMap PackSplitter::getPackedMap(ArrayRef<AffineExpr> dims,
                                     unsigned numDims) {
  AffineExpr batch = getFlat(Contraction::Batch, dims);
  AffineExpr outer = getFlat(getOuter(), dims);
  AffineExpr k = getFlat(Contraction::K, dims);
  SmallVector<AffineExpr> place;
  if (isRows())
    place = {batch, k.floorDiv(plan.getKBlock()),
             outer.floorDiv(plan.getMicroRows()), outer % plan.getMicroRows(),
             k % plan.getKBlock()};
  else
    place = {batch, outer.floorDiv(plan.getMicroColumns()), k,
             outer % plan.getMicroColumns()};
  return simplifyAffineMap(
      AffineMap::get(numDims, 0, place, builder.getContext()));
}

PackAttr PackSplitter::getPackSchedule() {
  int64_t batch = contraction.sizes[Contraction::Batch];
  int64_t outer = contraction.sizes[getOuter()];
  // A chunk packs about 64k elements.
  int64_t unit = isRows() ? plan.getMicroRows() : plan.getMicroColumns();
  int64_t most = (1 << 16) / contraction.sizes[Contraction::K] / unit * unit;
  int64_t tile =
      std::min<int64_t>(alignTo(outer, unit), std::max<int64_t>(most, unit));
  return PackAttr::get(builder.getContext(), batch * divideCeil(outer, tile),
                       plan.getLanes(),
                       contraction.groups[Contraction::Batch].size(),
                       contraction.groups[getOuter()].size(), tile,
                       plan.getKBlock(), isRows() ? 0 : plan.getMicroColumns());
}

// linalg wants to find each dimension alone in some map. Where none has it, a
// tensor of the right shape, which nobody reads, says how far loops go.
Value PackSplitter::addShapeOperand(SmallVectorImpl<AffineMap> &maps,
                                    ArrayRef<int64_t> extents) {
  if (inversePermutation(concatAffineMaps(maps, builder.getContext())))
    return {};
  maps.insert(maps.end() - 1, builder.getMultiDimIdentityMap(extents.size()));
  return tensor::EmptyOp::create(builder, kernel.getLoc(), extents,
                                 builder.getF32Type());
}

//===----------------------------------------------------------------------===//
// The kernel that packs
//===----------------------------------------------------------------------===//

FuncOp PackSplitter::createPackKernel(SymbolTable &symbols) {
  builder.setInsertionPoint(kernel);
  Type source = contraction.getOperand(operand).tensor.getType();
  Type result = getPackedType();
  auto pack = FuncOp::create(
      builder, kernel.getLoc(), (kernel.getName() + "_pack").str(),
      builder.getFunctionType({source, result}, {result}));
  pack.setScheduleAttr(getPackSchedule());
  if (ArrayAttr sources = kernel.getSourcesAttr())
    pack.setSourcesAttr(sources);
  createPackBody(pack);
  symbols.insert(pack, Block::iterator(kernel));
  return pack;
}

// Clones what the region computes `factor` by, with the constants it captures.
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
// its axis of `tensor`; the loop is appended to `extents`.
static AffineMap addIdleLoop(AffineMap map, Value tensor,
                             SmallVectorImpl<int64_t> &extents) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
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
  const Statement &statement = contraction.statement;
  SmallVector<AffineExpr> dims(statement.numDims(),
                               builder.getAffineConstantExpr(0));
  SmallVector<int64_t> extents;
  for (auto group : {Contraction::Batch, getOuter(), Contraction::K})
    for (unsigned dim : contraction.groups[group]) {
      dims[dim] = builder.getAffineDimExpr(extents.size());
      extents.push_back(statement.extents[dim]);
    }
  linalg::GenericOp op = contraction.generic();
  AffineMap source =
      op.getIndexingMapsArray()[contraction.operands[operand]]
          .replaceDimsAndSymbols(statement.indices, {}, statement.numDims(), 0);
  source = source.replaceDimsAndSymbols(dims, {}, extents.size(), 0);
  // linalg takes an access by a plain loop index as saying that the loop covers
  // the axis. Where it reads a part (a result of extent 1 has no loop that
  // would move the window), an idle loop of one step says otherwise.
  source = addIdleLoop(source, contraction.getOperand(operand).tensor, extents);
  SmallVector<AffineMap> maps = {source, getPackedMap(dims, extents.size())};

  builder.setInsertionPointToStart(&pack.getBody().front());
  Location loc = kernel.getLoc();
  SmallVector<Value> inputs = {pack.getArgument(0)};
  if (Value shape = addShapeOperand(maps, extents))
    inputs.push_back(shape);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0.0f));
  Value filled =
      linalg::FillOp::create(builder, loc, zero, pack.getDestination(0))
          .getResult(0);
  SmallVector<utils::IteratorType> iterators(extents.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, filled.getType(), inputs, filled, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        Value value =
            cloneFactor(nested, contraction.factors[operand],
                        contraction.getArgument(operand), arguments[0]);
        linalg::YieldOp::create(nested, loc, value);
      });
  ReturnOp::create(builder, loc, generic.getResults());
}

//===----------------------------------------------------------------------===//
// The kernel that multiplies
//===----------------------------------------------------------------------===//

linalg::GenericOp PackSplitter::createContraction(Value packed) {
  linalg::GenericOp op = contraction.generic();
  const Statement &statement = contraction.statement;
  unsigned numLoops = op.getNumLoops();
  SmallVector<AffineExpr> dims(statement.numDims());
  for (auto [loop, index] : llvm::enumerate(statement.indices))
    if (auto dim = dyn_cast<AffineDimExpr>(index))
      dims[dim.getPosition()] = builder.getAffineDimExpr(loop);

  builder.setInsertionPoint(op);
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  inputs[contraction.operands[operand]] = packed;
  maps[contraction.operands[operand]] = getPackedMap(dims, numLoops);
  if (Value shape = addShapeOperand(maps, op.getStaticLoopRanges()))
    inputs.push_back(shape);
  auto body = [&](OpBuilder &nested, Location loc, ValueRange arguments) {
    IRMapping mapping;
    Block *block = op.getBody();
    for (auto [number, argument] :
         llvm::enumerate(block->getArguments().drop_back()))
      mapping.map(argument, arguments[number]);
    mapping.map(block->getArguments().back(), arguments.back());
    // What was computed from the factor now comes with it.
    Value known = contraction.factors[operand];
    mapping.map(known, arguments[contraction.operands[operand]]);
    Value result = block->getTerminator()->getOperand(0);
    for (Operation *inner : getSlice(result, block, known))
      nested.clone(*inner, mapping);
    linalg::YieldOp::create(nested, loc, mapping.lookup(result));
  };
  return linalg::GenericOp::create(builder, op.getLoc(), op.getResultTypes(),
                                   inputs, op.getOutputs(), maps,
                                   op.getIteratorTypesArray(), body);
}

void PackSplitter::rewriteKernel() {
  linalg::GenericOp op = contraction.generic();
  auto factor = cast<BlockArgument>(contraction.getOperand(operand).tensor);
  argument = factor.getArgNumber();
  keepsArgument = !factor.hasOneUse() || argument >= kernel.getNumInputs();
  Type type = getPackedType();
  unsigned place = keepsArgument ? kernel.getNumInputs() : argument;
  (void)kernel.insertArgument(place, type, {}, factor.getLoc());
  linalg::GenericOp packed = createContraction(kernel.getArgument(place));
  op->replaceAllUsesWith(packed);
  op->erase();
  if (!keepsArgument)
    (void)kernel.eraseArgument(place + 1);
  kernel.setScheduleAttr(plan);
}

void PackSplitter::rewriteLaunch(LaunchOp launch, FuncOp pack) {
  builder.setInsertionPoint(launch);
  Value factor = launch.getInputs()[argument];
  Value destination =
      tensor::EmptyOp::create(builder, launch.getLoc(),
                              getPackedType().getShape(), builder.getF32Type());
  auto packed =
      LaunchOp::create(builder, launch.getLoc(), destination.getType(),
                       pack.getName(), factor, destination);
  if (keepsArgument)
    launch.getInputsMutable().append(packed.getResult(0));
  else
    launch.getInputsMutable().slice(argument, 1).assign(packed.getResult(0));
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

void mpc::cpu::scheduleContraction(FuncOp kernel,
                                   ArrayRef<LaunchOp> launches,
                                   SymbolTable &symbols, int64_t lanes) {
  Body body = *getBody(kernel);
  Contraction contraction = *matchContraction(body.statements.front());
  Epilogue epilogue = *matchEpilogue(kernel, body, contraction);
  GemmAttr plan = planContraction(contraction, epilogue, lanes);
  if (!plan.getPacked())
    return kernel.setScheduleAttr(plan);
  PackSplitter splitter(kernel, contraction, plan);
  FuncOp pack = splitter.createPackKernel(symbols);
  splitter.rewriteKernel();
  for (LaunchOp launch : launches)
    splitter.rewriteLaunch(launch, pack);
}
