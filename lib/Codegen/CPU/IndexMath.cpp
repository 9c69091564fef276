// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index arithmetic that folds constants.
#include "lib/Codegen/CPU/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mpc::cpu;

Value IndexMath::constant(int64_t value) const {
  return emitter_.constantIndex(value);
}

Value IndexMath::add(Value a, Value b) const {
  return emitter_.builder.createOrFold<arith::AddIOp>(emitter_.loc, a, b);
}

Value IndexMath::add(Value a, int64_t b) const { return add(a, constant(b)); }

Value IndexMath::sub(Value a, Value b) const {
  return emitter_.builder.createOrFold<arith::SubIOp>(emitter_.loc, a, b);
}

Value IndexMath::mul(Value a, int64_t b) const {
  return emitter_.builder.createOrFold<arith::MulIOp>(emitter_.loc, a,
                                                      constant(b));
}

Value IndexMath::min(Value a, Value b) const {
  return emitter_.builder.createOrFold<arith::MinUIOp>(emitter_.loc, a, b);
}

Value IndexMath::max(Value a, Value b) const {
  return emitter_.builder.createOrFold<arith::MaxUIOp>(emitter_.loc, a, b);
}

Value IndexMath::div(Value a, int64_t b) const {
  return emitter_.builder.createOrFold<arith::DivUIOp>(emitter_.loc, a,
                                                       constant(b));
}

Value IndexMath::ceilDiv(Value a, int64_t b) const {
  return div(add(a, b - 1), b);
}

Value IndexMath::rem(Value a, int64_t b) const {
  return emitter_.builder.createOrFold<arith::RemUIOp>(emitter_.loc, a,
                                                       constant(b));
}

Value IndexMath::floor(Value a, int64_t unit) const {
  return unit == 1 ? a : sub(a, rem(a, unit));
}

Value IndexMath::at(const mpc::kernel::StridedIndex &strided,
                    Value index) const {
  Value place = constant(0);
  for (size_t number = strided.parts.size(); number-- > 0;) {
    const mpc::kernel::StridedIndex::Part &part = strided.parts[number];
    Value digit = number == 0 ? index : rem(index, part.extent);
    place = add(place, mul(digit, part.stride));
    if (number != 0)
      index = div(index, part.extent);
  }
  return place;
}
