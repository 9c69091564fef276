// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantization to integers, and back. Both at once, as fake_quantize() is
// written, train as there: the gradient goes through where the number has a
// level of its own, and is 0 where it is beyond them; there is none of scale
// and zero point.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"

#include <limits>

using namespace llvm;

namespace mpc::onnx {

namespace {

struct Levels {
  double least, most;
};

template <typename T>
constexpr Levels kLevelsOf = {double(std::numeric_limits<T>::min()),
                              double(std::numeric_limits<T>::max())};

Expected<Levels> levelsOf(const NodeImporter &node, mlir::Type type) {
  bool isUnsigned = type.isUnsignedInteger();
  if (type.isInteger(8))
    return isUnsigned ? kLevelsOf<uint8_t> : kLevelsOf<int8_t>;
  if (type.isInteger(16))
    return isUnsigned ? kLevelsOf<uint16_t> : kLevelsOf<int16_t>;
  return node.fail("quantizes to " + toString(type) +
                   ", expected an integer of 8 or 16 bits");
}

/// One number for each block of `size` elements along the axis.
Operand repeated(TensorBuilder &b, const Operand &blocks, int64_t axis,
                 int64_t size, ArrayRef<int64_t> shape) {
  Shape apart = blocks.shape, wide(shape);
  apart.insert(apart.begin() + axis + 1, 1);
  Shape filled = apart;
  filled[axis + 1] = size;
  wide[axis] = blocks.shape[axis] * size;
  Operand all = b.broadcastTo(b.reshape(blocks, apart), filled);
  return b.sliceAxis(b.reshape(all, wide), axis, 0, shape[axis]);
}

/// Input `index`, scale or zero point, for each element of `shape`.
Expected<Operand> spread(const NodeImporter &node, size_t index,
                         ArrayRef<int64_t> shape) {
  TensorBuilder &b = node.build;
  const Operand &numbers = node.in(index);
  if (countElements(numbers.shape) == 1)
    return b.broadcastTo(b.reshape(numbers, {}), shape);
  auto rank = static_cast<int64_t>(shape.size());
  MPC_TRY_ASSIGN(int64_t axis, node.axis(node.intAttr("axis", 1), rank));
  if (numbers.rank() == 1 && numbers.shape[0] == shape[axis])
    return b.broadcast(numbers, shape, {axis});
  int64_t size = node.intAttr("block_size", 0);
  Shape blocks(shape);
  if (size > 0)
    blocks[axis] = (shape[axis] + size - 1) / size;
  if (size <= 0 || numbers.shape != blocks)
    return node.fail("scale and zero point are " + shapeText(numbers.shape) +
                     " for a tensor of " + shapeText(shape) +
                     ", expected one number, one for each element of axis " +
                     Twine(axis) + " or one for each block of it");
  return repeated(b, numbers, axis, size, shape);
}

/// Scale and zero point of each element.
struct Grid {
  Operand scale, zero;
};

Expected<Grid> gridOf(const NodeImporter &node, mlir::Type type,
                      ArrayRef<int64_t> shape) {
  TensorBuilder &b = node.build;
  MPC_TRY(node.requireFloat(1));
  MPC_TRY_ASSIGN(Operand scale, spread(node, 1, shape));
  Operand zero = b.splat(type, shape, 0);
  if (node.has(2)) {
    MPC_TRY_ASSIGN(zero, spread(node, 2, shape));
  }
  return Grid{b.cast(b.withoutGradient(scale), type), b.cast(zero, type)};
}

/// In which type levels are computed.
Operand wideNumbers(TensorBuilder &b, const Operand &x) {
  return x.isFloat() ? b.wide(x) : b.cast(x, b.f32());
}

Operand clamped(TensorBuilder &b, const Operand &x, Levels levels) {
  return b.binary(Binary::Min, b.binary(Binary::Max, x, levels.least),
                  levels.most);
}

/// round(x / scale) + zero, or by 1 / scale.
Operand levelOf(const NodeImporter &node, const Operand &x, const Grid &grid) {
  TensorBuilder &b = node.build;
  Operand ratio = node.isSet(setting::kByReciprocal)
                      ? b.binary(Binary::Mul, x, b.reciprocal(grid.scale))
                      : b.binary(Binary::Div, x, grid.scale);
  return b.binary(Binary::Add, b.unary<nn::RoundOp>(ratio), grid.zero);
}

Operand valueOf(TensorBuilder &b, const Operand &level, const Grid &grid) {
  return b.binary(Binary::Mul, b.binary(Binary::Sub, level, grid.zero),
                  grid.scale);
}

Error emitQuantize(NodeImporter &node) {
  TensorBuilder &b = node.build;
  mlir::Type type = b.u8();
  if (node.intAttr("output_dtype", 0) != 0) {
    MPC_TRY_ASSIGN(type, node.elementTypeAttr("output_dtype"));
  }
  if (node.has(2))
    type = node.in(2).type;
  MPC_TRY_ASSIGN(Levels levels, levelsOf(node, type));
  Operand x = wideNumbers(b, node.in(0));
  MPC_TRY_ASSIGN(Grid grid, gridOf(node, x.type, x.shape));
  node.result(0, b.asWritten(type, x.shape, [&] {
    return b.cast(clamped(b, levelOf(node, x, grid), levels), type);
  }));
  return Error::success();
}

Error emitDequantize(NodeImporter &node) {
  TensorBuilder &b = node.build;
  MPC_TRY(node.requireIntegers(0));
  mlir::Type type = node.in(1).type;
  if (node.intAttr("output_dtype", 0) != 0) {
    MPC_TRY_ASSIGN(type, node.elementTypeAttr("output_dtype"));
  }
  Operand level = b.cast(node.in(0), b.f32());
  MPC_TRY_ASSIGN(Grid grid, gridOf(node, level.type, level.shape));
  node.result(0, b.asWritten(type, level.shape, [&] {
    return b.cast(valueOf(b, level, grid), type);
  }));
  return Error::success();
}

/// What is quantized, with the gradient of `through`, whose own value goes away
/// against itself.
Operand straightThrough(TensorBuilder &b, const Operand &quantized,
                        const Operand &through) {
  return b.binary(Binary::Add, b.withoutGradient(quantized),
                  b.binary(Binary::Sub, through, b.withoutGradient(through)));
}

Operand fakeQuantized(const NodeImporter &node, const Operand &x,
                      const Grid &grid, Levels levels) {
  TensorBuilder &b = node.build;
  Operand level = levelOf(node, x, grid);
  Operand bounded = clamped(b, level, levels);
  Operand isWithin = b.compare(nn::CompareKind::EQ, level, bounded);
  return straightThrough(b, valueOf(b, bounded, grid),
                         b.select(isWithin, x, b.splatLike(x, 0)));
}

Error emitFakeQuantization(NodeImporter &node) {
  TensorBuilder &b = node.build;
  MPC_TRY(node.requireFloat(0));
  mlir::Type type = node.has(2) ? node.in(2).type : b.u8();
  MPC_TRY_ASSIGN(Levels levels, levelsOf(node, type));
  if (node.has(3)) {
    MPC_TRY_ASSIGN(levels.least, node.integer(3, "the least level"));
  }
  if (node.has(4)) {
    MPC_TRY_ASSIGN(levels.most, node.integer(4, "the largest level"));
  }
  mlir::Type given = node.in(0).type;
  Operand x = b.wide(node.in(0));
  MPC_TRY_ASSIGN(Grid grid, gridOf(node, x.type, x.shape));
  node.result(0, b.asWritten(given, x.shape, [&] {
    return b.cast(fakeQuantized(node, x, grid, levels), given);
  }));
  return Error::success();
}

const OpRule kRules[] = {
    {"QuantizeLinear", 10, 2, 3, 1, "", emitQuantize},
    {"QuantizeLinear", 13, 2, 3, 1, "axis:i", emitQuantize},
    {"QuantizeLinear", 19, 2, 3, 1, "axis:i saturate:i", emitQuantize},
    {"QuantizeLinear", 21, 2, 3, 1,
     "axis:i saturate:i block_size:i output_dtype:i", emitQuantize},
    {"QuantizeLinear", 23, 2, 3, 1,
     "axis:i saturate:i block_size:i output_dtype:i precision:i", emitQuantize},
    {"DequantizeLinear", 10, 2, 3, 1, "", emitDequantize},
    {"DequantizeLinear", 13, 2, 3, 1, "axis:i", emitDequantize},
    {"DequantizeLinear", 21, 2, 3, 1, "axis:i block_size:i", emitDequantize},
    {"DequantizeLinear", 23, 2, 3, 1, "axis:i block_size:i output_dtype:i",
     emitDequantize},
};

const OpRule kForms[] = {
    {form::kFakeQuantize, 1, 2, 5, 1, "axis:i block_size:i output_dtype:i",
     emitFakeQuantization},
};

} // namespace

ArrayRef<OpRule> quantizationRules() { return kRules; }

ArrayRef<OpRule> quantizationForms() { return kForms; }

} // namespace mpc::onnx
