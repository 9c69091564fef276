// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Stochastic rounding in the bodies of ops.
#ifndef MPC_DIALECTS_AMP_STOCHASTICROUNDING_H
#define MPC_DIALECTS_AMP_STOCHASTICROUNDING_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mpc::amp {

/// `value`, an f32, rounded to `type`, bf16 or f16. The random bits follow from
/// `key` (i32) and the position along the body's only loop: see
/// amp.rounding_key.
mlir::Value emitStochasticRounding(mlir::ImplicitLocOpBuilder &b,
                                   mlir::Value value, mlir::Type type,
                                   mlir::Value key);

/// An i32 whose every bit depends on every bit of `x`.
mlir::Value emitHash(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_STOCHASTICROUNDING_H
