// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bins are averages of bilinear samples.
#include "lib/Import/Build/RoiAlign.h"

#include "lib/Import/Build/PointReads.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::build {

namespace {

class RoiAligner {
public:
  RoiAligner(TensorBuilder &b, const Operand &images, const Operand &regions,
             const RoiAlignment &how)
      : b_(b), regionsIn_(regions), how_(how), regions_(regions.shape[0]),
        channels_(images.shape[1]), image_{images.shape[2], images.shape[3]} {}

  Expected<Operand> run(const Operand &images, const Operand &numbers);

private:
  Operand corner(int64_t column, double scale);
  Expected<Operand> samples(const RoiAxis &axis, int64_t column);
  Operand isOutside(const Operand &at, int64_t size);
  Expected<Operand> readSamples(const Operand &rows, const Operand &columns);

  TensorBuilder &b_;
  const Operand &regionsIn_;
  const RoiAlignment &how_;
  int64_t regions_, channels_;
  /// The rows and columns of each image.
  int64_t image_[2];
  /// [1, all elements, channels]
  Operand images_;
  /// [regions]: the first element of each region's image.
  Operand first_;
};

} // namespace

/// [regions]: one corner of each region, in elements of the image.
Operand RoiAligner::corner(int64_t column, double scale) {
  Operand all = b_.withoutGradient(b_.cast(regionsIn_, images_.type));
  Operand one =
      b_.reshape(b_.sliceAxis(all, 1, column, column + 1), {regions_});
  Operand place = b_.binary(Binary::Mul, one, scale);
  return b_.binary(Binary::Sub, place, how_.isHalfPixel ? 0.5 : 0.0);
}

/// [regions, bins * samples]: the positions of samples.
Expected<Operand> RoiAligner::samples(const RoiAxis &axis, int64_t column) {
  int64_t count = axis.bins * axis.samples;
  std::vector<float> parts;
  for (int64_t i : seq<int64_t>(0, count))
    parts.push_back(static_cast<float>((static_cast<double>(i) + 0.5) /
                                       static_cast<double>(count)));
  MPC_TRY_ASSIGN(Operand part, b_.fromValues<float>(b_.f32(), {count}, parts));
  Operand start = corner(column, axis.scale);
  Operand length =
      b_.binary(Binary::Sub, corner(column + 2, axis.scale), start);
  if (!how_.isHalfPixel)
    length = b_.binary(Binary::Max, length, 1.0);
  Shape shape{regions_, count};
  Operand along =
      b_.binary(Binary::Mul, b_.broadcast(length, shape, {0}),
                b_.broadcast(b_.cast(part, length.type), shape, {1}));
  return b_.binary(Binary::Add, b_.broadcast(start, shape, {0}), along);
}

/// Whether a sample is outside. A sample up to one element outside reads the
/// outermost element, and one further away reads zero.
Operand RoiAligner::isOutside(const Operand &at, int64_t size) {
  Operand end = b_.splatLike(at, static_cast<double>(size));
  Operand isBefore =
      b_.compare(nn::CompareKind::LT, at, b_.splatLike(at, -1.0));
  Operand isBehind = b_.compare(nn::CompareKind::GT, at, end);
  return b_.binary(Binary::Max, isBefore, isBehind);
}

/// [regions, rows, columns, channels]: the values at the grid of samples.
Expected<Operand> RoiAligner::readSamples(const Operand &rows,
                                          const Operand &columns) {
  Shape grid{regions_, rows.shape[1], columns.shape[1]};
  int64_t points = *countElements(grid);
  MPC_TRY(checkSize({points, channels_}));
  Operand y = b_.broadcast(rows, grid, {0, 1});
  Operand x = b_.broadcast(columns, grid, {0, 2});
  auto flat = [&](const Operand &of) { return b_.reshape(of, {1, points}); };
  Operand first = flat(b_.broadcast(first_, grid, {0}));
  MPC_TRY_ASSIGN(Operand read, readAtPoints(b_, images_, {image_[0], image_[1]},
                                            {flat(y), flat(x)},
                                            {"linear", "border"}, &first));
  Operand isFar =
      b_.binary(Binary::Max, isOutside(y, image_[0]), isOutside(x, image_[1]));
  Shape shape(grid);
  shape.push_back(channels_);
  return b_.select(b_.broadcast(isFar, shape, {0, 1, 2}),
                   b_.splat(read.type, shape, 0.0), b_.reshape(read, shape));
}

Expected<Operand> RoiAligner::run(const Operand &images,
                                  const Operand &numbers) {
  int64_t elements = image_[0] * image_[1];
  images_ = b_.reshape(b_.transpose(b_.wide(images), {0, 2, 3, 1}),
                       {1, images.shape[0] * elements, channels_});
  first_ = b_.binary(Binary::Mul, b_.cast(numbers, b_.i64()),
                     static_cast<double>(elements));
  MPC_TRY_ASSIGN(Operand rows, samples(how_.rows, 1));
  MPC_TRY_ASSIGN(Operand columns, samples(how_.columns, 0));
  MPC_TRY_ASSIGN(Operand read, readSamples(rows, columns));
  Shape bins{regions_,          how_.rows.bins,       how_.rows.samples,
             how_.columns.bins, how_.columns.samples, channels_};
  Operand means = b_.reduceMean(b_.reshape(read, bins), {2, 4});
  return b_.cast(b_.transpose(means, {0, 3, 1, 2}), images.type);
}

Expected<Operand> roiAligned(TensorBuilder &b, const Operand &images,
                             const Operand &regions, const Operand &numbers,
                             const RoiAlignment &how) {
  return RoiAligner(b, images, regions, how).run(images, numbers);
}

} // namespace mpc::build
