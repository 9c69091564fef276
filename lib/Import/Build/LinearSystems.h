// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Inverses, determinants and factors of matrices, which are float tensors
/// [batch, n, n] with n of 1 or more. All is computed in f64 and rounded once.
/// The n steps are a loop, whose results have no gradient; gradients come from
/// formulas that are linear in the matrix and change no value.
#ifndef MPC_LIB_IMPORT_BUILD_LINEARSYSTEMS_H
#define MPC_LIB_IMPORT_BUILD_LINEARSYSTEMS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// NaN for a singular matrix, of which PyTorch raises an error.
Operand inverse(TensorBuilder &b, const Operand &matrix);
/// The X of matrix X = rhs, which is [batch, n, k].
Operand solve(TensorBuilder &b, const Operand &matrix, const Operand &rhs);

/// A determinant as its sign and the logarithm of its magnitude, [batch] each:
/// 0 and minus infinity for a singular matrix.
struct SignedLog {
  Operand sign, log;
};
SignedLog logDeterminant(TensorBuilder &b, const Operand &matrix);

/// The lower triangle L with L times its transpose equal to the matrix, of
/// which the lower triangle is read. NaN where it is not positive definite, of
/// which PyTorch raises an error. Both triangles have the gradient of their
/// mean.
Operand cholesky(TensorBuilder &b, const Operand &matrix);

/// The sum of the matrix's powers over their factorials; for norms of up to
/// 1,000.
Operand matrixExponential(TensorBuilder &b, const Operand &matrix);

/// The lower or the upper triangle, zeros elsewhere; with `hasUnits` the
/// diagonal is ones.
Operand triangleOf(TensorBuilder &b, const Operand &matrix, bool upper,
                   bool hasUnits = false);
/// The two last axes exchanged.
Operand transposed(TensorBuilder &b, const Operand &matrix);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_LINEARSYSTEMS_H
