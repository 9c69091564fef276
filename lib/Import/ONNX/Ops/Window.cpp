// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads windows from ONNX's attributes, and imports ops that pool over them.
#include "lib/Import/ONNX/Ops/Window.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::onnx {

/// Computes paddings of which the file gives only the kind.
static void padToSame(Window &window, ArrayRef<int64_t> input, bool upper) {
  for (size_t i = 0; i < input.size(); ++i) {
    int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t windows = (input[i] + window.strides[i] - 1) / window.strides[i];
    int64_t total = std::max<int64_t>(
        (windows - 1) * window.strides[i] + extent - input[i], 0);
    window.low[i] = upper ? total / 2 : total - total / 2;
    window.high[i] = total - window.low[i];
  }
}

static Error readPads(NodeImporter &node, Window &window,
                      ArrayRef<int64_t> input) {
  size_t axes = input.size();
  StringRef kind = node.stringAttr("auto_pad", "NOTSET");
  MPC_TRY_ASSIGN(auto pads, node.sizesAttr("pads", 2 * axes, 0, 0));
  window.low.assign(pads.begin(), pads.begin() + axes);
  window.high.assign(pads.begin() + axes, pads.end());
  if (kind == "NOTSET" || kind.empty())
    return Error::success();
  if (any_of(pads, [](int64_t pad) { return pad != 0; }))
    return node.fail("has attribute 'pads' beside auto_pad=" + printable(kind));
  if (kind == "VALID")
    return Error::success();
  if (kind != "SAME_UPPER" && kind != "SAME_LOWER")
    return node.fail("attribute 'auto_pad' is '" + printable(kind) +
                     "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  padToSame(window, input, kind == "SAME_UPPER");
  return Error::success();
}

Expected<Window> readWindow(NodeImporter &node, ArrayRef<int64_t> input,
                            ArrayRef<int64_t> kernel) {
  Window window;
  size_t axes = input.size();
  window.kernel.assign(kernel.begin(), kernel.end());
  for (int64_t size : kernel)
    if (size < 1 || size >= (int64_t(1) << 31))
      return node.fail("the window is " + shapeText(kernel));
  for (int64_t size : input)
    if (size >= (int64_t(1) << 40))
      return node.fail("the input is " + shapeText(input));
  MPC_TRY_ASSIGN(window.strides, node.sizesAttr("strides", axes, 1, 1));
  MPC_TRY_ASSIGN(window.dilations, node.sizesAttr("dilations", axes, 1, 1));
  MPC_TRY(readPads(node, window, input));
  window.givenHigh = window.high;
  bool ceil = node.intAttr("ceil_mode", 0) != 0;
  for (size_t i = 0; i < axes; ++i) {
    int64_t stride = window.strides[i], dilation = window.dilations[i];
    int64_t padded = input[i] + window.low[i] + window.high[i];
    int64_t extent = (window.kernel[i] - 1) * dilation + 1;
    // A single window that ends after the input has only the existing elements.
    if (ceil && padded > 0 && padded < extent && extent - padded < stride) {
      window.kernel[i] = (padded - 1) / dilation + 1;
      extent = (window.kernel[i] - 1) * dilation + 1;
    }
    if (padded < extent)
      return node.fail("the window (" + Twine(extent) + " on spatial axis " +
                       Twine(i) + ") is larger than the padded input (" +
                       Twine(padded) + ")");
    int64_t windows = (padded - extent) / stride + 1;
    if (ceil) {
      windows = (padded - extent + stride - 1) / stride + 1;
      // The last window must start in the input or in the padding before it.
      if ((windows - 1) * stride >= input[i] + window.low[i])
        --windows;
      int64_t needed = (windows - 1) * stride + extent - input[i];
      window.high[i] = std::max<int64_t>(needed - window.low[i], 0);
    }
    window.output.push_back(windows);
  }
  return window;
}

Expected<TransposedWindow> readTransposedWindow(NodeImporter &node,
                                                ArrayRef<int64_t> input,
                                                ArrayRef<int64_t> kernel) {
  size_t axes = input.size();
  for (int64_t size : kernel)
    if (size < 1 || size >= (int64_t(1) << 31))
      return node.fail("the window is " + shapeText(kernel));
  for (int64_t size : input)
    if (size < 1 || size >= (int64_t(1) << 31))
      return node.fail("the input is " + shapeText(input));
  MPC_TRY_ASSIGN(auto strides, node.sizesAttr("strides", axes, 1, 1));
  MPC_TRY_ASSIGN(auto dilations, node.sizesAttr("dilations", axes, 1, 1));
  MPC_TRY_ASSIGN(auto pads, node.sizesAttr("pads", 2 * axes, 0, 0));
  MPC_TRY_ASSIGN(auto extra, node.sizesAttr("output_padding", axes, 0, 0));
  StringRef kind = node.stringAttr("auto_pad", "NOTSET");
  bool same = kind == "SAME_UPPER" || kind == "SAME_LOWER";
  if (!same && kind != "NOTSET" && kind != "VALID" && !kind.empty())
    return node.fail("attribute 'auto_pad' is '" + printable(kind) + "'");
  std::optional<ArrayRef<int64_t>> given = node.intsAttr("output_shape");
  if (given && given->size() != axes)
    return node.fail("attribute 'output_shape' has " + Twine(given->size()) +
                     " numbers, expected " + Twine(axes));
  TransposedWindow window;
  for (SmallVector<int64_t> *sizes :
       {&window.low, &window.high, &window.interior})
    sizes->assign(2, 0);
  window.conv.kernel.assign(kernel.begin(), kernel.end());
  window.conv.strides.assign(axes, 1);
  window.conv.dilations = dilations;
  window.conv.low.assign(axes, 0);
  window.conv.high.assign(axes, 0);
  for (size_t i = 0; i < axes; ++i) {
    int64_t extent = (kernel[i] - 1) * dilations[i] + 1;
    int64_t full = strides[i] * (input[i] - 1) + extra[i] + extent;
    int64_t low = pads[i], high = pads[axes + i];
    if (given || same) {
      int64_t wanted = given ? (*given)[i] : input[i] * strides[i];
      if (wanted < 1)
        return node.fail("the output size is " + Twine(wanted) +
                         " on spatial axis " + Twine(i));
      // Elements that no window reaches count as padding at the end.
      int64_t total = std::max<int64_t>(full - wanted, 0);
      low = kind == "SAME_UPPER" ? total / 2 : (total + 1) / 2;
      high = full - wanted - low;
    }
    int64_t size = full - low - high;
    if (size < 1)
      return node.fail("the output has size " + Twine(size) +
                       " on spatial axis " + Twine(i));
    window.low.push_back(extent - 1 - low);
    window.high.push_back(extent - 1 - high + extra[i]);
    window.interior.push_back(strides[i] - 1);
    window.conv.output.push_back(size);
  }
  return window;
}

Expected<Window> readPool(NodeImporter &node) {
  const Operand &input = node.in(0);
  if (input.rank() < 3)
    return node.fail("the input is " + shapeText(input.shape) +
                     ", expected batch, channels and spatial axes");
  ArrayRef<int64_t> spatial = ArrayRef(input.shape).drop_front(2);
  std::optional<ArrayRef<int64_t>> kernel = node.intsAttr("kernel_shape");
  if (!kernel || kernel->size() != spatial.size())
    return node.fail("attribute 'kernel_shape' must have " +
                     Twine(spatial.size()) + " numbers");
  MPC_TRY_ASSIGN(Window window, readWindow(node, spatial, *kernel));
  for (size_t i = 0; i < spatial.size(); ++i) {
    int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
    if (window.low[i] >= extent || window.givenHigh[i] >= extent)
      return node.fail("a pad is as large as the window");
  }
  Shape shape{input.shape[0], input.shape[1]};
  append_range(shape, window.output);
  MPC_TRY(node.checkSize(shape));
  return window;
}

namespace {

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

Error emitMaxPool(NodeImporter &node) {
  MPC_TRY(node.requireNumbers(0));
  mlir::Type type = node.in(0).type;
  if (!node.in(0).isFloat() && nn::elementBytes(type) > 2)
    return node.fail("pools of " + toString(type) + " are not supported");
  MPC_TRY_ASSIGN(Window window, readPool(node));
  TensorBuilder &b = node.build;
  // f32 represents integers of 8 and 16 bits exactly.
  Operand input =
      node.in(0).isFloat() ? node.in(0) : b.cast(node.in(0), b.f32());
  Shape shape{input.shape[0], input.shape[1]};
  append_range(shape, window.output);
  auto pool = nn::MaxPoolOp::create(
      b.builder(), b.location(), b.tensorType(input.type, shape),
      b.tensorType(b.i64(), shape), input.value, window.kernel, window.strides,
      window.low, window.high, window.dilations);
  node.result(0, b.cast(b.fromValue(pool.getOutput()), type));
  if (node.wants(1))
    node.result(1,
                placesInTensor(b, b.fromValue(pool.getIndices()), input.shape,
                               node.intAttr("storage_order", 0) != 0));
  return Error::success();
}

Error emitAveragePool(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY_ASSIGN(Window window, readPool(node));
  MPC_TRY_ASSIGN(
      Operand average,
      node.placed(averageOver(node.build, node.in(0), window,
                              node.setting<int64_t>(setting::kDivisor),
                              node.intAttr("count_include_pad", 0) != 0)));
  node.result(0, average);
  return Error::success();
}

template <Operand (TensorBuilder::*reduce)(const Operand &, ArrayRef<int64_t>)>
Error emitGlobalPool(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &input = node.in(0);
  if (input.rank() < 3 || is_contained(input.shape, 0))
    return node.fail("the input is " + shapeText(input.shape) +
                     ", expected batch, channels and spatial axes");
  Shape shape(input.rank(), 1);
  shape[0] = input.shape[0];
  shape[1] = input.shape[1];
  auto axes = to_vector(seq<int64_t>(2, input.rank()));
  node.result(0, node.build.reshape((node.build.*reduce)(input, axes), shape));
  return Error::success();
}

/// (sum |x|^p)^(1/p) over each window.
Error emitLpPool(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY_ASSIGN(Window window, readPool(node));
  MPC_TRY(node.placed(checkPlaces(window)));
  int64_t p = node.intAttr("p", 2);
  if (p < 1)
    return node.fail("attribute 'p' is " + Twine(p) + ", expected at least 1");
  TensorBuilder &b = node.build;
  Operand x = b.wide(node.in(0));
  auto power = [&](const Operand &base, double exponent) {
    return b.binary(Binary::Pow, base, exponent);
  };
  Operand each = p == 2 ? b.binary(Binary::Mul, x, x)
                        : power(b.abs(x), static_cast<double>(p));
  Operand sum = sumOverWindows(b, paddedBy(b, each, window), window);
  // The select keeps the gradient of the root of 0 out.
  Operand isZero = b.compare(nn::CompareKind::EQ, sum, b.splatLike(sum, 0.0));
  Operand some = b.select(isZero, b.splatLike(sum, 1.0), sum);
  Operand root =
      p == 2 ? b.sqrt(some) : power(some, 1.0 / static_cast<double>(p));
  node.result(0, b.cast(b.select(isZero, sum, root), node.in(0).type));
  return Error::success();
}

Error emitCol2Im(NodeImporter &node) {
  MPC_TRY(node.requireNumbers(0));
  MPC_TRY_ASSIGN(auto image, node.ints(1, "the image's shape"));
  MPC_TRY_ASSIGN(auto block, node.ints(2, "the window's shape"));
  if (image.empty() || image.size() != block.size())
    return node.fail("the image's shape is " + shapeText(image) +
                     ", the window's " + shapeText(block));
  MPC_TRY_ASSIGN(Window window, readWindow(node, image, block));
  MPC_TRY(node.placed(checkPlaces(window)));
  const Operand &input = node.in(0);
  int64_t places = *countElements(window.kernel);
  std::optional<int64_t> windows = countElements(window.output);
  if (input.rank() != 3 || input.shape[1] % places != 0 ||
      input.shape[2] != windows)
    return node.fail("the input is " + shapeText(input.shape) +
                     ", expected batch, channels times " + Twine(places) +
                     ", " + Twine(windows.value_or(-1)));
  Shape shape{input.shape[0], input.shape[1] / places};
  append_range(shape, image);
  MPC_TRY(node.checkSize(shape));
  TensorBuilder &b = node.build;
  node.result(0,
              b.cast(addWindows(b, b.wide(input), image, window), input.type));
  return Error::success();
}

/// x / (bias + alpha / size * sum of squares)^beta, the sum over neighbouring
/// channels.
Error emitLRN(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &input = node.in(0);
  int64_t size = node.intAttr("size", 0);
  if (input.rank() < 3 || size < 1 || size > 1024)
    return node.fail("the input is " + shapeText(input.shape) +
                     ", attribute 'size' is " + Twine(size) +
                     " (expected 1 to 1024)");
  TensorBuilder &b = node.build;
  Operand x = b.wide(input);
  int64_t channels = input.shape[1];
  Shape columns{input.shape[0], 1, channels,
                *countElements(ArrayRef(input.shape).drop_front(2))};
  Operand squares = b.reshape(b.binary(Binary::Mul, x, x), columns);
  Operand wider = b.pad(squares, {0, 0, (size - 1) / 2, 0}, {0, 0, size / 2, 0},
                        {0, 0, 0, 0}, 0.0);
  Operand sum = sumOverWindows(
      b, wider, slidingWindow({wider.shape[2], wider.shape[3]}, {size, 1}));
  double alpha = node.floatAttr("alpha", 1e-4F) / static_cast<double>(size);
  Operand base = b.binary(Binary::Add,
                          b.binary(Binary::Mul, b.reshape(sum, x.shape), alpha),
                          static_cast<double>(node.floatAttr("bias", 1.0)));
  Operand norm = b.binary(Binary::Pow, base, node.floatAttr("beta", 0.75));
  node.result(0, b.cast(b.binary(Binary::Div, x, norm), input.type));
  return Error::success();
}

} // namespace

ArrayRef<OpRule> windowRules() {
  static const OpRule rules[] = {
      {"AveragePool", 7, 1, 1, 1,
       "auto_pad:s count_include_pad:i kernel_shape:is pads:is strides:is",
       emitAveragePool},
      {"AveragePool", 10, 1, 1, 1,
       "auto_pad:s ceil_mode:i count_include_pad:i kernel_shape:is pads:is "
       "strides:is",
       emitAveragePool},
      {"AveragePool", 19, 1, 1, 1,
       "auto_pad:s ceil_mode:i count_include_pad:i dilations:is "
       "kernel_shape:is "
       "pads:is strides:is",
       emitAveragePool},
      {"Col2Im", 18, 3, 3, 1, "dilations:is pads:is strides:is", emitCol2Im},
      {"GlobalAveragePool", 1, 1, 1, 1, "",
       emitGlobalPool<&TensorBuilder::reduceMean>},
      {"GlobalMaxPool", 1, 1, 1, 1, "",
       emitGlobalPool<&TensorBuilder::reduceMax>},
      {"LRN", 1, 1, 1, 1, "alpha:f beta:f bias:f size:i", emitLRN},
      {"LpPool", 2, 1, 1, 1,
       "auto_pad:s kernel_shape:is p:i pads:is strides:is", emitLpPool},
      {"LpPool", 18, 1, 1, 1,
       "auto_pad:s ceil_mode:i dilations:is kernel_shape:is p:i pads:is "
       "strides:is",
       emitLpPool},
      {"MaxPool", 1, 1, 1, 1, "auto_pad:s kernel_shape:is pads:is strides:is",
       emitMaxPool},
      {"MaxPool", 8, 1, 1, 2,
       "auto_pad:s kernel_shape:is pads:is storage_order:i strides:is",
       emitMaxPool},
      {"MaxPool", 10, 1, 1, 2,
       "auto_pad:s ceil_mode:i dilations:is kernel_shape:is pads:is "
       "storage_order:i strides:is",
       emitMaxPool},
  };
  return rules;
}

} // namespace mpc::onnx
