// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX ops that sum products: matrix products and convolutions.
#include "lib/Import/ONNX/NodeImporter.h"
#include "lib/Import/ONNX/Window.h"

#include "lib/Import/ONNX/ImportError.h"

using namespace llvm;

namespace mpc::onnx {

Operand buildConv(TensorBuilder &b, const Operand &input, const Operand &weight,
                  const Operand *bias, const Window &window, int64_t groups) {
  Shape shape{input.shape[0], weight.shape[0]};
  append_range(shape, window.output);
  mlir::Value in = input.value, w = weight.value;
  return b.fromValue(nn::ConvOp::create(
      b.builder(), b.location(), b.tensorType(input.type, shape), in, w,
      bias ? bias->value : mlir::Value(), window.strides, window.low,
      window.high, window.dilations, static_cast<uint64_t>(groups)));
}

namespace {

//===----------------------------------------------------------------------===//
// Gemm, MatMul
//===----------------------------------------------------------------------===//

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
    // One weight for every row: a plain matrix product of all rows.
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
  // A vector is a matrix of one row, or of one column on the right.
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

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

Error checkConvolution(NodeImporter &node, int64_t channelAxis) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY(node.requireSameType(1, 0));
  if (node.has(2))
    MPC_TRY(node.requireSameType(2, 0));
  const Operand &input = node.in(0), &weight = node.in(1);
  if (input.rank() < 3)
    return node.fail("the input is " + shapeText(input.shape) +
                     ", expected batch, channels and spatial axes");
  if (weight.rank() != input.rank())
    return node.fail("the weight is " + shapeText(weight.shape) +
                     ", the input " + shapeText(input.shape));
  int64_t group = node.intAttr("group", 1);
  if (group < 1 || input.shape[1] % group != 0 || weight.shape[0] % group != 0)
    return node.fail("group " + Twine(group) + " does not divide " +
                     Twine(input.shape[1]) + " input and " +
                     Twine(weight.shape[0]) + " weight channels");
  int64_t expected = channelAxis == 1 ? input.shape[1] / group : input.shape[1];
  if (weight.shape[channelAxis] != expected)
    return node.fail(
        "the weight has " + Twine(weight.shape[channelAxis]) +
        " input channels, the input has " + Twine(input.shape[1]) +
        (group == 1 ? Twine("") : " in " + Twine(group) + " groups"));
  std::optional<ArrayRef<int64_t>> kernel = node.intsAttr("kernel_shape");
  if (kernel && *kernel != ArrayRef(weight.shape).drop_front(2))
    return node.fail("attribute 'kernel_shape' is " + shapeText(*kernel) +
                     ", the weight is " + shapeText(weight.shape));
  return Error::success();
}

/// The bias; null where there is none, or one of zeros, whatever its shape:
/// PyTorch's exporter gives a 3-D convolution without bias zeros of M x 2.
Expected<const Operand *> readBias(NodeImporter &node, int64_t channels) {
  if (!node.has(2) || node.in(2).splatValue() == 0.0)
    return nullptr;
  ArrayRef<int64_t> shape = node.in(2).shape;
  if (shape.size() == 1 && shape[0] == channels)
    return &node.in(2);
  return node.fail("the bias is " + shapeText(shape) + ", expected " +
                   Twine(channels));
}

Error emitConv(NodeImporter &node) {
  MPC_TRY(checkConvolution(node, 1));
  const Operand &input = node.in(0), &weight = node.in(1);
  MPC_TRY_ASSIGN(const Operand *bias, readBias(node, weight.shape[0]));
  MPC_TRY_ASSIGN(Window window,
                 readWindow(node, ArrayRef(input.shape).drop_front(2),
                            ArrayRef(weight.shape).drop_front(2)));
  Shape shape{input.shape[0], weight.shape[0]};
  append_range(shape, window.output);
  MPC_TRY(node.checkSize(shape));
  node.result(0, buildConv(node.build, input, weight, bias, window,
                           node.intAttr("group", 1)));
  return Error::success();
}

/// The weight of the convolution that a transposed one is: [C, M/g, k..] to
/// [M, C/g, k..], its spatial axes reversed.
Operand transposedWeight(TensorBuilder &b, const Operand &weight,
                         int64_t groups) {
  ArrayRef<int64_t> kernel = ArrayRef(weight.shape).drop_front(2);
  int64_t in = weight.shape[0] / groups, out = weight.shape[1];
  Shape split{groups, in, out}, joined{groups * out, in};
  append_range(split, kernel);
  append_range(joined, kernel);
  SmallVector<int64_t> swap{0, 2, 1}, spatial;
  for (size_t i = 0; i < kernel.size(); ++i) {
    swap.push_back(static_cast<int64_t>(3 + i));
    spatial.push_back(static_cast<int64_t>(2 + i));
  }
  Operand swapped = b.transpose(b.reshape(weight, split), swap);
  return b.reverse(b.reshape(swapped, joined), spatial);
}

/// A transposed convolution is a convolution of the input spread by its
/// strides.
Error emitConvTranspose(NodeImporter &node) {
  MPC_TRY(checkConvolution(node, 0));
  const Operand &input = node.in(0), &weight = node.in(1);
  int64_t groups = node.intAttr("group", 1);
  MPC_TRY_ASSIGN(const Operand *bias, readBias(node, weight.shape[1] * groups));
  MPC_TRY_ASSIGN(TransposedWindow window,
                 readTransposedWindow(node, ArrayRef(input.shape).drop_front(2),
                                      ArrayRef(weight.shape).drop_front(2)));
  Shape shape{input.shape[0], weight.shape[1] * groups};
  append_range(shape, window.conv.output);
  MPC_TRY(node.checkSize(shape));
  TensorBuilder &b = node.build;
  Operand spread = b.pad(input, window.low, window.high, window.interior, 0.0);
  MPC_TRY(node.checkSize(spread.shape));
  node.result(0, buildConv(b, spread, transposedWeight(b, weight, groups), bias,
                           window.conv, groups));
  return Error::success();
}

const OpRule kRules[] = {
    {"Conv", 1, 2, 3, 1,
     "auto_pad:s dilations:is group:i kernel_shape:is pads:is strides:is",
     emitConv},
    {"ConvTranspose", 1, 2, 3, 1,
     "auto_pad:s dilations:is group:i kernel_shape:is output_padding:is "
     "output_shape:is pads:is strides:is",
     emitConvTranspose},
    {"Gemm", 7, 3, 3, 1, "alpha:f beta:f transA:i transB:i", emitGemm},
    {"Gemm", 11, 2, 3, 1, "alpha:f beta:f transA:i transB:i", emitGemm},
    {"MatMul", 1, 2, 2, 1, "", emitMatMul},
};

} // namespace

ArrayRef<OpRule> contractionRules() { return kRules; }

} // namespace mpc::onnx
