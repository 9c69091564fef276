// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's matrix products, convolutions and attention.
#include "lib/Import/Exported/Call.h"

#include "lib/Import/Build/Attention.h"
#include "lib/Import/Build/Einsum.h"
#include "lib/Import/Build/Random.h"
#include "lib/Import/Build/Windows.h"

#include <cmath>

using namespace llvm;

namespace mpc::exported {

namespace {

Error requireSameType(Call &call, const Operand &x, const Operand &y) {
  if (x.type == y.type)
    return Error::success();
  return call.fail("the operands are of two types");
}

Error emitLinear(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("input"));
  MPC_TRY_ASSIGN(Operand weight, call.real("weight"));
  MPC_TRY_ASSIGN(std::optional<Operand> bias, call.maybeTensor("bias"));
  MPC_TRY(requireSameType(call, x, weight));
  if (x.rank() < 1 || weight.rank() != 2 || x.shape.back() != weight.shape[1])
    return call.fail("the input is " + shapeText(x.shape) + ", the weight " +
                     shapeText(weight.shape));
  if (bias && (bias->type != x.type || bias->shape != Shape{weight.shape[0]}))
    return call.fail("the bias is " + shapeText(bias->shape) + ", expected " +
                     Twine(weight.shape[0]));
  call.result(call.build.linear(x, weight, bias ? &*bias : nullptr));
  return Error::success();
}

/// Products of matrices, whose leading axes broadcast.
Expected<Operand> product(Call &call, Operand x, Operand y) {
  MPC_TRY(requireSameType(call, x, y));
  TensorBuilder &b = call.build;
  if (x.rank() < 1 || y.rank() < 1 || !x.isFloat())
    return call.fail("the operands are " + shapeText(x.shape) + " and " +
                     shapeText(y.shape));
  bool isRow = x.rank() == 1, isColumn = y.rank() == 1;
  if (isRow)
    x = b.reshape(x, {1, x.shape[0]});
  if (isColumn)
    y = b.reshape(y, {y.shape[0], 1});
  if (x.shape.back() != y.shape[y.rank() - 2])
    return call.fail("the operands are " + shapeText(x.shape) + " and " +
                     shapeText(y.shape));
  auto batches = broadcastShape(ArrayRef(x.shape).drop_back(2),
                                ArrayRef(y.shape).drop_back(2));
  if (!batches)
    return call.fail("the operands are " + shapeText(x.shape) + " and " +
                     shapeText(y.shape));
  Shape resultShape = *batches;
  resultShape.append({x.shape[x.rank() - 2], y.shape.back()});
  Operand result;
  if (y.rank() == 2) {
    // One matrix for all of a batch: a product of more rows.
    int64_t rows = *countElements(ArrayRef(x.shape).drop_back());
    result = b.reshape(b.matmul(b.reshape(x, {rows, x.shape.back()}), y),
                       resultShape);
  } else {
    auto widened = [&](const Operand &matrix) {
      Shape shape = *batches;
      append_range(shape, ArrayRef(matrix.shape).take_back(2));
      return b.broadcastTo(matrix, shape);
    };
    result = b.matmul(widened(x), widened(y));
  }
  Shape shape = result.shape;
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return b.reshape(result, shape);
}

Error emitMatmul(Call &call, StringRef left, StringRef right) {
  MPC_TRY_ASSIGN(Operand x, call.real(left));
  MPC_TRY_ASSIGN(Operand y, call.real(right));
  MPC_TRY_ASSIGN(Operand result, product(call, x, y));
  call.result(result);
  return Error::success();
}

Error emitMatmul(Call &call) { return emitMatmul(call, "self", "other"); }
Error emitMM(Call &call) { return emitMatmul(call, "self", "mat2"); }
Error emitMV(Call &call) { return emitMatmul(call, "self", "vec"); }
Error emitDot(Call &call) { return emitMatmul(call, "self", "tensor"); }

/// beta * self + alpha * result
Error addScaled(Call &call, Operand result) {
  MPC_TRY_ASSIGN(double alpha, call.number("alpha", 1.0));
  MPC_TRY_ASSIGN(double beta, call.number("beta", 1.0));
  TensorBuilder &b = call.build;
  if (alpha != 1.0)
    result = b.binary(Binary::Mul, result, alpha);
  if (beta != 0.0) {
    MPC_TRY_ASSIGN(Operand added, call.operandLikeResult("self"));
    MPC_TRY(requireSameType(call, added, result));
    if (added.shape != result.shape)
      return call.fail("the product is " + shapeText(result.shape));
    if (beta != 1.0)
      added = b.binary(Binary::Mul, added, beta);
    result = b.binary(Binary::Add, added, result);
  }
  call.result(result);
  return Error::success();
}

/// The same with the product a b.
Error emitAddProduct(Call &call, StringRef left, StringRef right) {
  MPC_TRY_ASSIGN(Operand x, call.real(left));
  MPC_TRY_ASSIGN(Operand y, call.real(right));
  MPC_TRY_ASSIGN(Operand result, product(call, x, y));
  return addScaled(call, std::move(result));
}

/// addbmm(): with the sum of a batch's products, which is one product.
Error emitAddSumOfProducts(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("batch1"));
  MPC_TRY_ASSIGN(Operand y, call.real("batch2"));
  if (x.rank() != 3 || y.rank() != 3 || x.shape[0] != y.shape[0] ||
      x.shape[2] != y.shape[1])
    return call.fail("the operands are " + shapeText(x.shape) + " and " +
                     shapeText(y.shape));
  TensorBuilder &b = call.build;
  int64_t inner = x.shape[0] * x.shape[2];
  x = b.reshape(b.transpose(x, {1, 0, 2}), {x.shape[1], inner});
  y = b.reshape(y, {inner, y.shape[2]});
  MPC_TRY_ASSIGN(Operand result, product(call, x, y));
  return addScaled(call, std::move(result));
}

