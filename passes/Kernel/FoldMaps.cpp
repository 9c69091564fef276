// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves bodies of elementwise ops into the bodies of sums.
#include "passes/Kernel/FoldMaps.h"

#include "dialects/Kernel/Contraction.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/Kernel/Peak.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Kernel/GroupStages.h"

using namespace mlir;
using namespace mpc::kernel;

/// The most inputs of a sum: its loop holds an address for each.
static constexpr unsigned kMostInputs = 8;

/// Whether `op` computes each element of its one result from elements at places
/// that follow from the element's own.
static bool isElementwise(linalg::GenericOp op) {
  return op.getNumDpsInits() == 1 && op.getNumReductionLoops() == 0 &&
         op.getIndexingMapsArray().back().isIdentity() &&
         op.getRegionOutputArgs().front().use_empty() &&
         !op.hasIndexSemantics() && !readsByIndex(op);
}

/// Whether the ops of the body take no longer than a few loads.
static bool isArithmetic(linalg::GenericOp op) {
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return inner.getDialect()->getNamespace() ==
               arith::ArithDialect::getDialectNamespace() &&
           !isa<arith::DivFOp>(inner);
  });
}

/// Whether `op` is a sum of elements that no kernel shares with other ops.
static bool isLoneSum(linalg::GenericOp op) {
  return op.getNumReductionLoops() != 0 && op.getNumDpsInits() == 1 &&
         !isSumOfProducts(op) && !readsByIndex(op) &&
         !isJoinable(op);
}

namespace {

/// A tensor that a loop reads, and where.
using TensorRead = std::pair<Value, AffineMap>;

} // namespace

static SmallVector<TensorRead> inputsOf(linalg::GenericOp op) {
  SmallVector<TensorRead> inputs;
  for (OpOperand *input : op.getDpsInputOperands())
    inputs.push_back({input->get(), op.getMatchingIndexingMap(input)});
  return inputs;
}

/// What `sum` would read in place of its input `index`, which `source` makes.
static SmallVector<TensorRead>
inputsInstead(linalg::GenericOp sum, unsigned index, linalg::GenericOp source) {
  SmallVector<TensorRead> inputs = inputsOf(sum);
  AffineMap place = inputs[index].second;
  inputs.erase(inputs.begin() + index);
  for (auto [value, map] : inputsOf(source)) {
    TensorRead read = {value, simplifyAffineMap(map.compose(place))};
    if (!llvm::is_contained(inputs, read))
      inputs.push_back(read);
  }
  return inputs;
}

static int64_t bytesRead(ArrayRef<TensorRead> inputs) {
  int64_t bytes = 0;
  for (auto [value, map] : inputs)
    bytes += bytesOf(value);
  return bytes;
}

/// Whether the shapes of all operands still bound each loop of `sum`.
static bool areBounded(linalg::GenericOp sum, ArrayRef<TensorRead> inputs) {
  llvm::SmallBitVector bounded(sum.getNumLoops());
  auto add = [&](AffineMap map) {
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        bounded.set(dim.getPosition());
  };
  for (auto [value, map] : inputs)
    add(map);
  add(sum.getIndexingMapsArray().back());
  return bounded.all();
}

/// Whether an op behind `sum` reads `value`, itself or by a view, so that it is
/// kept until then.
static bool isReadBehind(linalg::GenericOp sum, Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto view = dyn_cast<ViewOp>(user))
      return isReadBehind(sum, view.getResult());
    Operation *reader = sum->getBlock()->findAncestorOpInBlock(*user);
    return reader && sum->isBeforeInBlock(reader);
  });
}

/// Whether `sum` can read `value` without keeping it alive for that: it is
/// small or kept for others, or it follows from values that are.
static bool isAtHand(linalg::GenericOp sum, Value value, int64_t small) {
  while (auto view = value.getDefiningOp<ViewOp>())
    value = view.getSource();
  Operation *op = value.getDefiningOp();
  if (!op || bytesOf(value) <= small || isReadBehind(sum, value))
    return true;
  auto source = dyn_cast<linalg::GenericOp>(op);
  return source && isElementwise(source) && isArithmetic(source) &&
         llvm::all_of(source.getInputs(),
                      [&](Value input) { return isAtHand(sum, input, small); });
}

