// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's Det, by elimination with the largest pivots.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// One step is some fifteen ops.
constexpr int64_t kLargestMatrix = 128;

Operand negatedWhere(TensorBuilder &b, const Operand &condition,
                     const Operand &x) {
  return b.select(condition, b.neg(x), x);
}

/// Takes the row with the largest first element out of each matrix of [batch,
/// n, n] and the first element out of each row; multiplies `determinant` by
/// what that leaves out.
Operand eliminate(TensorBuilder &b, const Operand &matrix,
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
  // The first row goes where the pivot's was.
  Operand number = b.coordinates({batch, size}, 1);
  Operand isPivot = b.compare(nn::CompareKind::EQ, number,
                              b.broadcast(at, number.shape, {0, 1}));
  Operand first = b.sliceAxis(matrix, 1, 0, 1);
  Operand rest = b.select(b.broadcast(isPivot, matrix.shape, {0, 1}),
                          b.broadcast(first, matrix.shape, {0, 1, 2}), matrix);
  rest = b.sliceAxis(rest, 1, 1, size);
  // A matrix whose pivot is 0 has the determinant 0 already.
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

Error emitDet(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &input = node.in(0);
  int64_t size = input.rank() < 2 ? 0 : input.shape.back();
  if (size < 1 || input.shape[input.rank() - 2] != size ||
      size > kLargestMatrix)
    return node.fail("the input is " + shapeText(input.shape) +
                     ", expected square matrices of at most " +
                     Twine(kLargestMatrix) + " rows");
  Shape outer(ArrayRef(input.shape).drop_back(2));
  int64_t batch = *countElements(outer);
  TensorBuilder &b = node.build;
  Operand matrix = b.reshape(b.wide(input), {batch, size, size});
  Operand determinant = b.splat(matrix.type, {batch}, 1.0);
  for (; size > 1; --size)
    matrix = eliminate(b, matrix, determinant);
  determinant = b.binary(Binary::Mul, determinant, b.reshape(matrix, {batch}));
  node.result(0, b.cast(b.reshape(determinant, outer), input.type));
  return Error::success();
}

const OpRule kRules[] = {
    {"Det", 11, 1, 1, 1, "", emitDet},
};

} // namespace

ArrayRef<OpRule> determinantRules() { return kRules; }

} // namespace mpc::onnx