Error emitAddmm(Call &call) { return emitAddProduct(call, "mat1", "mat2"); }
Error emitBaddbmm(Call &call) {
  return emitAddProduct(call, "batch1", "batch2");
}

/// A column by a row.
Error emitOuter(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(Operand y, call.tensor("vec2"));
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  if (x.rank() != 1 || y.rank() != 1 || type.isInteger(1))
    return call.fail("the operands are " + shapeText(x.shape) + " and " +
                     shapeText(y.shape));
  Shape shape{x.shape[0], y.shape[0]};
  TensorBuilder &b = call.build;
  // Elementwise, and of mixed types as such.
  x = b.cast(x, type);
  y = b.cast(y, type);
  call.result(b.binary(Binary::Mul, b.broadcast(x, shape, {0}),
                       b.broadcast(y, shape, {1})));
  return Error::success();
}

Error emitEinsum(Call &call) {
  MPC_TRY_ASSIGN(std::string equation, call.text("equation", ""));
  MPC_TRY_ASSIGN(std::vector<Operand> terms, call.tensors("tensors"));
  erase(equation, ' ');
  Einsum einsum(call.build, equation);
  MPC_TRY(einsum.checkCount(terms.size()));
  for (const Operand &term : terms) {
    if (!term.isFloat() || term.type != terms.front().type)
      return call.fail("the terms are not of one floating type");
    MPC_TRY(einsum.add(term));
  }
  MPC_TRY_ASSIGN(Operand result, einsum.result());
  call.result(result);
  return Error::success();
}

/// Each result is one of `weight`'s matrices between two vectors.
Error emitBilinear(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("input1"));
  MPC_TRY_ASSIGN(Operand y, call.real("input2"));
  MPC_TRY_ASSIGN(Operand weight, call.real("weight"));
  MPC_TRY(requireSameType(call, x, y));
  MPC_TRY(requireSameType(call, x, weight));
  if (x.rank() == 0 || x.rank() != y.rank() || weight.rank() != 3)
    return call.fail("the operands are " + shapeText(x.shape) + ", " +
                     shapeText(y.shape) + " and " + shapeText(weight.shape));
  Einsum einsum(call.build, "...i,oij,...j->...o");
  for (const Operand &term : {x, weight, y})
    MPC_TRY(einsum.add(term));
  MPC_TRY_ASSIGN(Operand result, einsum.result());
  if (call.has("bias")) {
    MPC_TRY_ASSIGN(Operand bias, call.real("bias"));
    MPC_TRY(requireSameType(call, x, bias));
    MPC_TRY_ASSIGN(bias, call.broadcastTo(bias, result.shape, "the bias"));
    result = call.build.binary(Binary::Add, result, bias);
  }
  call.result(result);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

