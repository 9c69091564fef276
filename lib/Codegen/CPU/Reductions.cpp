// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neutral elements of reductions, the combination of partial results, chains.
#include "lib/Codegen/CPU/Reductions.h"

#include "lib/Codegen/CPU/IndexMath.h"
#include "lib/Codegen/CPU/Transpose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mpc::cpu;

Value mpc::cpu::createCombined(Emitter &emitter, Operation *combiner, Value lhs,
                               Value rhs) {
  OpBuilder &builder = emitter.builder;
  if (isa<math::FmaOp>(combiner))
    return arith::AddFOp::create(builder, emitter.loc, lhs, rhs);
  OperationState state(emitter.loc, combiner->getName().getIdentifier(),
                       {lhs, rhs}, {lhs.getType()}, combiner->getAttrs());
  return builder.create(state)->getResult(0);
}

Value mpc::cpu::createNeutral(Emitter &emitter, Operation *combiner) {
  OpBuilder &builder = emitter.builder;
  TypedAttr neutral = builder.getZeroAttr(combiner->getResult(0).getType());
  if (!isa<math::FmaOp>(combiner))
    if (std::optional<TypedAttr> known = arith::getNeutralElement(combiner))
      neutral = *known;
  return arith::ConstantOp::create(builder, emitter.loc, neutral);
}

Value mpc::cpu::reduceLanes(Emitter &emitter, Operation *combiner, Value sums,
                            int64_t lanes) {
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(lane + half);
    }
    Value first = createShuffle(emitter, sums, sums, low);
    Value second = createShuffle(emitter, sums, sums, high);
    sums = createCombined(emitter, combiner, first, second);
  }
  return vector::ExtractOp::create(emitter.builder, emitter.loc, sums, 0);
}

/// Sums some positions of `loop`, in chains of `lengths`. The longest chains
/// are cut into the shorter ones.
static SmallVector<Value> sumCut(Emitter &emitter, const ChainLoop &loop,
                                 ArrayRef<int64_t> lengths, IndexRange range,
                                 ValueRange sums) {
  if (lengths.empty())
    return loop.sumRange(range, sums);
  IndexMath math(emitter);
  int64_t length = lengths.front();
  size_t count = loop.combiners.size();
  auto addChain = [&](Value from, ValueRange totals) {
    SmallVector<Value> next(totals);
    for (auto [number, value] : llvm::enumerate(next))
      if (Value neutral = loop.neutrals[number % count])
        value = neutral;
    Value to = math.add(from, length);
    if (loop.extent % length != 0)
      to = math.min(to, range.second);
    next = sumCut(emitter, loop, lengths.drop_front(), {from, to}, next);
    for (auto [number, value] : llvm::enumerate(next))
      if (Operation *combiner = loop.combiners[number % count])
        value = createCombined(emitter, combiner, totals[number], value);
    return next;
  };
  return emitter.emitCarryingLoop(range, length, sums, addChain);
}

SmallVector<Value> mpc::cpu::sumChains(Emitter &emitter, const ChainLoop &loop,
                                       ValueRange sums) {
  IndexRange all = {emitter.constantIndex(0),
                    emitter.constantIndex(loop.extent)};
  return sumCut(emitter, loop, loop.lengths, all, sums);
}
