// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognizes contractions and the maps on their results.
#include "dialects/Kernel/Contraction.h"

#include "dialects/Interfaces/Precision.h"
#include "dialects/Kernel/Stages.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mpc::kernel;

//===----------------------------------------------------------------------===//
// StridedIndex
//===----------------------------------------------------------------------===//

void StridedIndex::append(int64_t extent, int64_t stride) {
  if (!parts.empty() && parts.back().stride == extent * stride) {
    parts.back() = {parts.back().extent * extent, stride};
    return;
  }
  parts.push_back({extent, stride});
}

int64_t StridedIndex::getRun(int64_t limit, int64_t stride) const {
  if (parts.empty() || parts.back().stride != stride)
    return 1;
  if (parts.size() == 1)
    return limit;
  int64_t run = 1;
  while (run * 2 <= limit && parts.back().extent % (run * 2) == 0)
    run *= 2;
  return run;
}

int64_t StridedIndex::getSize() const {
  int64_t size = 1;
  for (const Part &part : parts)
    size *= part.extent;
  return size;
}

//===----------------------------------------------------------------------===//
// The region: acc + f(a) * g(b)
//===----------------------------------------------------------------------===//

// Collects the region's arguments that `value` is computed from.
static void collectArguments(Value value, Block *block,
                             SmallPtrSetImpl<Value> &arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    arguments.insert(argument);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != block)
    return;
  for (Value operand : op->getOperands())
    collectArguments(operand, block, arguments);
}

SmallVector<Operation *> mpc::kernel::getSlice(Value value, Block *block,
                                               Value known) {
  SmallPtrSet<Operation *, 8> needed;
  SmallVector<Value> pending = {value};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    Operation *op = next == known ? nullptr : next.getDefiningOp();
    if (op && op->getBlock() == block && needed.insert(op).second)
      llvm::append_range(pending, op->getOperands());
  }
  SmallVector<Operation *> slice;
  for (Operation &op : *block)
    if (needed.contains(&op))
      slice.push_back(&op);
  return slice;
}

// The input from which `factor` is computed; empty where there is not exactly
// one.
static std::optional<unsigned> getSource(Value factor, Block *block,
                                         unsigned numInputs) {
  SmallPtrSet<Value, 4> arguments;
  collectArguments(factor, block, arguments);
  if (arguments.size() != 1)
    return std::nullopt;
  unsigned number = cast<BlockArgument>(*arguments.begin()).getArgNumber();
  return number < numInputs ? std::optional(number) : std::nullopt;
}

/// The product that `result` adds to `sum`, in one rounding or in two.
static std::optional<SumOfProducts> matchProduct(Value result, Value sum) {
  if (auto fma = result.getDefiningOp<math::FmaOp>()) {
    if (fma.getC() != sum)
      return std::nullopt;
    return SumOfProducts{{}, {fma.getA(), fma.getB()}, /*fused=*/true};
  }
  auto add = result.getDefiningOp<arith::AddFOp>();
  if (!add)
    return std::nullopt;
  bool sumFirst = add.getLhs() == sum;
  Value product = sumFirst ? add.getRhs() : add.getLhs();
  auto mul = product.getDefiningOp<arith::MulFOp>();
  if (!mul || (!sumFirst && add.getRhs() != sum))
    return std::nullopt;
  return SumOfProducts{{}, {mul.getLhs(), mul.getRhs()}, /*fused=*/false};
}

std::optional<SumOfProducts>
mpc::kernel::matchSumOfProducts(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumDpsInputs() < 2 ||
      op.getNumReductionLoops() == 0)
    return std::nullopt;
  Block *block = op.getBody();
  Value sum = block->getArguments().back();
  std::optional<SumOfProducts> match =
      matchProduct(block->getTerminator()->getOperand(0), sum);
  if (!match || !sum.hasOneUse())
    return std::nullopt;
  for (unsigned side = 0; side < 2; ++side) {
    std::optional<unsigned> source =
        getSource(match->factors[side], block, op.getNumDpsInputs());
    if (!source)
      return std::nullopt;
    match->operands[side] = *source;
  }
  if (match->operands[0] > match->operands[1]) {
    std::swap(match->operands[0], match->operands[1]);
    std::swap(match->factors[0], match->factors[1]);
  }
  return match->operands[0] != match->operands[1] ? match : std::nullopt;
}