Error checkConvolution(Call &call, const Operand &x, const Operand &weight,
                       int64_t groups, size_t axes) {
  MPC_TRY(requireSameType(call, x, weight));
  if (x.shape.size() != axes + 2 || weight.shape.size() != axes + 2 ||
      is_contained(x.shape, 0) || is_contained(weight.shape, 0))
    return call.fail("the input is " + shapeText(x.shape) + ", the weight " +
                     shapeText(weight.shape));
  if (groups < 1 || x.shape[1] % groups != 0 || weight.shape[0] % groups != 0 ||
      x.shape[1] / groups != weight.shape[1])
    return call.fail("a weight of " + shapeText(weight.shape) +
                     " does not go " + "with " + Twine(x.shape[1]) +
                     " channels in " + Twine(groups) + " groups");
  return Error::success();
}

/// Pads that keep the size, the odd one behind.
void padToSame(Window &window) {
  for (size_t axis = 0; axis < window.kernel.size(); ++axis) {
    int64_t all = window.dilations[axis] * (window.kernel[axis] - 1);
    window.low[axis] = all / 2;
    window.high[axis] = all - all / 2;
  }
}

/// How many windows fit on each axis.
Error countWindows(Call &call, Window &window, ArrayRef<int64_t> input) {
  for (auto [axis, size] : enumerate(input)) {
    int64_t stride = window.strides[axis], dilation = window.dilations[axis];
    int64_t low = window.low[axis], high = window.high[axis];
    int64_t most = INT32_MAX;
    if (stride < 1 || dilation < 1 || low < 0 || stride > most ||
        dilation > most || low > most || high > most)
      return call.fail("a stride, dilation or pad is out of range");
    int64_t reach = dilation * (window.kernel[axis] - 1) + 1;
    int64_t room = size + low + high - reach;
    if (room < 0)
      return call.fail("the window is wider than the padded input");
    window.output.push_back(room / stride + 1);
    window.givenHigh.push_back(high);
  }
  return Error::success();
}

/// How a convolution says its pads.
enum class Padding {
  Numbers, ///< One for each axis.
  Same,    ///< As many as keep the size.
  None,
};

Expected<Window> readWindow(Call &call, const Operand &x,
                            ArrayRef<int64_t> kernel, Padding padding) {
  Window window;
  size_t axes = kernel.size();
  window.kernel.assign(kernel.begin(), kernel.end());
  MPC_TRY_ASSIGN(window.strides, call.perAxis("stride", axes, 1));
  MPC_TRY_ASSIGN(window.dilations, call.perAxis("dilation", axes, 1));
  window.low.assign(axes, 0);
  if (padding == Padding::Numbers) {
    MPC_TRY_ASSIGN(window.low, call.perAxis("padding", axes, 0));
  }
  window.high = window.low;
  if (padding == Padding::Same)
    padToSame(window);
  MPC_TRY(countWindows(call, window, ArrayRef(x.shape).drop_front(2)));
  return window;
}

