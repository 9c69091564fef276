// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes determinants by elimination with the largest pivots.
#include "lib/Import/Build/Determinant.h"

using namespace llvm;

namespace mpc::build {

static Operand negatedWhere(TensorBuilder &b, const Operand &condition,
                            const Operand &x) {
  return b.select(condition, b.neg(x), x);
}

/// Removes from each matrix of [batch, n, n] the row with the largest first
/// element, and from each other row its first element. Multiplies `determinant`
/// by the factor that this leaves out.
static Operand eliminate(TensorBuilder &b, const Operand &matrix,
                         Operand &determinant) {
  int64_t batch = matrix.shape[0], size = matrix.shape[1];
  Operand column = b.reshape(b.sliceAxis(matrix, 2, 0, 1), {batch, size});
  Operand row = b.placeOfMaximum(b.abs(column), 1);
  Operand at = b.cast(row, b.i64());
  Operand pivotRow = b.gather(matrix, at, 1, 1);
  Operand pivot = b.reshape(b.sliceAxis(pivotRow, 2, 0, 1), {batch});
  // A swap of two rows changes the sign.
  Operand flat = b.reshape(row, {batch});
  Operand isSwap = b.compare(nn::CompareKind::NE, flat, b.splatLike(flat, 0.0));
  determinant =
      b.binary(Binary::Mul, determinant, negatedWhere(b, isSwap, pivot));
  // The first row goes to the pivot row's position.
  Operand number = b.coordinates({batch, size}, 1);
  Operand isPivot = b.compare(nn::CompareKind::EQ, number,
                              b.broadcast(at, number.shape, {0, 1}));
  Operand first = b.sliceAxis(matrix, 1, 0, 1);
  Operand rest = b.select(b.broadcast(isPivot, matrix.shape, {0, 1}),
                          b.broadcast(first, matrix.shape, {0, 1, 2}), matrix);
  rest = b.sliceAxis(rest, 1, 1, size);
  // Where a pivot is 0, the determinant is 0 already.
  Operand isZero =
      b.compare(nn::CompareKind::EQ, pivot, b.splatLike(pivot, 0.0));
  Operand divisor = b.select(isZero, b.splatLike(pivot, 1.0), pivot);
  Shape inner{batch, size - 1, size - 1};
  Operand factors = b.binary(
      Binary::Div, b.reshape(b.sliceAxis(rest, 2, 0, 1), {batch, size - 1}),
      b.broadcast(divisor, {batch, size - 1}, {0}));
  Operand product = b.binary(
      Binary::Mul, b.broadcast(factors, inner, {0, 1}),
      b.broadcast(b.sliceAxis(pivotRow, 2, 1, size), inner, {0, 1, 2}));
  return b.binary(Binary::Sub, b.sliceAxis(rest, 2, 1, size), product);
}

Operand determinant(TensorBuilder &b, const Operand &input) {
  Shape outer(ArrayRef(input.shape).drop_back(2));
  int64_t batch = *countElements(outer), size = input.shape.back();
  Operand matrix = b.reshape(b.wide(input), {batch, size, size});
  Operand product = b.splat(matrix.type, {batch}, 1.0);
  for (; size > 1; --size)
    matrix = eliminate(b, matrix, product);
  product = b.binary(Binary::Mul, product, b.reshape(matrix, {batch}));
  return b.cast(b.reshape(product, outer), input.type);
}

} // namespace mpc::build
