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

/// Those of an integer of 8 or 16 bits; nothing for other types.
std::optional<QuantizationLevels> levelsOf(mlir::Type type);

/// One number for each block of `size` elements along the axis, as one for each
/// element of `shape`.
Operand repeatedBlocks(TensorBuilder &b, const Operand &blocks, int64_t axis,
                       int64_t size, llvm::ArrayRef<int64_t> shape);

/// Scale and zero point of each element, in the type of what is quantized.
struct QuantizationGrid {
  Operand scale, zero;
  /// Multiplies by 1 / scale.
  bool byReciprocal = false;
};

/// `x` in the type in which levels are computed.
Operand wideNumbers(TensorBuilder &b, const Operand &x);

/// The level of each element, still in its type; the value of each level; and
/// the value of each element's level, with a gradient.
Operand quantized(TensorBuilder &b, const Operand &x,
                  const QuantizationGrid &grid, QuantizationLevels levels);
Operand dequantized(TensorBuilder &b, const Operand &level,
                    const QuantizationGrid &grid);
Operand fakeQuantized(TensorBuilder &b, const Operand &x,
                      const QuantizationGrid &grid, QuantizationLevels levels);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_QUANTIZATION_H