Error emitConvolution(Call &call, Padding padding) {
  MPC_TRY_ASSIGN(Operand x, call.real("input"));
  MPC_TRY_ASSIGN(Operand weight, call.real("weight"));
  MPC_TRY_ASSIGN(std::optional<Operand> bias, call.maybeTensor("bias"));
  MPC_TRY_ASSIGN(int64_t groups, call.integer("groups", 1));
  if (weight.rank() < 3)
    return call.fail("the weight is " + shapeText(weight.shape));
  // A sample without its batch.
  TensorBuilder &b = call.build;
  bool isSingle = x.rank() + 1 == weight.rank();
  if (isSingle) {
    Shape shape{1};
    append_range(shape, x.shape);
    x = b.reshape(x, shape);
  }
  MPC_TRY(checkConvolution(call, x, weight, groups, weight.rank() - 2));
  if (bias && (bias->type != x.type || bias->shape != Shape{weight.shape[0]}))
    return call.fail("the bias is " + shapeText(bias->shape));
  MPC_TRY_ASSIGN(
      Window window,
      readWindow(call, x, ArrayRef(weight.shape).drop_front(2), padding));
  Operand result =
      buildConv(b, x, weight, bias ? &*bias : nullptr, window, groups);
  call.result(isSingle ? b.reshape(result, ArrayRef(result.shape).drop_front())
                       : result);
  return Error::success();
}

Error emitConv(Call &call) { return emitConvolution(call, Padding::Numbers); }

/// Padding is a word here.
Error emitConvOfWord(Call &call) {
  MPC_TRY_ASSIGN(std::string padding, call.text("padding", "valid"));
  if (padding != "same" && padding != "valid")
    return call.fail("padding is '" + printable(padding) + "'");
  return emitConvolution(call,
                         padding == "same" ? Padding::Same : Padding::None);
}

/// conv2d of core ATen, of any number of axes.
Error emitAnyConvolution(Call &call) {
  MPC_TRY_ASSIGN(bool isTransposed, call.flag("transposed", false));
  if (isTransposed)
    return call.fail("a transposed one is not supported in this form");
  return emitConvolution(call, Padding::Numbers);
}

Error checkTransposed(Call &call, const Operand &x, const Operand &weight,
                      const std::optional<Operand> &bias, int64_t groups) {
  MPC_TRY(requireSameType(call, x, weight));
  if (x.rank() < 3 || weight.rank() != x.rank() || groups < 1 ||
      x.shape[1] != weight.shape[0] || x.shape[1] % groups != 0 ||
      is_contained(x.shape, 0) || is_contained(weight.shape, 0))
    return call.fail("the input is " + shapeText(x.shape) + ", the weight " +
                     shapeText(weight.shape) + " in " + Twine(groups) +
                     " groups");
  if (bias &&
      (bias->type != x.type || bias->shape != Shape{weight.shape[1] * groups}))
    return call.fail("the bias is " + shapeText(bias->shape));
  return Error::success();
}

/// What a transposed convolution says of one axis.
struct TransposedAxis {
  int64_t size, kernel, stride, pad, extra, dilation;
};

Error checkAxis(Call &call, const TransposedAxis &axis) {
  int64_t most = INT32_MAX;
  if (axis.stride < 1 || axis.dilation < 1 || axis.stride > most ||
      axis.dilation > most || axis.pad < 0 || axis.pad > most ||
      axis.extra < 0 || axis.extra >= std::max(axis.stride, axis.dilation))
    return call.fail("a stride, dilation or pad is out of range");
  if (axis.dilation * (axis.kernel - 1) < axis.pad)
    return call.fail("a pad is wider than the window");
  return Error::success();
}

/// An input whose elements lie a stride apart, with zeros between and around
/// them, and the window that runs over it.
struct Spread {
  Shape low{0, 0}, high{0, 0}, interior{0, 0}, sizes;
  Window window;

  void append(const TransposedAxis &axis);
};

void Spread::append(const TransposedAxis &axis) {
  int64_t reach = axis.dilation * (axis.kernel - 1);
  low.push_back(reach - axis.pad);
  high.push_back(reach - axis.pad + axis.extra);
  interior.push_back(axis.stride - 1);
  sizes.push_back((axis.size - 1) * axis.stride + 1 + low.back() + high.back());
  window.kernel.push_back(axis.kernel);
  window.dilations.push_back(axis.dilation);
  window.strides.push_back(1);
  window.low.push_back(0);
  window.high.push_back(0);
}