bool mpc::kernel::isSumOfProducts(linalg::GenericOp op) {
  return matchSumOfProducts(op).has_value();
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

SmallVector<unsigned> Contraction::getResultDims() const {
  SmallVector<unsigned> dims;
  for (auto group : {Batch, M, N})
    llvm::append_range(dims, groups[group]);
  Linear result = *getLinear(statement.outputs[0].index, statement.numDims());
  llvm::sort(dims, [&](unsigned a, unsigned b) {
    return result.strides[a] > result.strides[b];
  });
  return dims;
}

SmallVector<int64_t> Contraction::getExtents(DimGroup group) const {
  return llvm::map_to_vector(
      groups[group], [&](unsigned dim) { return statement.extents[dim]; });
}

StridedIndex Contraction::getStridedIndex(ArrayRef<int64_t> strides,
                                          DimGroup group) const {
  StridedIndex strided;
  for (unsigned dim : groups[group])
    strided.append(statement.extents[dim], strides[dim]);
  return strided;
}

static std::optional<Contraction::DimGroup> getGroup(bool first, bool second,
                                                     bool reduced) {
  if (first && second)
    return reduced ? Contraction::K : Contraction::Batch;
  if (reduced || first == second)
    return std::nullopt;
  return first ? Contraction::M : Contraction::N;
}

static bool matchGroups(Contraction &contraction) {
  const Statement &statement = contraction.statement;
  for (unsigned dim = 0; dim < statement.numDims(); ++dim) {
    std::optional<Contraction::DimGroup> group =
        getGroup(contraction.getOperand(0).index.isFunctionOfDim(dim),
                 contraction.getOperand(1).index.isFunctionOfDim(dim),
                 statement.reduced[dim]);
    if (!group)
      return false;
    contraction.groups[*group].push_back(dim);
    contraction.sizes[*group] *= statement.extents[dim];
  }
  Linear result = *getLinear(statement.outputs[0].index, statement.numDims());
  for (auto group : {Contraction::Batch, Contraction::M, Contraction::N})
    llvm::sort(contraction.groups[group], [&](unsigned a, unsigned b) {
      return result.strides[a] > result.strides[b];
    });
  return true;
}

static bool isPositiveZero(Value splat) {
  llvm::APFloat value(0.0f);
  return splat && matchPattern(splat, m_ConstantFloat(&value)) &&
         value.isPosZero();
}

static bool isPackable(const Access &access) {
  Type type = cast<RankedTensorType>(access.tensor.getType()).getElementType();
  return !access.tensor.getDefiningOp<arith::ConstantOp>() &&
         !getSplat(access.tensor) && mpc::isCastable(type);
}

std::optional<Contraction>
mpc::kernel::matchContraction(const Statement &statement) {
  linalg::GenericOp op = statement.generic();
  if (!op || statement.isParallel() || isInOrder(statement))
    return std::nullopt;
  std::optional<SumOfProducts> match = matchSumOfProducts(op);
  if (!match || !match->factors[0].getType().isF32() ||
      !match->factors[1].getType().isF32())
    return std::nullopt;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.getElementType().isF32() || statement.numIterations() == 0 ||
      !isPositiveZero(getSplat(statement.outputs[0].tensor)) ||
      !statement.coversOutput(0) || op.hasIndexSemantics())
    return std::nullopt;
  Contraction contraction{*match, statement, {}, {1, 1, 1, 1}};
  if (!isPackable(contraction.getOperand(0)) ||
      !isPackable(contraction.getOperand(1)) || !matchGroups(contraction))
    return std::nullopt;
  return contraction;
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

/// An index of a stage as a function of the dimensions of the contraction that
/// the list begins with.
static Linear translate(AffineExpr index, const Stage &stage,
                        const Stage &contraction) {
  Linear linear = *getLinear(index, stage.statement.numDims());
  Linear result;
  result.offset = linear.offset;
  for (unsigned dim : contraction.dims)
    result.strides.push_back(dim < linear.strides.size() ? linear.strides[dim]
                                                         : 0);
  return result;
}

static EpilogueStep getStep(const Stage &stage, const Stage &contraction) {
  EpilogueStep step;
  const Statement &statement = stage.statement;
  for (const Access &access : statement.inputs)
    step.reads.push_back(
        {access.tensor, translate(access.index, stage, contraction)});
  for (auto [number, access] : llvm::enumerate(statement.outputs))
    step.reads.push_back(
        statement.readsOutput(number)
            ? LinearAccess{access.tensor,
                           translate(access.index, stage, contraction)}
            : LinearAccess());
  return step;
}

Epilogue mpc::kernel::getEpilogue(FuncOp kernel, const Body &body) {
  Stages stages = *getStages(body);
  const Stage &contraction = stages.list.front();
  Epilogue epilogue;
  for (auto [number, stage] : llvm::enumerate(stages.list)) {
    if (number == 0)
      continue;
    epilogue.steps.push_back(getStep(stage, contraction));
    epilogue.steps.back().statement = &body.statements[number];
  }
  for (auto [number, value] : llvm::enumerate(kernel.getReturn().getValues())) {
    Producer producer = *getProducer(value, body);
    const Stage &stage = stages.list[producer.statement];
    AffineExpr index = stage.statement.outputs[producer.output].index;
    epilogue.stores.push_back({value, kernel.getDestination(number),
                               translate(index, stage, contraction)});
  }
  return epilogue;
}
