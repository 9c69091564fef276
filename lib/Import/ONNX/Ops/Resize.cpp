// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's Resize and Upsample.
#include "lib/Import/Build/Resize.h"
#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/Ops/NodeImporter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>

using namespace llvm;

namespace mpc::onnx {

namespace {

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

/// Makes one scale for all axes, with which the picture stays within the sizes,
/// or covers them.
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

/// The scales of the resized axes, from scales or sizes.
Expected<SmallVector<double>>
readScales(NodeImporter &node, ArrayRef<int64_t> axes, size_t scalesAt) {
  bool bySize = node.has(3);
  if (!bySize && !node.has(scalesAt))
    return node.fail("has neither scales nor sizes");
  SmallVector<double> scales;
  if (bySize) {
    MPC_TRY_ASSIGN(auto sizes, node.ints(3, "the sizes"));
    scales.assign(sizes.begin(), sizes.end());
  } else {
    MPC_TRY_ASSIGN(scales, readReals(node, scalesAt, "scales"));
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

/// Reads the part of each axis that tf_crop_and_resize uses.
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

/// The scale of an axis that is given in addition to the sizes; empty for none.
std::optional<double> givenScale(const NodeImporter &node, int64_t axis) {
  auto scales =
      node.setting<std::vector<std::optional<double>>>(setting::kScales);
  bool isSpatial =
      scales && axis >= 2 &&
      static_cast<int64_t>(scales->size()) + 2 == node.in(0).rank();
  return isSpatial ? (*scales)[axis - 2] : std::nullopt;
}

/// The sizes and scales of all axes.
Expected<SmallVector<AxisResize>>
readAxes(NodeImporter &node, const Sampling &sampling, size_t scalesAt) {
  const Operand &input = node.in(0);
  auto axes = to_vector(seq<int64_t>(0, input.rank()));
  if (auto given = node.intsAttr("axes")) {
    MPC_TRY_ASSIGN(axes, node.axes(*given, input.rank()));
  }
  SmallVector<AxisResize> result;
  for (int64_t size : input.shape)
    result.push_back({size, size, 1.0, static_cast<double>(size)});
  MPC_TRY_ASSIGN(auto scales, readScales(node, axes, scalesAt));
  for (auto [axis, scale] : zip_equal(axes, scales)) {
    AxisResize &resize = result[axis];
    double exact = static_cast<double>(resize.from) * scale;
    // Scales that were computed from sizes give the sizes again, except for
    // rounding.
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

Error checkWeights(const NodeImporter &node, int64_t axis,
                   const AxisResize &resize, const Sampling &sampling) {
  if (sampling.mode == "nearest" || resize.from * resize.to <= (1 << 24))
    return Error::success();
  return node.fail("axis " + Twine(axis) + " of " +
                   shapeText(node.in(0).shape) + " is too large");
}

/// Resizes by scales, which are in input `scalesAt`.
Error resizeBy(NodeImporter &node, const Sampling &sampling, size_t scalesAt) {
  const Operand &input = node.in(0);
  MPC_TRY_ASSIGN(auto axes, readAxes(node, sampling, scalesAt));
  Shape shape;
  for (const AxisResize &axis : axes)
    shape.push_back(axis.to);
  MPC_TRY(node.checkSize(shape));
  TensorBuilder &b = node.build;
  Operand result = sampling.mode == "nearest" ? input : b.wide(input);
  for (auto [axis, resize] : enumerate(axes)) {
    if (resize.isIdentity())
      continue;
    auto at = static_cast<int64_t>(axis);
    MPC_TRY(checkWeights(node, at, resize, sampling));
    MPC_TRY_ASSIGN(result,
                   node.placed(resizedAxis(b, result, at, resize, sampling)));
    MPC_TRY(node.checkSize(result.shape));
  }
  node.result(0, b.cast(result, input.type));
  return Error::success();
}

Error emitResize(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY_ASSIGN(Sampling sampling, readSampling(node));
  return resizeBy(node, sampling, 2);
}

/// Before opset 11 each axis is scaled from its start.
Error emitUpsample(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  MPC_TRY_ASSIGN(Sampling sampling, readSampling(node));
  sampling.coordinates = "asymmetric";
  sampling.rounding = "floor";
  return resizeBy(node, sampling, 1);
}

constexpr StringRef kAttributes13 =
    "coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i "
    "extrapolation_value:f mode:s nearest_mode:s";
constexpr StringRef kAttributes18 =
    "antialias:i axes:is coordinate_transformation_mode:s cubic_coeff_a:f "
    "exclude_outside:i extrapolation_value:f keep_aspect_ratio_policy:s "
    "mode:s nearest_mode:s";

} // namespace

ArrayRef<OpRule> resizeRules() {
  static const OpRule rules[] = {
      {"Resize", 10, 2, 2, 1, "mode:s", emitUpsample},
      {"Resize", 11, 3, 4, 1, kAttributes13, emitResize},
      {"Resize", 13, 1, 4, 1, kAttributes13, emitResize},
      {"Resize", 18, 1, 4, 1, kAttributes18, emitResize},
      {"Upsample", 7, 1, 1, 1, "mode:s scales:fs", emitUpsample, "", false,
       "scales!"},
      {"Upsample", 9, 2, 2, 1, "mode:s", emitUpsample},
  };
  return rules;
}

} // namespace mpc::onnx