Expected<Spread> readSpread(Call &call, ArrayRef<int64_t> input,
                            ArrayRef<int64_t> kernel) {
  size_t axes = kernel.size();
  MPC_TRY_ASSIGN(auto strides, call.perAxis("stride", axes, 1));
  MPC_TRY_ASSIGN(auto pads, call.perAxis("padding", axes, 0));
  MPC_TRY_ASSIGN(auto extra, call.perAxis("output_padding", axes, 0));
  MPC_TRY_ASSIGN(auto dilations, call.perAxis("dilation", axes, 1));
  Spread spread;
  for (size_t i = 0; i < axes; ++i) {
    TransposedAxis axis{input[i], kernel[i], strides[i],
                        pads[i],  extra[i],  dilations[i]};
    MPC_TRY(checkAxis(call, axis));
    spread.append(axis);
  }
  MPC_TRY(countWindows(call, spread.window, spread.sizes));
  MPC_TRY(checkSize(spread.sizes));
  return spread;
}

/// A transposed convolution is a convolution of the input spread by its
/// strides.
Error emitConvTranspose(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("input"));
  MPC_TRY_ASSIGN(Operand weight, call.real("weight"));
  MPC_TRY_ASSIGN(std::optional<Operand> bias, call.maybeTensor("bias"));
  MPC_TRY_ASSIGN(int64_t groups, call.integer("groups", 1));
  MPC_TRY(checkTransposed(call, x, weight, bias, groups));
  MPC_TRY_ASSIGN(Spread spread,
                 readSpread(call, ArrayRef(x.shape).drop_front(2),
                            ArrayRef(weight.shape).drop_front(2)));
  TensorBuilder &b = call.build;
  call.result(buildConv(b,
                        b.pad(x, spread.low, spread.high, spread.interior, 0.0),
                        transposedWeight(b, weight, groups),
                        bias ? &*bias : nullptr, spread.window, groups));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Queries, keys and values as [batch, heads, sequence, features].
Expected<Operand> headsOf(Call &call, StringRef name) {
  MPC_TRY_ASSIGN(Operand x, call.real(name));
  if (x.rank() < 2 || is_contained(x.shape, 0))
    return call.fail("argument '" + name + "' is " + shapeText(x.shape));
  int64_t leading = *countElements(ArrayRef(x.shape).drop_back(2));
  Shape shape{1, leading};
  if (x.rank() >= 4)
    shape = {leading / x.shape[x.rank() - 3], x.shape[x.rank() - 3]};
  append_range(shape, ArrayRef(x.shape).take_back(2));
  return call.build.reshape(x, shape);
}

Error checkHeads(Call &call, const AttentionForm &form) {
  const Shape &q = form.queries.shape, &k = form.keys.shape;
  const Shape &v = form.values.shape;
  MPC_TRY(requireSameType(call, form.queries, form.keys));
  MPC_TRY(requireSameType(call, form.queries, form.values));
  if (q[0] == k[0] && k[0] == v[0] && q[1] == k[1] && k[1] == v[1] &&
      q[3] == k[3] && k[2] == v[2])
    return Error::success();
  return call.fail("queries are " + shapeText(q) + ", keys " + shapeText(k) +
                   ", values " + shapeText(v));
}

/// A mask of bool allows, any other is added.
Error readMask(Call &call, AttentionForm &form, ArrayRef<int64_t> scores,
               ArrayRef<int64_t> declared) {
  if (!call.has("attn_mask"))
    return Error::success();
  TensorBuilder &b = call.build;
  MPC_TRY_ASSIGN(Operand mask, call.tensor("attn_mask"));
  MPC_TRY_ASSIGN(mask, call.broadcastTo(mask, declared, "the mask"));
  mask = b.reshape(mask, scores);
  if (mask.isBool()) {
    form.allowed = mask;
    form.mayMaskRows = true;
  } else {
    form.bias = b.cast(mask, form.queries.type);
  }
  return Error::success();
}

void allowOnlyBefore(TensorBuilder &b, AttentionForm &form,
                     ArrayRef<int64_t> scores) {
  form.allowed = b.compare(nn::CompareKind::GE, b.coordinates(scores, 2),
                           b.coordinates(scores, 3));
}

