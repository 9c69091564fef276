// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The loss-scale policies as IR: the runtime's templates, instantiated with a
/// builder that emits ops.
#ifndef MPC_PASSES_AMP_POLICYEMITTER_H
#define MPC_PASSES_AMP_POLICYEMITTER_H

#include "mlir/IR/Builders.h"
#include "runtime/LossScale/PolicyInfo.h"

#include <array>

namespace mpc::amp {

/// The operands of a policy's step: tensors of one shape, rank 0 for one
/// scaler.
struct PolicyOperands {
  std::array<mlir::Value, rt::kNumStateSlots> state;  ///< f64
  std::array<mlir::Value, rt::kNumSettings> settings; ///< f64, null if not read
  mlir::Value found;  ///< Whether a gradient is not finite, i1
  mlir::Value maxAbs; ///< f32, may be null
};

/// The state after a step, as one structured op.
std::array<mlir::Value, rt::kNumStateSlots>
buildPolicyStep(mlir::OpBuilder &builder, mlir::Location loc,
                rt::PolicyKind kind, const PolicyOperands &operands);

/// The factor that gradients are unscaled with, f32, from a scale of f32 or
/// f64.
mlir::Value buildInverseScale(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value scale, bool flushed);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_POLICYEMITTER_H
