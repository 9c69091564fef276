// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neutral elements of reductions, and the combination of partial results.
#include "lib/Codegen/CPU/Reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

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
