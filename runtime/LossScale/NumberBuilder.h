// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The runtime's builder of scalars: its values are numbers.
#ifndef MPC_RUNTIME_LOSSSCALE_NUMBERBUILDER_H
#define MPC_RUNTIME_LOSSSCALE_NUMBERBUILDER_H

#include "runtime/LossScale/ScalarExpr.h"
#include "runtime/Support/Rounding.h"

#include <cmath>

namespace mpc::rt {

/// Computes at once. Rounding to f32 uses integers, so that a host that flushes
/// subnormals to zero gets the same results.
struct NumberBuilder {
  using Value = double;
  using Bool = bool;

  Value constant(double c) { return c; }
  Value add(Value a, Value b) { return a + b; }
  Value sub(Value a, Value b) { return a - b; }
  Value mul(Value a, Value b) { return a * b; }
  Value div(Value a, Value b) { return a / b; }
  Value sqrt(Value a) { return std::sqrt(a); }
  Value roundToF32(Value a) { return mpc::rt::roundToF32(a); }
  Bool lessThan(Value a, Value b) { return a < b; }
  Bool lessEqual(Value a, Value b) { return a <= b; }
  Bool equal(Value a, Value b) { return a == b; }
  Bool logicalAnd(Bool a, Bool b) { return a && b; }
  Bool logicalOr(Bool a, Bool b) { return a || b; }
  Bool logicalNot(Bool a) { return !a; }
  Value select(Bool condition, Value a, Value b) { return condition ? a : b; }
};
static_assert(ScalarBuilder<NumberBuilder>);

} // namespace mpc::rt

#endif // MPC_RUNTIME_LOSSSCALE_NUMBERBUILDER_H
