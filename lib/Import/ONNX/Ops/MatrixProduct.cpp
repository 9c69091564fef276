// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's matrix products.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// alpha * product + beta * C, where `product` is the M x N matrix product.
Error addScaled(NodeImporter &node, Operand product, double alpha,
                double beta) {
  TensorBuilder &b = node.build;
  if (alpha != 1.0)
    product = b.binary(Binary::Mul, product, alpha);
  if (node.has(2) && beta != 0.0) {
    MPC_TRY_ASSIGN(Operand c, node.broadcastTo(node.in(2), product.shape, "C"));
    if (beta != 1.0)
      c = b.binary(Binary::Mul, c, beta);
    product = b.binary(Binary::Add, product, c);
  }
  node.result(0, product);
  return Error::success();
}

Error emitGemm(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY(node.requireSameType(1, 0));
  if (node.has(2))
    MPC_TRY(node.requireSameType(2, 0));
  const Operand &a = node.in(0), &b = node.in(1);
  if (a.rank() != 2 || b.rank() != 2)
    return node.fail("A is " + shapeText(a.shape) + " and B is " +
                     shapeText(b.shape) + ", expected matrices");
  bool transA = node.intAttr("transA", 0) != 0;
  bool transB = node.intAttr("transB", 0) != 0;
  int64_t sumA = a.shape[transA ? 0 : 1], sumB = b.shape[transB ? 1 : 0];
  int64_t columns = b.shape[transB ? 0 : 1];
  if (sumA != sumB)
    return node.fail("A" + Twine(transA ? " (transposed)" : "") + " is " +
                     shapeText(a.shape) + " and B" +
                     (transB ? " (transposed)" : "") + " is " +
                     shapeText(b.shape) + ": the inner sizes " + Twine(sumA) +
                     " and " + Twine(sumB) + " differ");
  double alpha = node.floatAttr("alpha", 1.0);
  double beta = node.floatAttr("beta", 1.0);
  bool isLayer = transB && !transA && alpha == 1.0 &&
                 (!node.has(2) || (beta == 1.0 && node.in(2).rank() == 1 &&
                                   node.in(2).shape[0] == columns));
  if (isLayer) {
    node.result(0,
                node.build.linear(a, b, node.has(2) ? &node.in(2) : nullptr));
    return Error::success();
  }
  return addScaled(node, node.build.matmul(a, b, transA, transB), alpha, beta);
}

/// `input` with the leading axes of `batch` (broadcast), its last two kept.
Expected<Operand> withBatch(NodeImporter &node, const Operand &input,
                            ArrayRef<int64_t> batch) {
  Shape shape(batch);
  append_range(shape, ArrayRef(input.shape).take_back(2));
  MPC_TRY(node.checkSize(shape));
  return node.build.broadcastTo(input, shape);
}

/// The shape of a product of two operands of at least two axes each.
Expected<Shape> productShape(const NodeImporter &node, const Operand &lhs,
                             const Operand &rhs) {
  if (lhs.shape.back() != rhs.shape[rhs.rank() - 2])
    return node.fail("shapes " + shapeText(node.in(0).shape) + " and " +
                     shapeText(node.in(1).shape) +
                     " do not fit: the inner sizes " + Twine(lhs.shape.back()) +
                     " and " + Twine(rhs.shape[rhs.rank() - 2]) + " differ");
  std::optional<Shape> batch = broadcastShape(ArrayRef(lhs.shape).drop_back(2),
                                              ArrayRef(rhs.shape).drop_back(2));
  if (!batch)
    return node.fail("the leading axes of " + shapeText(lhs.shape) + " and " +
                     shapeText(rhs.shape) + " do not broadcast");
  batch->push_back(lhs.shape[lhs.rank() - 2]);
  batch->push_back(rhs.shape.back());
  MPC_TRY(node.checkSize(*batch));
  return *batch;
}

/// The product of two operands of at least two axes each, `result` its shape.
Expected<Operand> multiply(NodeImporter &node, Operand lhs, Operand rhs,
                           ArrayRef<int64_t> result) {
  TensorBuilder &b = node.build;
  if (rhs.rank() == 2) {
    // One weight for every row gives a plain matrix product of all rows.
    int64_t rows = *countElements(result.drop_back());
    return b.matmul(b.reshape(lhs, {rows, lhs.shape.back()}), rhs);
  }
  MPC_TRY_ASSIGN(lhs, withBatch(node, lhs, result.drop_back(2)));
  MPC_TRY_ASSIGN(rhs, withBatch(node, rhs, result.drop_back(2)));
  return b.matmul(lhs, rhs);
}

Error emitMatMul(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY(node.requireSameType(1, 0));
  TensorBuilder &b = node.build;
  Operand lhs = node.in(0), rhs = node.in(1);
  if (lhs.rank() == 0 || rhs.rank() == 0)
    return node.fail("an operand is a scalar");
  // A vector on the left is a matrix of one row, and on the right a matrix of
  // one column.
  bool vectorLhs = lhs.rank() == 1, vectorRhs = rhs.rank() == 1;
  if (vectorLhs)
    lhs = b.reshape(lhs, {1, lhs.shape[0]});
  if (vectorRhs)
    rhs = b.reshape(rhs, {rhs.shape[0], 1});
  MPC_TRY_ASSIGN(Shape result, productShape(node, lhs, rhs));
  MPC_TRY_ASSIGN(Operand product, multiply(node, lhs, rhs, result));
  if (vectorRhs)
    result.pop_back();
  if (vectorLhs)
    result.erase(result.end() - (vectorRhs ? 1 : 2));
  node.result(0, b.reshape(product, result));
  return Error::success();
}

} // namespace

ArrayRef<OpRule> matrixProductRules() {
  static const OpRule rules[] = {
      {"Gemm", 7, 3, 3, 1, "alpha:f beta:f transA:i transB:i", emitGemm},
      {"Gemm", 11, 2, 3, 1, "alpha:f beta:f transA:i transB:i", emitGemm},
      {"MatMul", 1, 2, 2, 1, "", emitMatMul},
  };
  return rules;
}

} // namespace mpc::onnx
