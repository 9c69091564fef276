// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's RoiAlign: regions of images, read at the points of a grid of bins.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Ops/PointReads.h"
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

/// Regions whose bins are averages of bilinear samples.
class RoiAligner {
public:
  explicit RoiAligner(NodeImporter &node) : node_(node), b_(node.build) {}

  Error run();

private:
  Error readAttributes();
  Error readInputs();
  Operand corner(int64_t column, double scale);
  Expected<Operand> samples(const RoiAxis &axis);
  Operand isOutside(const Operand &at, int64_t size);
  Expected<Operand> readSamples(const Operand &rows, const Operand &columns);

  NodeImporter &node_;
  TensorBuilder &b_;
  bool isHalfPixel_ = true;
  RoiAxis rows_, columns_;
  int64_t regions_ = 0, channels_ = 0;
  /// [1, all elements, channels]
  Operand images_;
  /// [regions]: the first element of the image of each.
  Operand first_;
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
  channels_ = x.shape[1];
  rows_.size = x.shape[2];
  columns_.size = x.shape[3];
  int64_t elements = rows_.size * columns_.size;
  images_ = b_.reshape(b_.transpose(b_.wide(x), {0, 2, 3, 1}),
                       {1, x.shape[0] * elements, channels_});
  first_ = b_.binary(Binary::Mul, b_.cast(numbers, b_.i64()),
                     static_cast<double>(elements));
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
  MPC_TRY_ASSIGN(Operand part, node_.constant<float>(b_.f32(), {count}, parts));
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

/// A sample up to one element outside reads the outermost; one farther,
/// nothing.
Operand RoiAligner::isOutside(const Operand &at, int64_t size) {
  Operand end = b_.splatLike(at, static_cast<double>(size));
  Operand isBefore =
      b_.compare(nn::CompareKind::LT, at, b_.splatLike(at, -1.0));
  Operand isBehind = b_.compare(nn::CompareKind::GT, at, end);
  return b_.binary(Binary::Max, isBefore, isBehind);
}

/// [regions, rows, columns, channels] of the samples' grid.
Expected<Operand> RoiAligner::readSamples(const Operand &rows,
                                          const Operand &columns) {
  Shape grid{regions_, rows.shape[1], columns.shape[1]};
  int64_t points = *countElements(grid);
  MPC_TRY(node_.checkSize({points, channels_}));
  Operand y = b_.broadcast(rows, grid, {0, 1});
  Operand x = b_.broadcast(columns, grid, {0, 2});
  auto flat = [&](const Operand &of) { return b_.reshape(of, {1, points}); };
  Operand first = flat(b_.broadcast(first_, grid, {0}));
  MPC_TRY_ASSIGN(Operand read,
                 readAtPoints(node_, images_, {rows_.size, columns_.size},
                              {flat(y), flat(x)}, {"linear", "border"},
                              &first));
  Operand isFar = b_.binary(Binary::Max, isOutside(y, rows_.size),
                            isOutside(x, columns_.size));
  Shape shape(grid);
  shape.push_back(channels_);
  return b_.select(b_.broadcast(isFar, shape, {0, 1, 2}),
                   b_.splat(read.type, shape, 0.0), b_.reshape(read, shape));
}

Error RoiAligner::run() {
  MPC_TRY(readAttributes());
  MPC_TRY(readInputs());
  MPC_TRY_ASSIGN(Operand rows, samples(rows_));
  MPC_TRY_ASSIGN(Operand columns, samples(columns_));
  MPC_TRY_ASSIGN(Operand read, readSamples(rows, columns));
  Shape bins{regions_,      rows_.bins,       rows_.samples,
             columns_.bins, columns_.samples, channels_};
  Operand means = b_.reduceMean(b_.reshape(read, bins), {2, 4});
  node_.result(0, b_.cast(b_.transpose(means, {0, 3, 1, 2}), node_.in(0).type));
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
