// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the ops that draw random numbers.
#include "lib/Import/Build/Random.h"

#include "dialects/NN/NNDialect.h"
#include "dialects/NN/Random.h"
#include <numbers>

using namespace llvm;

namespace mpc::build {

Operand dropout(TensorBuilder &b, const Operand &input, double ratio,
                int32_t stream) {
  return b.fromValue(nn::DropoutOp::create(
      b.builder(), b.location(), b.tensorType(input.type, input.shape),
      input.value, mlir::ValueRange(), APFloat(ratio), stream));
}

/// Numbers in [0, 1), f32.
static Operand uniform(TensorBuilder &b, ArrayRef<int64_t> shape,
                       int32_t stream, int32_t draw) {
  auto bits = nn::RandomBitsOp::create(b.builder(), b.location(),
                                       b.tensorType(b.i32(), shape),
                                       mlir::ValueRange(), stream, draw);
  return b.fromValue(nn::UniformOp::create(b.builder(), b.location(),
                                           b.tensorType(b.f32(), shape), bits));
}

/// x * scale + offset
static Operand affine(TensorBuilder &b, Operand x, double scale,
                      double offset) {
  if (scale != 1.0)
    x = b.binary(Binary::Mul, x, scale);
  return offset == 0.0 ? x : b.binary(Binary::Add, x, offset);
}

Operand uniform(TensorBuilder &b, ArrayRef<int64_t> shape) {
  return uniform(b, shape, b.takeStream(), 0);
}

Operand uniformBetween(TensorBuilder &b, ArrayRef<int64_t> shape, double low,
                       double high) {
  return affine(b, uniform(b, shape), high - low, low);
}

// Uses the transform of Box and Muller (1958).
Operand normal(TensorBuilder &b, ArrayRef<int64_t> shape, double mean,
               double deviation) {
  int32_t stream = b.takeStream();
  // The number is in (0, 1], since the logarithm of 0 would be infinite.
  Operand first = affine(b, uniform(b, shape, stream, /*draw=*/0), -1.0, 1.0);
  Operand angle = affine(b, uniform(b, shape, stream, /*draw=*/1),
                         2.0 * std::numbers::pi, 0.0);
  Operand radius = b.sqrt(affine(b, b.log(first), -2.0, 0.0));
  Operand drawn = b.binary(Binary::Mul, radius, b.unary<nn::CosOp>(angle));
  return affine(b, drawn, deviation, mean);
}

} // namespace mpc::build