/// Queries, keys and values; where heads are grouped, each key and value stands
/// for each of its queries.
Error readHeads(Call &call, AttentionForm &form) {
  MPC_TRY_ASSIGN(form.queries, headsOf(call, "query"));
  MPC_TRY_ASSIGN(form.keys, headsOf(call, "key"));
  MPC_TRY_ASSIGN(form.values, headsOf(call, "value"));
  MPC_TRY_ASSIGN(bool sharesHeads, call.flag("enable_gqa", false));
  int64_t heads = form.queries.shape[1];
  if (sharesHeads && heads % form.keys.shape[1] == 0 &&
      heads % form.values.shape[1] == 0) {
    form.keys = repeatedHeads(call.build, form.keys, heads);
    form.values = repeatedHeads(call.build, form.values, heads);
  }
  return checkHeads(call, form);
}

/// Which keys a query sees.
Error readAllowed(Call &call, AttentionForm &form) {
  MPC_TRY_ASSIGN(Operand query, call.tensor("query"));
  MPC_TRY_ASSIGN(bool isCausal, call.flag("is_causal", false));
  if (isCausal && call.has("attn_mask"))
    return call.fail("has a mask and is_causal");
  Shape scores(ArrayRef(form.queries.shape).drop_back());
  scores.push_back(form.keys.shape[2]);
  Shape declared(ArrayRef(query.shape).drop_back());
  declared.push_back(form.keys.shape[2]);
  MPC_TRY(readMask(call, form, scores, declared));
  if (isCausal)
    allowOnlyBefore(call.build, form, scores);
  return Error::success();
}

/// The result, some of whose weights are dropped.
Expected<Operand> attended(Call &call, const AttentionForm &form) {
  MPC_TRY_ASSIGN(double dropped, call.number("dropout_p", 0.0));
  if (!(dropped >= 0.0 && dropped < 1.0))
    return call.fail("dropout_p is " + std::to_string(dropped));
  TensorBuilder &b = call.build;
  Attention attention = attend(b, form);
  if (dropped == 0.0)
    return attention.output;
  return b.matmul(dropout(b, attention.weights, dropped, b.takeStream()),
                  form.values);
}

Error emitAttention(Call &call) {
  AttentionForm form;
  MPC_TRY(readHeads(call, form));
  double width = static_cast<double>(form.queries.shape[3]);
  MPC_TRY_ASSIGN(form.scale, call.number("scale", 1.0 / std::sqrt(width)));
  MPC_TRY(readAllowed(call, form));
  MPC_TRY_ASSIGN(Operand output, attended(call, form));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  MPC_TRY_ASSIGN(output, call.reshaped(output, shape));
  call.result(output);
  return Error::success();
}

} // namespace

ArrayRef<OpRow> productRows() {
  static const OpRow rows[] = {
      {"addbmm.default", emitAddSumOfProducts},
      {"addmm.default", emitAddmm},
      {"baddbmm.default", emitBaddbmm},
      {"bilinear.default", emitBilinear},
      {"bmm.default", emitMM},
      {"conv1d.default", emitConv},
      {"conv1d.padding", emitConvOfWord},
      {"conv2d.default", emitConv},
      {"conv2d.padding", emitConvOfWord},
      {"conv3d.default", emitConv},
      {"conv_transpose1d.default", emitConvTranspose},
      {"conv_transpose2d.input", emitConvTranspose},
      {"conv_transpose3d.input", emitConvTranspose},
      {"convolution.default", emitAnyConvolution},
      {"dot.default", emitDot},
      {"einsum.default", emitEinsum},
      {"linear.default", emitLinear},
      {"matmul.default", emitMatmul},
      {"mm.default", emitMM},
      {"mv.default", emitMV},
      {"outer.default", emitOuter},
      {"scaled_dot_product_attention.default", emitAttention},
      {"vdot.default", emitMatmul},
  };
  return rows;
}

} // namespace mpc::exported
