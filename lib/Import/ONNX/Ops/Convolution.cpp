// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's convolutions: plain, transposed and deformable.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/Build/PointReads.h"
#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Ops/Window.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// Checks the common inputs of convolutions: the image, and a weight that has
/// the channels of the image, or of a group, on `channelAxis`.
Error checkConvolution(NodeImporter &node, int64_t channelAxis) {
  MPC_TRY(node.requireFloat(0));
  for (size_t i = 1; i < node.numInputs(); ++i)
    if (node.has(i))
      MPC_TRY(node.requireSameType(i, 0));
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

/// The bias, input `index`. Null where there is none, and where it is zeros of
/// any shape: PyTorch's exporter gives a 3-D convolution without a bias zeros
/// of M x 2.
Expected<const Operand *> readBias(NodeImporter &node, size_t index,
                                   int64_t channels) {
  if (!node.has(index) || node.in(index).splatValue() == 0.0)
    return nullptr;
  ArrayRef<int64_t> shape = node.in(index).shape;
  if (shape.size() == 1 && shape[0] == channels)
    return &node.in(index);
  return node.fail("the bias is " + shapeText(shape) + ", expected " +
                   Twine(channels));
}

Error emitConv(NodeImporter &node) {
  MPC_TRY(checkConvolution(node, 1));
  const Operand &input = node.in(0), &weight = node.in(1);
  MPC_TRY_ASSIGN(const Operand *bias, readBias(node, 2, weight.shape[0]));
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

/// A transposed convolution is a convolution of the input dilated by its
/// strides.
Error emitConvTranspose(NodeImporter &node) {
  MPC_TRY(checkConvolution(node, 0));
  const Operand &input = node.in(0), &weight = node.in(1);
  int64_t groups = node.intAttr("group", 1);
  MPC_TRY_ASSIGN(const Operand *bias,
                 readBias(node, 2, weight.shape[1] * groups));
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

//===----------------------------------------------------------------------===//
// DeformConv
//===----------------------------------------------------------------------===//

/// A convolution whose taps read the image at points that the data moves (Dai
/// et al. 2017), and may weight the values that they read (Zhu et al. 2018).
/// The inputs are the image, the weight, the offsets, a bias and a mask.
class DeformableConvolution {
public:
  explicit DeformableConvolution(NodeImporter &node)
      : node_(node), b_(node.build), input_(node.in(0)), weight_(node.in(1)) {}

  Error run();

private:
  Error readAttributes();
  Error checkPoints(size_t index, int64_t numbers, StringRef what);
  Expected<Operand> evenPlaces(int64_t axis, int64_t start, int64_t step);
  Expected<Operand> coordinate(size_t axis);
  Operand images();
  Expected<Operand> columns();

  NodeImporter &node_;
  TensorBuilder &b_;
  const Operand &input_, &weight_;
  Window window_;
  Shape spatial_;
  /// The groups of channels. Channels of a group share their points, and each
  /// group is an image of its own.
  int64_t groups_ = 1;
  int64_t images_ = 0, taps_ = 0, windows_ = 0;
  /// [images, kernel.., output..]
  Shape points_;
};

Error DeformableConvolution::readAttributes() {
  spatial_ = Shape(ArrayRef(input_.shape).drop_front(2));
  MPC_TRY_ASSIGN(window_, readWindow(node_, spatial_,
                                     ArrayRef(weight_.shape).drop_front(2)));
  groups_ = node_.intAttr("offset_group", 1);
  if (groups_ < 1 || input_.shape[1] % groups_ != 0)
    return node_.fail("offset_group " + Twine(groups_) + " does not divide " +
                      Twine(input_.shape[1]) + " input channels");
  images_ = input_.shape[0] * groups_;
  points_ = {images_};
  append_range(points_, window_.kernel);
  append_range(points_, window_.output);
  MPC_TRY(node_.checkSize(points_));
  taps_ = *countElements(window_.kernel);
  windows_ = *countElements(window_.output);
  MPC_TRY(
      node_.checkSize({images_, input_.shape[1] / groups_, taps_ * windows_}));
  return Error::success();
}

/// Fails unless input `index` has `numbers` numbers for each tap of each group
/// at each place of the output.
Error DeformableConvolution::checkPoints(size_t index, int64_t numbers,
                                         StringRef what) {
  Shape shape{input_.shape[0], groups_ * taps_ * numbers};
  append_range(shape, window_.output);
  if (node_.in(index).shape == shape)
    return Error::success();
  return node_.fail("the " + what + " is " + shapeText(node_.in(index).shape) +
                    ", expected " + shapeText(shape));
}

/// The regular points along `axis`: `start`, `start` + `step` and so on.
Expected<Operand> DeformableConvolution::evenPlaces(int64_t axis, int64_t start,
                                                    int64_t step) {
  std::vector<float> numbers;
  for (int64_t i : seq<int64_t>(0, points_[axis]))
    numbers.push_back(static_cast<float>(start + i * step));
  MPC_TRY_ASSIGN(Operand along,
                 node_.constant<float>(b_.f32(), {points_[axis]}, numbers));
  return b_.broadcast(along, points_, {axis});
}

/// [images, points]: the positions of taps along a spatial axis, in elements.
Expected<Operand> DeformableConvolution::coordinate(size_t axis) {
  auto axes = static_cast<int64_t>(spatial_.size());
  auto at = static_cast<int64_t>(axis);
  MPC_TRY_ASSIGN(Operand taps, evenPlaces(1 + at, 0, window_.dilations[axis]));
  MPC_TRY_ASSIGN(Operand windows, evenPlaces(1 + axes + at, -window_.low[axis],
                                             window_.strides[axis]));
  // The offsets of a tap are next to each other.
  Shape pairs{images_, taps_, axes, windows_};
  Operand offset =
      b_.sliceAxis(b_.reshape(b_.wide(node_.in(2)), pairs), 2, at, at + 1);
  Operand regular = b_.cast(b_.binary(Binary::Add, taps, windows), offset.type);
  return b_.reshape(
      b_.binary(Binary::Add, b_.reshape(offset, points_), regular),
      {images_, taps_ * windows_});
}

/// [images, elements, channels]
Operand DeformableConvolution::images() {
  int64_t elements = *countElements(spatial_);
  return b_.transpose(
      b_.reshape(b_.wide(input_),
                 {images_, input_.shape[1] / groups_, elements}),
      {0, 2, 1});
}

/// [batch, channels * taps, windows]: the values that each tap of each window
/// reads.
Expected<Operand> DeformableConvolution::columns() {
  SmallVector<Operand> coordinates;
  for (size_t axis = 0; axis < spatial_.size(); ++axis) {
    MPC_TRY_ASSIGN(Operand along, coordinate(axis));
    coordinates.push_back(along);
  }
  MPC_TRY_ASSIGN(Operand read, node_.placed(readAtPoints(b_, images(), spatial_,
                                                         coordinates, {})));
  if (node_.has(4)) {
    Operand mask =
        b_.reshape(b_.wide(node_.in(4)), {images_, taps_ * windows_});
    read = b_.binary(Binary::Mul, read, b_.broadcast(mask, read.shape, {0, 1}));
  }
  int64_t channels = input_.shape[1] / groups_;
  read = b_.transpose(b_.reshape(read, {images_, taps_, windows_, channels}),
                      {0, 3, 1, 2});
  return b_.reshape(read, {input_.shape[0], input_.shape[1] * taps_, windows_});
}

Error DeformableConvolution::run() {
  MPC_TRY(checkConvolution(node_, 1));
  MPC_TRY_ASSIGN(const Operand *bias, readBias(node_, 3, weight_.shape[0]));
  MPC_TRY(readAttributes());
  MPC_TRY(checkPoints(2, static_cast<int64_t>(spatial_.size()), "offset"));
  if (node_.has(4))
    MPC_TRY(checkPoints(4, 1, "mask"));
  MPC_TRY_ASSIGN(Operand read, columns());
  // The rest is a convolution along the windows.
  Operand weight = b_.reshape(b_.wide(weight_),
                              {weight_.shape[0], weight_.shape[1] * taps_, 1});
  Operand wideBias = bias ? b_.wide(*bias) : Operand();
  Operand sum =
      buildConv(b_, read, weight, bias ? &wideBias : nullptr,
                slidingWindow({windows_}, {1}), node_.intAttr("group", 1));
  Shape shape{input_.shape[0], weight_.shape[0]};
  append_range(shape, window_.output);
  node_.result(0, b_.cast(b_.reshape(sum, shape), input_.type));
  return Error::success();
}

Error emitDeformConv(NodeImporter &node) {
  return DeformableConvolution(node).run();
}

} // namespace

ArrayRef<OpRule> convolutionRules() {
  static const OpRule rules[] = {
      {"Conv", 1, 2, 3, 1,
       "auto_pad:s dilations:is group:i kernel_shape:is pads:is strides:is",
       emitConv},
      {"ConvTranspose", 1, 2, 3, 1,
       "auto_pad:s dilations:is group:i kernel_shape:is output_padding:is "
       "output_shape:is pads:is strides:is",
       emitConvTranspose},
      {"DeformConv", 19, 3, 5, 1,
       "dilations:is group:i kernel_shape:is offset_group:i pads:is strides:is",
       emitDeformConv},
  };
  return rules;
}

} // namespace mpc::onnx
