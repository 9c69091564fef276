// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's quantization to integers, and back.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/Build/Quantization.h"
#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

Expected<QuantizationLevels> readLevels(const NodeImporter &node,
                                        mlir::Type type) {
  if (auto levels = levelsOf(type))
    return *levels;
  return node.fail("quantizes to " + toString(type) +
                   ", expected an integer of 8 or 16 bits");
}

/// Input `index`, a scale or zero point, repeated for each element of `shape`.
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
  return repeatedBlocks(b, numbers, axis, size, shape);
}

Expected<QuantizationGrid> gridOf(const NodeImporter &node, mlir::Type type,
                                  ArrayRef<int64_t> shape) {
  TensorBuilder &b = node.build;
  MPC_TRY(node.requireFloat(1));
  MPC_TRY_ASSIGN(Operand scale, spread(node, 1, shape));
  Operand zero = b.splat(type, shape, 0);
  if (node.has(2)) {
    MPC_TRY_ASSIGN(zero, spread(node, 2, shape));
  }
  return QuantizationGrid{b.cast(b.withoutGradient(scale), type),
                          b.cast(zero, type),
                          node.isSet(setting::kByReciprocal)};
}

Error emitQuantize(NodeImporter &node) {
  TensorBuilder &b = node.build;
  mlir::Type type = b.u8();
  if (node.intAttr("output_dtype", 0) != 0) {
    MPC_TRY_ASSIGN(type, node.elementTypeAttr("output_dtype"));
  }
  if (node.has(2))
    type = node.in(2).type;
  MPC_TRY_ASSIGN(QuantizationLevels levels, readLevels(node, type));
  Operand x = wideNumbers(b, node.in(0));
  MPC_TRY_ASSIGN(QuantizationGrid grid, gridOf(node, x.type, x.shape));
  node.result(0, b.asWritten(type, x.shape, [&] {
    return b.cast(quantized(b, x, grid, levels), type);
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
  MPC_TRY_ASSIGN(QuantizationGrid grid, gridOf(node, level.type, level.shape));
  node.result(0, b.asWritten(type, level.shape, [&] {
    return b.cast(dequantized(b, level, grid), type);
  }));
  return Error::success();
}

Error emitFakeQuantization(NodeImporter &node) {
  TensorBuilder &b = node.build;
  MPC_TRY(node.requireFloat(0));
  mlir::Type type = node.has(2) ? node.in(2).type : b.u8();
  MPC_TRY_ASSIGN(QuantizationLevels levels, readLevels(node, type));
  if (node.has(3)) {
    MPC_TRY_ASSIGN(levels.least, node.integer(3, "the least level"));
  }
  if (node.has(4)) {
    MPC_TRY_ASSIGN(levels.most, node.integer(4, "the largest level"));
  }
  mlir::Type given = node.in(0).type;
  Operand x = b.wide(node.in(0));
  MPC_TRY_ASSIGN(QuantizationGrid grid, gridOf(node, x.type, x.shape));
  node.result(0, b.asWritten(given, x.shape, [&] {
    return b.cast(fakeQuantized(b, x, grid, levels), given);
  }));
  return Error::success();
}

} // namespace

ArrayRef<OpRule> quantizationRules() {
  static const OpRule rules[] = {
      {"QuantizeLinear", 10, 2, 3, 1, "", emitQuantize},
      {"QuantizeLinear", 13, 2, 3, 1, "axis:i", emitQuantize},
      {"QuantizeLinear", 19, 2, 3, 1, "axis:i saturate:i", emitQuantize},
      {"QuantizeLinear", 21, 2, 3, 1,
       "axis:i saturate:i block_size:i output_dtype:i", emitQuantize},
      {"QuantizeLinear", 23, 2, 3, 1,
       "axis:i saturate:i block_size:i output_dtype:i precision:i",
       emitQuantize},
      {"DequantizeLinear", 10, 2, 3, 1, "", emitDequantize},
      {"DequantizeLinear", 13, 2, 3, 1, "axis:i", emitDequantize},
      {"DequantizeLinear", 21, 2, 3, 1, "axis:i block_size:i", emitDequantize},
      {"DequantizeLinear", 23, 2, 3, 1, "axis:i block_size:i output_dtype:i",
       emitDequantize},
  };
  return rules;
}

ArrayRef<OpRule> quantizationForms() {
  static const OpRule forms[] = {
      {form::kFakeQuantize, 1, 2, 5, 1, "axis:i block_size:i output_dtype:i",
       emitFakeQuantization},
  };
  return forms;
}

} // namespace mpc::onnx
