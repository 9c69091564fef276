// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's Resize. Each axis is resampled on its own: nearest neighbours are a
/// gather, linear and cubic interpolation a product with a matrix of weights.
#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Ops/NodeImporter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>

using namespace llvm;

namespace mpc::onnx {

namespace {

/// How one axis is resampled.
struct AxisResize {
  int64_t from, to;
  double scale;
  /// By which corners are placed: `to` before it was rounded, or `to`.
  double extent;
  /// The part of the input that is shown, as fractions of its extent.
  double start = 0.0, end = 1.0;

  bool isIdentity() const {
    return from == to && scale == 1.0 && start == 0.0 && end == 1.0;
  }
};

/// What the node says of all axes.
struct Sampling {
  StringRef mode;
  StringRef coordinates;
  StringRef rounding;
  double cubicA;
  double extrapolation;
  bool excludesOutside;
  bool isAntialiased;
  /// The input that has the scales.
  size_t scales = 2;

  /// The distance of the corners decides the scale, and centres are aligned.
  bool scalesByCorners = false;

  bool isCrop() const { return coordinates == "tf_crop_and_resize"; }
};

Expected<Sampling> readSampling(NodeImporter &node) {
  Sampling sampling{
      node.stringAttr("mode", "nearest"),
      node.stringAttr("coordinate_transformation_mode", "half_pixel"),
      node.stringAttr("nearest_mode", "round_prefer_floor"),
      node.floatAttr("cubic_coeff_a", -0.75),
      node.floatAttr("extrapolation_value", 0.0),
      node.intAttr("exclude_outside", 0) != 0,
      node.intAttr("antialias", 0) != 0};
  if (!is_contained({"nearest", "linear", "cubic"}, sampling.mode))
    return node.fail("attribute 'mode' is '" + printable(sampling.mode) +
                     "', expected nearest, linear or cubic");
  if (!is_contained({"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                     "align_corners", "asymmetric", "tf_crop_and_resize"},
                    sampling.coordinates))
    return node.fail("attribute 'coordinate_transformation_mode' is '" +
                     printable(sampling.coordinates) +
                     "', which is not supported");
  if (!is_contained(
          {"floor", "ceil", "round_prefer_ceil", "round_prefer_floor"},
          sampling.rounding))
    return node.fail("attribute 'nearest_mode' is '" +
                     printable(sampling.rounding) + "'");
  sampling.scalesByCorners = sampling.isAntialiased &&
                             node.isSet(setting::kCornersBySize) &&
                             sampling.coordinates == "align_corners";
  if (sampling.scalesByCorners)
    sampling.coordinates = "half_pixel";
  return sampling;
}

Expected<SmallVector<double>> readReals(NodeImporter &node, size_t index,
                                        StringRef what) {
  const Operand &reals = node.in(index);
  if (!reals.known || reals.rank() != 1)
    return node.fail("the " + what + " must be a known vector");
  SmallVector<double> result;
  for (int64_t i = 0, e = reals.known.getNumElements(); i < e; ++i)
    result.push_back(nn::realAt(reals.known, i));
  return result;
}

/// One scale for all axes that keeps the picture within the sizes, or fills
/// them.
Error keepAspectRatio(NodeImporter &node, MutableArrayRef<double> scales,
                      bool bySize) {
  StringRef policy = node.stringAttr("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || scales.empty() || !bySize)
    return Error::success();
  if (policy != "not_larger" && policy != "not_smaller")
    return node.fail("attribute 'keep_aspect_ratio_policy' is '" +
                     printable(policy) +
                     "', expected stretch, not_larger or not_smaller");
  double scale = policy == "not_larger" ? *llvm::min_element(scales)
                                        : *llvm::max_element(scales);
  llvm::fill(scales, scale);
  return Error::success();
}

/// The scales of the axes that are resized, from scales or sizes.
Expected<SmallVector<double>> readScales(NodeImporter &node,
                                         ArrayRef<int64_t> axes,
                                         const Sampling &sampling) {
  bool bySize = node.has(3);
  if (!bySize && !node.has(sampling.scales))
    return node.fail("has neither scales nor sizes");
  SmallVector<double> scales;
  if (bySize) {
    MPC_TRY_ASSIGN(auto sizes, node.ints(3, "the sizes"));
    scales.assign(sizes.begin(), sizes.end());
  } else {
    MPC_TRY_ASSIGN(scales, readReals(node, sampling.scales, "scales"));
  }
  if (scales.size() != axes.size())
    return node.fail("has " + Twine(scales.size()) + " sizes or scales for " +
                     Twine(axes.size()) + " axes");
  for (auto [scale, axis] : zip_equal(scales, axes))
    if (bySize)
      scale /= static_cast<double>(node.in(0).shape[axis]);
  MPC_TRY(keepAspectRatio(node, scales, bySize));
  return scales;
}

/// The part of each axis that tf_crop_and_resize shows.
Error readCrop(NodeImporter &node, ArrayRef<int64_t> axes,
               MutableArrayRef<AxisResize> result) {
  if (!node.has(1))
    return node.fail("tf_crop_and_resize has no roi");
  MPC_TRY_ASSIGN(auto roi, readReals(node, 1, "roi"));
  if (roi.size() != 2 * axes.size())
    return node.fail("the roi has " + Twine(roi.size()) + " numbers for " +
                     Twine(axes.size()) + " axes");
  for (auto [index, axis] : enumerate(axes)) {
    result[axis].start = roi[index];
    result[axis].end = roi[index + axes.size()];
  }
  return Error::success();
}

/// The scale of an axis that is given beside the sizes, if one is.
std::optional<double> givenScale(const NodeImporter &node, int64_t axis) {
  auto scales =
      node.setting<std::vector<std::optional<double>>>(setting::kScales);
  bool isSpatial =
      scales && axis >= 2 &&
      static_cast<int64_t>(scales->size()) + 2 == node.in(0).rank();
  return isSpatial ? (*scales)[axis - 2] : std::nullopt;
}

/// Sizes and scales of all axes.
Expected<SmallVector<AxisResize>> readAxes(NodeImporter &node,
                                           const Sampling &sampling) {
  const Operand &input = node.in(0);
  auto axes = to_vector(seq<int64_t>(0, input.rank()));
  if (auto given = node.intsAttr("axes")) {
    MPC_TRY_ASSIGN(axes, node.axes(*given, input.rank()));
  }
  SmallVector<AxisResize> result;
  for (int64_t size : input.shape)
    result.push_back({size, size, 1.0, static_cast<double>(size)});
  MPC_TRY_ASSIGN(auto scales, readScales(node, axes, sampling));
  for (auto [axis, scale] : zip_equal(axes, scales)) {
    AxisResize &resize = result[axis];
    double exact = static_cast<double>(resize.from) * scale;
    // Sizes come back from their scales but for rounding.
    double to = std::floor(node.has(3) ? exact + 0.5 : exact);
    if (!(to >= 1 && to <= 65536) || resize.from < 1)
      return node.fail("axis " + Twine(axis) + " of " + shapeText(input.shape) +
                       " is resized to " + std::to_string(to));
    resize.scale = node.has(3) ? givenScale(node, axis).value_or(scale) : scale;
    if (sampling.scalesByCorners) {
      auto last = static_cast<double>(resize.from - 1);
      resize.scale = to == 1 ? 1.0 : (to - 1) / last;
    }
    resize.to = static_cast<int64_t>(to);
    resize.extent = node.isSet(setting::kCornersBySize) ? to : exact;
  }
  if (sampling.isCrop())
    MPC_TRY(readCrop(node, axes, result));
  return result;
}

/// The place in the input that place `x` of the output comes from.
double sourceOf(const AxisResize &axis, int64_t x, StringRef mode) {
  double place = static_cast<double>(x);
  if (mode == "asymmetric")
    return place / axis.scale;
  double last = static_cast<double>(axis.from - 1);
  if (mode == "align_corners")
    return axis.extent == 1.0 ? 0.0 : place * last / (axis.extent - 1.0);
  if (mode == "tf_crop_and_resize") {
    double along = axis.extent == 1.0 ? 0.5 : place / (axis.extent - 1.0);
    return (axis.start + along * (axis.end - axis.start)) * last;
  }
  if (mode == "pytorch_half_pixel" && axis.to == 1)
    return 0.0;
  double source = (place + 0.5) / axis.scale - 0.5;
  if (mode != "half_pixel_symmetric")
    return source;
  // Centres the output where its size was rounded.
  double centre = static_cast<double>(axis.from) / 2;
  return centre * (1 - static_cast<double>(axis.to) / axis.extent) + source;
}

int64_t roundSource(double source, StringRef mode) {
  if (mode == "floor")
    return static_cast<int64_t>(std::floor(source));
  if (mode == "ceil")
    return static_cast<int64_t>(std::ceil(source));
  if (mode == "round_prefer_ceil")
    return static_cast<int64_t>(std::floor(source + 0.5));
  return static_cast<int64_t>(std::ceil(source - 0.5));
}

Operand resizeNearest(NodeImporter &node, const Operand &input, int64_t axis,
                      const AxisResize &resize, const Sampling &sampling) {
  SmallVector<int64_t> sources;
  for (int64_t x = 0; x < resize.to; ++x)
    sources.push_back(std::clamp<int64_t>(
        roundSource(sourceOf(resize, x, sampling.coordinates),
                    sampling.rounding),
        0, resize.from - 1));
  return node.build.gather(input, node.build.ints(sources), axis);
}

/// The weight of an element at `distance`: a hat, or Keys' cubic (1981).
double kernelAt(double distance, const Sampling &sampling) {
  double x = std::abs(distance), a = sampling.cubicA;
  if (sampling.mode == "linear")
    return std::max(0.0, 1 - x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0.0;
}

/// Adds to a column of `weights` what one place of the output is made of.
void addWeights(MutableArrayRef<double> weights, int64_t x,
                const AxisResize &resize, const Sampling &sampling) {
  double source = sourceOf(resize, x, sampling.coordinates);
  double shrink = sampling.isAntialiased ? std::min(resize.scale, 1.0) : 1.0;
  double support = sampling.mode == "linear" ? 1.0 : 2.0;
  // The element at or before the source has distance 0 to 1, 0 excluded.
  double before = std::ceil(source) - 1;
  auto first = static_cast<int64_t>(std::floor(-support / shrink)) + 1;
  SmallVector<std::pair<int64_t, double>> taps;
  double sum = 0.0;
  for (int64_t i = first; i < 2 - first; ++i) {
    double at = before + static_cast<double>(i);
    double weight = kernelAt(shrink * (at - source), sampling);
    bool isOutside = at < 0 || at >= static_cast<double>(resize.from);
    if (isOutside && sampling.excludesOutside)
      continue;
    at = std::clamp(at, 0.0, static_cast<double>(resize.from - 1));
    taps.push_back({static_cast<int64_t>(at), weight});
    sum += weight;
  }
  for (auto [at, weight] : taps)
    weights[at * resize.to + x] += sum == 0.0 ? 0.0 : weight / sum;
}

Expected<Operand> interpolate(NodeImporter &node, const Operand &input,
                              int64_t axis, const AxisResize &resize,
                              const Sampling &sampling) {
  if (resize.from * resize.to > (1 << 24))
    return node.fail("axis " + Twine(axis) + " of " +
                     shapeText(node.in(0).shape) + " is too large");
  TensorBuilder &b = node.build;
  std::vector<double> numbers(resize.from * resize.to, 0.0);
  for (int64_t x = 0; x < resize.to; ++x)
    addWeights(numbers, x, resize, sampling);
  MPC_TRY_ASSIGN(
      Operand weights,
      node.constant<double>(b.f64(), {resize.from, resize.to}, numbers));
  // The axis goes last, there to be the sum of a plain matrix product.
  auto order = to_vector(seq<int64_t>(0, input.rank()));
  std::swap(order[axis], order.back());
  Operand last = b.transpose(input, order);
  int64_t rows = *countElements(input.shape) / resize.from;
  Operand product = b.matmul(b.reshape(last, {rows, resize.from}),
                             b.cast(weights, input.type));
  Shape shape = last.shape;
  shape.back() = resize.to;
  return b.transpose(b.reshape(product, shape), order);
}

/// The extrapolation value in places that come from outside of the input.
Expected<Operand> extrapolate(NodeImporter &node, const Operand &output,
                              int64_t axis, const AxisResize &resize,
                              const Sampling &sampling) {
  std::vector<char> outside;
  for (int64_t x = 0; x < resize.to; ++x) {
    double source = sourceOf(resize, x, sampling.coordinates);
    outside.push_back(source < 0 ||
                      source > static_cast<double>(resize.from - 1));
  }
  if (!is_contained(outside, 1))
    return output;
  TensorBuilder &b = node.build;
  MPC_TRY_ASSIGN(Operand mask,
                 node.constant<char>(b.i1(), {resize.to}, outside));
  return b.select(b.broadcast(mask, output.shape, {axis}),
                  b.splatLike(output, sampling.extrapolation), output);
}

Error resizeBy(NodeImporter &node, const Sampling &sampling) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(auto axes, readAxes(node, sampling));
  Shape shape;
  for (const AxisResize &axis : axes)
    shape.push_back(axis.to);
  MPC_TRY(node.checkSize(shape));
  bool isNearest = sampling.mode == "nearest";
  Operand result = isNearest ? input : node.build.wide(input);
  for (auto [axis, resize] : enumerate(axes)) {
    if (resize.isIdentity())
      continue;
    if (isNearest) {
      result = resizeNearest(node, result, axis, resize, sampling);
    } else {
      MPC_TRY_ASSIGN(result, interpolate(node, result, axis, resize, sampling));
    }
    if (sampling.isCrop()) {
      MPC_TRY_ASSIGN(result, extrapolate(node, result, axis, resize, sampling));
    }
    MPC_TRY(node.checkSize(result.shape));
  }
  node.result(0, node.build.cast(result, input.type));
  return Error::success();
}

Error emitResize(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY_ASSIGN(Sampling sampling, readSampling(node));
  return resizeBy(node, sampling);
}

/// Before opset 11: from the start of each axis on.
Error emitUpsample(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY_ASSIGN(Sampling sampling, readSampling(node));
  sampling.coordinates = "asymmetric";
  sampling.rounding = "floor";
  sampling.scales = 1;
  return resizeBy(node, sampling);
}

constexpr StringRef kAttributes13 =
    "coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i "
    "extrapolation_value:f mode:s nearest_mode:s";
constexpr StringRef kAttributes18 =
    "antialias:i axes:is coordinate_transformation_mode:s cubic_coeff_a:f "
    "exclude_outside:i extrapolation_value:f keep_aspect_ratio_policy:s "
    "mode:s nearest_mode:s";

const OpRule kRules[] = {
    {"Resize", 10, 2, 2, 1, "mode:s", emitUpsample},
    {"Resize", 11, 3, 4, 1, kAttributes13, emitResize},
    {"Resize", 13, 1, 4, 1, kAttributes13, emitResize},
    {"Resize", 18, 1, 4, 1, kAttributes18, emitResize},
    {"Upsample", 7, 1, 1, 1, "mode:s scales:fs", emitUpsample, "", false,
     "scales!"},
    {"Upsample", 9, 2, 2, 1, "mode:s", emitUpsample},
};

} // namespace

ArrayRef<OpRule> resizeRules() { return kRules; }

} // namespace mpc::onnx
