// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's RoiAlign: regions of images, read at the points of a grid of bins.
#include "lib/Import/ONNX/NodeImporter.h"

#include "lib/Import/ONNX/ImportError.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

/// How a region is cut along one axis of the image.
struct RoiAxis {
  int64_t size, bins, samples;
  double scale;
  /// Of the region's corner and of the one behind it in the node's second
  /// input.
  int64_t column;
};

/// Regions whose bins are averages of bilinear samples. Samples lie on a grid,
/// so that the bins of an axis are a matrix times the image along it.
class RoiAligner {
public:
  explicit RoiAligner(NodeImporter &node) : node_(node), b_(node.build) {}

  Error run();

private:
  Error readAttributes();
  Error readInputs();
  Operand corner(int64_t column, double scale);
  Expected<Operand> samples(const RoiAxis &axis);
  Expected<Operand> weights(const RoiAxis &axis);
  Operand binned(const Operand &vertical, const Operand &horizontal);

  NodeImporter &node_;
  TensorBuilder &b_;
  bool isHalfPixel_ = true;
  RoiAxis rows_, columns_;
  int64_t regions_ = 0;
  /// [regions, channels, rows, columns]: the image of each region.
  Operand images_;
};

Error RoiAligner::readAttributes() {
  StringRef mode = node_.stringAttr("mode", "avg");
  StringRef transformation =
      node_.stringAttr("coordinate_transformation_mode", "half_pixel");
  isHalfPixel_ = transformation == "half_pixel";
  int64_t samples = node_.intAttr("sampling_ratio", 0);
  if (mode != "avg" || samples < 1 || samples > 64)
    return node_.fail("mode '" + printable(mode) + "' with sampling_ratio " +
                      Twine(samples) +
                      " is not supported, expected avg with 1 to 64: 0 would "
                      "take a number that depends on the data");
  double scale = node_.floatAttr("spatial_scale", 1.0);
  rows_ = {0, node_.intAttr("output_height", 1), samples, scale, 1};
  columns_ = {0, node_.intAttr("output_width", 1), samples, scale, 0};
  for (const RoiAxis *axis : {&rows_, &columns_})
    if (axis->bins < 1 || axis->bins > 1 << 12)
      return node_.fail("regions of " + Twine(axis->bins) +
                        " bins, expected 1 to 4096");
  return Error::success();
}

Error RoiAligner::readInputs() {
  for (size_t i : {0, 1})
    MPC_TRY(node_.requireFloat(i));
  MPC_TRY(node_.requireIndices(2));
  const Operand &x = node_.in(0), &rois = node_.in(1), &numbers = node_.in(2);
  regions_ = rois.shape.empty() ? 0 : rois.shape[0];
  if (x.rank() != 4 || rois.shape != Shape{regions_, 4} ||
      numbers.shape != Shape{regions_} || is_contained(x.shape, 0))
    return node_.fail("the images are " + shapeText(x.shape) +
                      ", the regions " + shapeText(rois.shape) +
                      ", their images' numbers " + shapeText(numbers.shape));
  if (numbers.known)
    for (int64_t number : nn::intsOf(numbers.known))
      if (number < 0 || number >= x.shape[0])
        return node_.fail("a region is of image " + Twine(number) + " of " +
                          Twine(x.shape[0]));
  rows_.size = x.shape[2];
  columns_.size = x.shape[3];
  MPC_TRY(node_.checkSize({regions_, x.shape[1], x.shape[2], x.shape[3]}));
  images_ = b_.gather(b_.wide(x), numbers, 0);
  return Error::success();
}

/// [regions]: a corner of each, in elements of the image.
Operand RoiAligner::corner(int64_t column, double scale) {
  Operand all = b_.withoutGradient(b_.cast(node_.in(1), images_.type));
  Operand one =
      b_.reshape(b_.sliceAxis(all, 1, column, column + 1), {regions_});
  Operand place = b_.binary(Binary::Mul, one, scale);
  return b_.binary(Binary::Sub, place, isHalfPixel_ ? 0.5 : 0.0);
}

