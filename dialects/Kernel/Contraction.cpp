// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognizes contractions and the maps on their results.
#include "dialects/Kernel/Contraction.h"

#include "dialects/Interfaces/Precision.h"
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
  return isa<BlockArgument>(access.tensor) && mpc::isCastable(type);
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

namespace {

/// Builds an Epilogue step by step. Knows for each computed tensor where the
/// element of an iteration is.
class EpilogueMatcher {
public:
  EpilogueMatcher(const Contraction &contraction) : contraction_(contraction) {
    const Statement &statement = contraction.statement;
    known_[contraction.getResult()] =
        *getLinear(statement.outputs[0].index, statement.numDims());
  }

  bool addStep(const Statement &statement);
  bool addStore(Value value, Value destination);
  Epilogue epilogue;

private:
  bool matchDims(const Statement &statement);
  bool matchDims(const Linear &access, const Linear &result);
  std::optional<Linear> translate(AffineExpr index, unsigned numDims);
  std::optional<LinearAccess> getRead(const Access &access, unsigned numDims);

  const Contraction &contraction_;
  llvm::DenseMap<Value, Linear> known_;
  /// The contraction's dimension for each dimension of the current statement.
  SmallVector<unsigned> dims_;
};

} // namespace

// Two dimensions are the same where they take the same steps through a tensor
// that both statements cover.
bool EpilogueMatcher::matchDims(const Linear &access, const Linear &result) {
  dims_.clear();
  for (int64_t stride : access.strides) {
    const int64_t *place = llvm::find(result.strides, stride);
    if (stride == 0 || place == result.strides.end())
      return false;
    dims_.push_back(place - result.strides.begin());
  }
  return true;
}

bool EpilogueMatcher::matchDims(const Statement &statement) {
  unsigned numDims = statement.numDims();
  unsigned numParallel = llvm::count(contraction_.statement.reduced, false);
  if (numDims != numParallel)
    return false;
  for (const Access &access : statement.inputs) {
    auto place = known_.find(access.tensor);
    std::optional<Linear> linear = getLinear(access.index, numDims);
    if (place != known_.end() && linear && linear->offset == 0 &&
        matchDims(*linear, place->second))
      return true;
  }
  // The statement reads no computed tensor. Its output has the result's shape
  // and gives the dimensions, for a later statement.
  const Access &output = statement.outputs.front();
  std::optional<Linear> linear = getLinear(output.index, numDims);
  return linear && linear->offset == 0 &&
         succeeded(verifyCompatibleShape(output.tensor.getType(),
                                         contraction_.getResult().getType())) &&
         matchDims(*linear, known_.lookup(contraction_.getResult()));
}

std::optional<Linear> EpilogueMatcher::translate(AffineExpr index,
                                                 unsigned numDims) {
  std::optional<Linear> linear = getLinear(index, numDims);
  if (!linear)
    return std::nullopt;
  Linear result;
  result.offset = linear->offset;
  result.strides.assign(contraction_.statement.numDims(), 0);
  for (unsigned dim = 0; dim < numDims; ++dim)
    result.strides[dims_[dim]] = linear->strides[dim];
  return result;
}

std::optional<LinearAccess> EpilogueMatcher::getRead(const Access &access,
                                                     unsigned numDims) {
  std::optional<Linear> index = translate(access.index, numDims);
  if (!index)
    return std::nullopt;
  auto computed = known_.find(access.tensor);
  if (computed != known_.end()) {
    // The value of another iteration is not available.
    if (computed->second.strides != index->strides || index->offset != 0)
      return std::nullopt;
  } else if (!isa<BlockArgument>(access.tensor) && !getSplat(access.tensor)) {
    return std::nullopt;
  }
  return LinearAccess{access.tensor, *index};
}

bool EpilogueMatcher::addStep(const Statement &statement) {
  linalg::GenericOp op = statement.generic();
  if (!op || !statement.isParallel() || statement.readsByIndex() ||
      op.hasIndexSemantics() || !matchDims(statement))
    return false;
  EpilogueStep step;
  step.statement = &statement;
  for (const Access &access : statement.inputs) {
    std::optional<LinearAccess> read = getRead(access, statement.numDims());
    if (!read)
      return false;
    step.reads.push_back(*read);
  }
  for (auto [number, access] : llvm::enumerate(statement.outputs)) {
    step.reads.emplace_back();
    if (statement.readsOutput(number)) {
      std::optional<LinearAccess> read = getRead(access, statement.numDims());
      if (!read)
        return false;
      step.reads.back() = *read;
    }
    std::optional<Linear> index = translate(access.index, statement.numDims());
    if (!index || !statement.coversOutput(number))
      return false;
    known_[op->getResult(number)] = *index;
  }
  epilogue.steps.push_back(std::move(step));
  return true;
}

bool EpilogueMatcher::addStore(Value value, Value destination) {
  auto place = known_.find(value);
  if (place == known_.end())
    return false;
  epilogue.stores.push_back({value, destination, place->second});
  return true;
}

std::optional<Epilogue>
mpc::kernel::matchEpilogue(FuncOp kernel, const Body &body,
                           const Contraction &contraction) {
  EpilogueMatcher matcher(contraction);
  for (const Statement &statement : llvm::drop_begin(body.statements))
    if (!matcher.addStep(statement))
      return std::nullopt;
  for (auto [number, value] : llvm::enumerate(kernel.getReturn().getValues()))
    if (!matcher.addStore(value, kernel.getDestination(number)))
      return std::nullopt;
  return std::move(matcher.epilogue);
}
