// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between the types of scalars and vectors.
#include "lib/Codegen/CPU/LaneMath.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mpc::cpu;

Value LaneMath::convert(Value a, Type element) const {
  unsigned from = getElementTypeOrSelf(a.getType()).getIntOrFloatBitWidth();
  unsigned to = element.getIntOrFloatBitWidth();
  if (from == to)
    return a;
  if (from < to)
    return arith::ExtFOp::create(emitter_.builder, emitter_.loc, type(element),
                                 a);
  return arith::TruncFOp::create(emitter_.builder, emitter_.loc, type(element),
                                 a);
}
