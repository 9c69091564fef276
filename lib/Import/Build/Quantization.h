// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Quantization to integers, and back.
#ifndef MPC_LIB_IMPORT_BUILD_QUANTIZATION_H
#define MPC_LIB_IMPORT_BUILD_QUANTIZATION_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

struct QuantizationLevels {
  double least, most;
};

/// The levels of an integer of 8 or 16 bits; empty for other types.
std::optional<QuantizationLevels> levelsOf(mlir::Type type);

/// Repeats the number of each block of `size` elements along the axis for each
/// element of `shape`.
Operand repeatedBlocks(TensorBuilder &b, const Operand &blocks, int64_t axis,
                       int64_t size, llvm::ArrayRef<int64_t> shape);

/// The scale and zero point of each element, in the type of the numbers that
/// are quantized.
struct QuantizationGrid {
  Operand scale, zero;
  /// Whether to multiply by 1 / scale.
  bool byReciprocal = false;
};

/// `x` in the type in which levels are computed.
Operand wideNumbers(TensorBuilder &b, const Operand &x);

/// The level of each element, in the type of `x`; the value of each level; and
/// the value of each element's level, with a gradient.
Operand quantized(TensorBuilder &b, const Operand &x,
                  const QuantizationGrid &grid, QuantizationLevels levels);
Operand dequantized(TensorBuilder &b, const Operand &level,
                    const QuantizationGrid &grid);
Operand fakeQuantized(TensorBuilder &b, const Operand &x,
                      const QuantizationGrid &grid, QuantizationLevels levels);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_QUANTIZATION_H