/// Whether fewer bytes move if `sum` computes its input `index` itself. Where
/// others read the elements, they may stay in memory all the same.
static bool pays(linalg::GenericOp sum, unsigned index,
                 linalg::GenericOp source) {
  SmallVector<TensorRead> inputs = inputsInstead(sum, index, source);
  Value stored = source.getResult(0);
  bool isOnlyReader = stored.hasOneUse();
  // Numbers of a row or a channel stay in the cache.
  int64_t small = bytesOf(stored) / 64;
  int64_t saved = isOnlyReader ? bytesOf(stored) : small;
  return (isOnlyReader || (isArithmetic(source) &&
                           llvm::all_of(source.getInputs(),
                                        [&](Value input) {
                                          return isAtHand(sum, input, small);
                                        }))) &&
         inputs.size() <= kMostInputs && areBounded(sum, inputs) &&
         bytesRead(inputs) <= bytesRead(inputsOf(sum)) + saved;
}

/// A copy of the sum with the body of `source` in its own, in place of input
/// `index`.
static linalg::GenericOp inlineSource(linalg::GenericOp sum, unsigned index,
                                      linalg::GenericOp source) {
  SmallVector<TensorRead> inputs = inputsInstead(sum, index, source);
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  for (auto [value, map] : inputs) {
    values.push_back(value);
    maps.push_back(map);
  }
  AffineMap place = inputsOf(sum)[index].second;
  maps.push_back(sum.getIndexingMapsArray().back());
  OpBuilder builder(sum);
  auto elementOf = [&](Block *block, const TensorRead &read) -> Value {
    return block->getArgument(llvm::find(inputs, read) - inputs.begin());
  };
  auto inlined = linalg::GenericOp::create(
      builder, sum.getLoc(), sum.getResultTypes(), values, sum.getOutputs(),
      maps, sum.getIteratorTypesArray(),
      [&](OpBuilder &body, Location, ValueRange arguments) {
        Block *block = body.getInsertionBlock();
        IRMapping mapping;
        for (auto [number, read] : llvm::enumerate(inputsOf(source)))
          mapping.map(
              source.getBody()->getArgument(number),
              elementOf(block, {read.first, simplifyAffineMap(
                                                read.second.compose(place))}));
        for (Operation &inner : source.getBody()->without_terminator())
          body.clone(inner, mapping);
        Value element = mapping.lookupOrDefault(
            source.getBody()->getTerminator()->getOperand(0));
        for (auto [number, read] : llvm::enumerate(inputsOf(sum)))
          mapping.map(sum.getBody()->getArgument(number),
                      number == index ? element : elementOf(block, read));
        mapping.map(sum.getBody()->getArguments().back(), arguments.back());
        for (Operation &inner : *sum.getBody())
          body.clone(inner, mapping);
      });
  inlined->setDiscardableAttrs(sum->getDiscardableAttrDictionary());
  return inlined;
}

/// Makes `sum` compute its input `index`, if it may and should.
static bool foldInput(linalg::GenericOp &sum, unsigned index) {
  auto source = sum.getInputs()[index].getDefiningOp<linalg::GenericOp>();
  if (!source || !isElementwise(source) || !pays(sum, index, source))
    return false;
  linalg::GenericOp inlined = inlineSource(sum, index, source);
  // A contraction sums in another order.
  if (isSumOfProducts(inlined)) {
    inlined.erase();
    return false;
  }
  sum.replaceAllUsesWith(inlined.getResults());
  sum.erase();
  sum = inlined;
  if (source.use_empty())
    source.erase();
  return true;
}

void mpc::kernel::foldMaps(Block &block) {
  for (auto sum :
       llvm::make_early_inc_range(block.getOps<linalg::GenericOp>())) {
    if (!isLoneSum(sum))
      continue;
    for (unsigned index = 0; index < sum.getInputs().size();)
      index = foldInput(sum, index) ? 0 : index + 1;
  }
}
