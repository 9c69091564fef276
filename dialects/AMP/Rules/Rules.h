// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The optimizers by families, one file each, and what their rules have in
/// common.
#ifndef MPC_DIALECTS_AMP_RULES_RULES_H
#define MPC_DIALECTS_AMP_RULES_RULES_H

#include "dialects/AMP/Optimizers.h"

namespace mpc::amp {

// The rows of each family.
llvm::ArrayRef<Optimizer> descentOptimizers();
llvm::ArrayRef<Optimizer> adamOptimizers();
llvm::ArrayRef<Optimizer> kerasOptimizers();

inline constexpr NamedNumber kStep[] = {{"step", 0.0}};
inline constexpr NamedNumber kAdamState[] = {
    {"step", 0.0}, {"beta1_power", 1.0}, {"beta2_power", 1.0}};
inline constexpr llvm::StringRef kMaximize[] = {"maximize"};

/// The gradient to descend along. Every rule starts with it.
inline Fp descent(Scalars &s) {
  return s.has("maximize") ? -s["gradient"] : s["gradient"];
}

/// The gradient with L2 weight decay.
inline Fp descentWithDecay(Scalars &s, bool decay) {
  Fp g = descent(s);
  return decay ? fma(s["weight_decay"], s["parameter"], g) : g;
}

// PyTorch's kernels add a multiple by a fused operation, so these rules do too.
inline Fp lerp(Fp from, Fp to, Fp weight) {
  return fma(weight, to - from, from);
}

/// PyTorch's sign: 0 of 0, and NaN of NaN.
inline Fp sign(Fp x) {
  return select(less(x, 0.0), -1.0, select(greater(x, 0.0), 1.0, x));
}

/// `x` rounded to f32, in f64. An operation on such values that is rounded
/// again equals the operation in f32.
inline Fp toSingle(Fp x) {
  return x.as(x.b->getF32Type()).as(x.b->getF64Type());
}

/// base^exponent, by logarithm.
inline Fp power(Fp base, Fp exponent) {
  return base.make<mlir::math::PowFOp>(base.value, exponent.value);
}

inline void advancePowers(Scalars &s) {
  s["step"] = s["step"] + 1.0;
  s["beta1_power"] = s["beta1_power"] * s["beta1"];
  s["beta2_power"] = s["beta2_power"] * s["beta2"];
}

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_RULES_RULES_H
