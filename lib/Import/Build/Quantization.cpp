// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantizing and dequantizing in one step, as by fake_quantize(), has the
// gradients of that function. The gradient passes through where the number is
// in the range of levels, and is 0 outside. Scale and zero point have none.
#include "lib/Import/Build/Quantization.h"

#include "dialects/NN/NNDialect.h"
#include <limits>

using namespace llvm;

namespace mpc::build {

template <typename T>
static constexpr QuantizationLevels kLevelsOf = {
    double(std::numeric_limits<T>::min()),
    double(std::numeric_limits<T>::max())};

std::optional<QuantizationLevels> levelsOf(mlir::Type type) {
  bool isUnsigned = type.isUnsignedInteger();
  if (type.isInteger(8))
    return isUnsigned ? kLevelsOf<uint8_t> : kLevelsOf<int8_t>;
  if (type.isInteger(16))
    return isUnsigned ? kLevelsOf<uint16_t> : kLevelsOf<int16_t>;
  return std::nullopt;
}

Operand repeatedBlocks(TensorBuilder &b, const Operand &blocks, int64_t axis,
                       int64_t size, ArrayRef<int64_t> shape) {
  Shape apart = blocks.shape, wide(shape);
  apart.insert(apart.begin() + axis + 1, 1);
  Shape filled = apart;
  filled[axis + 1] = size;
  wide[axis] = blocks.shape[axis] * size;
  Operand all = b.broadcastTo(b.reshape(blocks, apart), filled);
  return b.sliceAxis(b.reshape(all, wide), axis, 0, shape[axis]);
}

Operand wideNumbers(TensorBuilder &b, const Operand &x) {
  return x.isFloat() ? b.wide(x) : b.cast(x, b.f32());
}

static Operand clamped(TensorBuilder &b, const Operand &x,
                       QuantizationLevels levels) {
  return b.binary(Binary::Min, b.binary(Binary::Max, x, levels.least),
                  levels.most);
}

/// round(x / scale) + zero point.
static Operand levelOf(TensorBuilder &b, const Operand &x,
                       const QuantizationGrid &grid) {
  Operand ratio = grid.byReciprocal
                      ? b.binary(Binary::Mul, x, b.reciprocal(grid.scale))
                      : b.binary(Binary::Div, x, grid.scale);
  return b.binary(Binary::Add, b.unary<nn::RoundOp>(ratio), grid.zero);
}

Operand dequantized(TensorBuilder &b, const Operand &level,
                    const QuantizationGrid &grid) {
  return b.binary(Binary::Mul, b.binary(Binary::Sub, level, grid.zero),
                  grid.scale);
}

Operand quantized(TensorBuilder &b, const Operand &x,
                  const QuantizationGrid &grid, QuantizationLevels levels) {
  return clamped(b, levelOf(b, x, grid), levels);
}

/// `quantized`, with the gradient of `through`: `through` is added and
/// subtracted again.
static Operand straightThrough(TensorBuilder &b, const Operand &quantized,
                               const Operand &through) {
  return b.binary(Binary::Add, b.withoutGradient(quantized),
                  b.binary(Binary::Sub, through, b.withoutGradient(through)));
}

Operand fakeQuantized(TensorBuilder &b, const Operand &x,
                      const QuantizationGrid &grid, QuantizationLevels levels) {
  Operand level = levelOf(b, x, grid);
  Operand bounded = clamped(b, level, levels);
  Operand isWithin = b.compare(nn::CompareKind::EQ, level, bounded);
  return straightThrough(b, dequantized(b, bounded, grid),
                         b.select(isWithin, x, b.splatLike(x, 0)));
}

} // namespace mpc::build
