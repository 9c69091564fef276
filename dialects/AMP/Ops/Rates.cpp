// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms of all gradients of an optimizer: how each changes a group.
#include "dialects/AMP/AMPDialect.h"
#include "dialects/NN/Gradient.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

/// The type of one f32 for each of `norms`.
static Type factorType(OpBuilder &builder, Value norms) {
  return cast<RankedTensorType>(norms.getType()).clone(builder.getF32Type());
}

//===----------------------------------------------------------------------===//
// ClampOp, ClipEachOp
//===----------------------------------------------------------------------===//

Value ClampOp::getBound() { return getFactor(); }

Value ClipEachOp::getBound() { return getMax(); }

bool ClipEachOp::needsTensors() { return true; }

Value ClipEachOp::buildGroup(OpBuilder &builder, const GradientGroup &group) {
  Value norms = buildNorms(builder, getLoc(), group.gradients, group.blocks);
  Value factors = ClipCoefficientOp::create(
      builder, getLoc(), factorType(builder, norms), norms,
      group.scalars.front(), Value(), getKeras());
  return buildScaled(builder, getLoc(), group.gradients, factors, group.blocks);
}

//===----------------------------------------------------------------------===//
// RegularizeOp
//===----------------------------------------------------------------------===//

Value RegularizeOp::getBound() { return getL1(); }

bool RegularizeOp::needsParameters() { return true; }

Value RegularizeOp::buildGroup(OpBuilder &builder, const GradientGroup &group) {
  if (!group.decay)
    return group.gradients;
  return AddPenaltyOp::create(builder, getLoc(), group.gradients.getType(),
                              group.gradients, group.parameters,
                              group.scalars[0], group.scalars[1]);
}

//===----------------------------------------------------------------------===//
// LarcOp
//===----------------------------------------------------------------------===//

LogicalResult LarcOp::verify() {
  if (bool(getMinUpdate()) == bool(getWeightDecay()))
    return emitOpError("needs one of min_update and weight_decay");
  return success();
}

Value LarcOp::getBound() { return getEps(); }

bool LarcOp::needsTensors() { return true; }

bool LarcOp::needsParameters() { return true; }

Value LarcOp::buildGroup(OpBuilder &builder, const GradientGroup &group) {
  nn::GradientBuilder g(builder, getLoc());
  SmallVector<Value> operands = {group.gradients};
  llvm::append_range(operands, group.scalars);
  Adaptor given(operands, *this);
  Value decay = given.getWeightDecay();
  if (decay && !group.decay)
    decay = g.splat(decay, 0.0);
  Value parameterNorms =
      buildNorms(builder, getLoc(), group.parameters, group.blocks);
  Value norms = buildNorms(builder, getLoc(), group.gradients, group.blocks);
  Value rates =
      LarcRateOp::create(builder, getLoc(), factorType(builder, norms),
                         parameterNorms, norms, given.getEta(), given.getEps(),
                         given.getMinUpdate(), decay, given.getLr());
  Value sum = group.gradients;
  if (decay && group.decay) {
    Value decays =
        LarcDecayOp::create(builder, getLoc(), factorType(builder, norms),
                            parameterNorms, norms, decay);
    Value weights = g.cast(group.parameters, builder.getF32Type());
    sum = g.add(sum,
                buildScaled(builder, getLoc(), weights, decays, group.blocks));
  }
  return buildScaled(builder, getLoc(), sum, rates, group.blocks);
}
