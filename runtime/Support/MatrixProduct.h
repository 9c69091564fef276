// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A product of matrices as libraries of BLAS have it.
#ifndef MPC_RUNTIME_SUPPORT_MATRIXPRODUCT_H
#define MPC_RUNTIME_SUPPORT_MATRIXPRODUCT_H

#include "runtime/Support/DType.h"

#include <cstdint>
#include <optional>

namespace mpc::rt {

/// How a matrix lies in memory: its columns are contiguous.
struct MatrixLayout {
  DType dtype = DType::F32;
  /// Whether a product takes the transpose of what lies there.
  bool isTransposed = false;
  int64_t leading = 0; ///< Elements from one column to the next.
  /// Elements from one matrix of a batch to the next; 0 for the same matrix.
  int64_t batchStride = 0;
  bool operator==(const MatrixLayout &) const = default;
};

/// `d = a b + bias`, `batch` times, with sums in f32: `a` has `rows` rows and
/// `depth` columns, `b` has `depth` rows and `columns` columns, and `bias` is
/// one column in the type of `d`. With `input`, which becomes that sum, `d` is
/// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), the GELU by tanh of it;
/// or, of a gradient, `input` is what the GELU was of, and `d` the sum times
/// the derivative of the GELU there.
struct MatrixProduct {
  int64_t rows = 0, columns = 0, depth = 0, batch = 1;
  MatrixLayout a, b, d;
  bool hasBias = false;
  std::optional<MatrixLayout> input = {};
  bool isGradient = false;
  bool operator==(const MatrixProduct &) const = default;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_MATRIXPRODUCT_H