/// [regions, bins * samples]: where they lie.
Expected<Operand> RoiAligner::samples(const RoiAxis &axis) {
  int64_t count = axis.bins * axis.samples;
  std::vector<float> parts;
  for (int64_t i : seq<int64_t>(0, count))
    parts.push_back(static_cast<float>((static_cast<double>(i) + 0.5) /
                                       static_cast<double>(count)));
  MPC_TRY_ASSIGN(Operand part,
                 node_.constant<float>(ElemType::Float, {count}, parts));
  Operand start = corner(axis.column, axis.scale);
  Operand length =
      b_.binary(Binary::Sub, corner(axis.column + 2, axis.scale), start);
  if (!isHalfPixel_)
    length = b_.binary(Binary::Max, length, 1.0);
  Shape shape{regions_, count};
  Operand along =
      b_.binary(Binary::Mul, b_.broadcast(length, shape, {0}),
                b_.broadcast(b_.cast(part, length.type), shape, {1}));
  return b_.binary(Binary::Add, b_.broadcast(start, shape, {0}), along);
}

/// [regions, bins, size]: what each element of the axis counts in each bin. A
/// sample up to one element outside reads the outermost; one farther, nothing.
Expected<Operand> RoiAligner::weights(const RoiAxis &axis) {
  MPC_TRY_ASSIGN(Operand at, samples(axis));
  Shape shape{regions_, axis.bins * axis.samples, axis.size};
  MPC_TRY(node_.checkSize(shape));
  auto size = static_cast<double>(axis.size);
  at = b_.broadcast(at, shape, {0, 1});
  Operand isFar = b_.compare(nn::CompareKind::LT, at, b_.splatLike(at, -1.0));
  Operand isBehind =
      b_.compare(nn::CompareKind::GT, at, b_.splatLike(at, size));
  Operand inside =
      b_.binary(Binary::Min, b_.binary(Binary::Max, at, 0.0), size - 1.0);
  Operand place = b_.cast(b_.coordinates(shape, 2), at.type);
  Operand distance = b_.abs(b_.binary(Binary::Sub, inside, place));
  Operand weight =
      b_.relu(b_.binary(Binary::Sub, b_.splatLike(distance, 1.0), distance));
  Operand zero = b_.splatLike(weight, 0.0);
  weight = b_.select(isFar, zero, b_.select(isBehind, zero, weight));
  weight = b_.reshape(weight, {regions_, axis.bins, axis.samples, axis.size});
  return b_.reduceMean(weight, {2});
}

/// [regions, channels, bins, bins]
Operand RoiAligner::binned(const Operand &vertical, const Operand &horizontal) {
  int64_t channels = images_.shape[1], height = rows_.size;
  Operand rows =
      b_.reshape(images_, {regions_, channels * height, columns_.size});
  Operand across =
      b_.matmulAsWritten(rows, b_.transpose(horizontal, {0, 2, 1}));
  across = b_.transpose(
      b_.reshape(across, {regions_, channels, height, columns_.bins}),
      {0, 2, 1, 3});
  across = b_.reshape(across, {regions_, height, channels * columns_.bins});
  Operand down = b_.matmulAsWritten(vertical, across);
  down = b_.reshape(down, {regions_, rows_.bins, channels, columns_.bins});
  return b_.transpose(down, {0, 2, 1, 3});
}

Error RoiAligner::run() {
  MPC_TRY(readAttributes());
  MPC_TRY(readInputs());
  MPC_TRY_ASSIGN(Operand vertical, weights(rows_));
  MPC_TRY_ASSIGN(Operand horizontal, weights(columns_));
  node_.result(0, b_.cast(binned(vertical, horizontal), node_.in(0).type));
  return Error::success();
}

Error emitRoiAlign(NodeImporter &node) { return RoiAligner(node).run(); }

const OpRule kRules[] = {
    {"RoiAlign", 16, 3, 3, 1,
     "coordinate_transformation_mode:s mode:s output_height:i output_width:i "
     "sampling_ratio:i spatial_scale:f",
     emitRoiAlign},
};

} // namespace

ArrayRef<OpRule> roiAlignRules() { return kRules; }

} // namespace mpc::onnx
