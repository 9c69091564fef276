// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's Resize. Each axis is resampled on its own: nearest neighbours are a
/// gather, linear interpolation is a product with a matrix of weights.
#include "lib/Import/ONNX/NodeImporter.h"

#include "lib/Import/ONNX/ImportError.h"
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
};

Expected<SmallVector<double>> readScales(NodeImporter &node) {
  const Operand &scales = node.in(2);
  if (!scales.known || scales.rank() != 1)
    return node.fail("the scales must be a known vector");
  SmallVector<double> result;
  for (int64_t i = 0, e = scales.known.getNumElements(); i < e; ++i)
    result.push_back(nn::realAt(scales.known, i));
  return result;
}

/// Sizes and scales of all axes.
Expected<SmallVector<AxisResize>> readAxes(NodeImporter &node) {
  const Operand &input = node.in(0);
  auto axes = to_vector(seq<int64_t>(0, input.rank()));
  if (auto given = node.intsAttr("axes")) {
    MPC_TRY_ASSIGN(axes, node.axes(*given, input.rank()));
  }
  if (node.stringAttr("keep_aspect_ratio_policy", "stretch") != "stretch")
    return node.fail("attribute 'keep_aspect_ratio_policy' must be stretch");
  SmallVector<AxisResize> result;
  for (int64_t size : input.shape)
    result.push_back({size, size, 1.0});
  bool bySize = node.has(3);
  SmallVector<double> scales;
  SmallVector<int64_t> sizes;
  if (bySize) {
    MPC_TRY_ASSIGN(sizes, node.ints(3, "the sizes"));
  } else if (node.has(2)) {
    MPC_TRY_ASSIGN(scales, readScales(node));
  } else {
    return node.fail("has neither scales nor sizes");
  }
  if ((bySize ? sizes.size() : scales.size()) != axes.size())
    return node.fail("has " + Twine(bySize ? sizes.size() : scales.size()) +
                     " sizes or scales for " + Twine(axes.size()) + " axes");
  for (auto [index, axis] : enumerate(axes)) {
    AxisResize &resize = result[axis];
    double size = static_cast<double>(resize.from);
    resize.scale =
        bySize ? static_cast<double>(sizes[index]) / size : scales[index];
    double to = bySize ? static_cast<double>(sizes[index])
                       : std::floor(size * scales[index]);
    if (!(to >= 1 && to <= 65536) || resize.from < 1)
      return node.fail("axis " + Twine(axis) + " of " + shapeText(input.shape) +
                       " is resized to " + std::to_string(to));
    resize.to = static_cast<int64_t>(to);
  }
  return result;
}

/// The place in the input that place `x` of the output comes from.
double sourceOf(const AxisResize &axis, int64_t x, StringRef mode) {
  double place = static_cast<double>(x);
  if (mode == "asymmetric")
    return place / axis.scale;
  // The size before it was rounded, as ONNX's definition has it.
  double exact = axis.scale * static_cast<double>(axis.from);
  if (mode == "align_corners")
    return exact == 1.0
               ? 0.0
               : place * static_cast<double>(axis.from - 1) / (exact - 1.0);
  if (mode == "pytorch_half_pixel" && axis.to == 1)
    return 0.0;
  double source = (place + 0.5) / axis.scale - 0.5;
  if (mode != "half_pixel_symmetric")
    return source;
  // Centres the output where its size was rounded.
  double centre = static_cast<double>(axis.from) / 2;
  return centre * (1 - static_cast<double>(axis.to) / exact) + source;
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
                      const AxisResize &resize, StringRef mode) {
  StringRef rounding = node.stringAttr("nearest_mode", "round_prefer_floor");
  SmallVector<int64_t> sources;
  for (int64_t x = 0; x < resize.to; ++x)
    sources.push_back(std::clamp<int64_t>(
        roundSource(sourceOf(resize, x, mode), rounding), 0, resize.from - 1));
  return node.build.gather(input, node.build.ints(sources), axis);
}

/// The weights of linear interpolation, [from, to], in f64.
Expected<Operand> linearWeights(NodeImporter &node, const AxisResize &resize,
                                StringRef mode) {
  std::vector<double> weights(resize.from * resize.to, 0.0);
  for (int64_t x = 0; x < resize.to; ++x) {
    double source = sourceOf(resize, x, mode);
    double low = std::floor(source);
    for (int64_t step : {0, 1}) {
      int64_t at = std::clamp<int64_t>(static_cast<int64_t>(low) + step, 0,
                                       resize.from - 1);
      weights[at * resize.to + x] +=
          step == 0 ? 1 - (source - low) : source - low;
    }
  }
  return node.constant<double>(ElemType::Double, {resize.from, resize.to},
                               weights);
}

Expected<Operand> resizeLinear(NodeImporter &node, const Operand &input,
                               int64_t axis, const AxisResize &resize,
                               StringRef mode) {
  TensorBuilder &b = node.build;
  // The axis goes last, there to be the sum of a plain matrix product.
  auto order = to_vector(seq<int64_t>(0, input.rank()));
  std::swap(order[axis], order.back());
  Operand last = b.transpose(input, order);
  int64_t rows = *countElements(input.shape) / resize.from;
  MPC_TRY_ASSIGN(Operand weights, linearWeights(node, resize, mode));
  Operand product = b.matmul(b.reshape(last, {rows, resize.from}),
                             b.cast(weights, input.type));
  Shape shape = last.shape;
  shape.back() = resize.to;
  return b.transpose(b.reshape(product, shape), order);
}

Error emitResize(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &input = node.in(0);
  StringRef kind = node.stringAttr("mode", "nearest");
  StringRef place =
      node.stringAttr("coordinate_transformation_mode", "half_pixel");
  if (kind != "nearest" && kind != "linear")
    return node.fail("attribute 'mode' is '" + printable(kind) +
                     "', only nearest and linear are supported");
  if (place != "half_pixel" && place != "half_pixel_symmetric" &&
      place != "pytorch_half_pixel" && place != "align_corners" &&
      place != "asymmetric")
    return node.fail("attribute 'coordinate_transformation_mode' is '" +
                     printable(place) + "', which is not supported");
  if (node.intAttr("antialias", 0) != 0 && kind == "linear")
    return node.fail("attribute 'antialias' is not supported");
  MPC_TRY_ASSIGN(auto axes, readAxes(node));
  Shape shape;
  for (const AxisResize &axis : axes)
    shape.push_back(axis.to);
  MPC_TRY(node.checkSize(shape));
  Operand result = input;
  for (auto [axis, resize] : enumerate(axes)) {
    if (resize.from == resize.to && resize.scale == 1.0)
      continue;
    if (kind == "linear" && resize.from * resize.to > (1 << 24))
      return node.fail("axis " + Twine(axis) + " of " + shapeText(input.shape) +
                       " is too large");
    if (kind == "nearest") {
      result = resizeNearest(node, result, axis, resize, place);
    } else {
      MPC_TRY_ASSIGN(result, resizeLinear(node, result, axis, resize, place));
    }
    MPC_TRY(node.checkSize(result.shape));
  }
  node.result(0, result);
  return Error::success();
}

constexpr StringRef attributes13 =
    "coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i "
    "extrapolation_value:f mode:s nearest_mode:s";
constexpr StringRef attributes18 =
    "antialias:i axes:is coordinate_transformation_mode:s cubic_coeff_a:f "
    "exclude_outside:i extrapolation_value:f keep_aspect_ratio_policy:s "
    "mode:s nearest_mode:s";

const OpRule rules[] = {
    {"Resize", 13, 1, 4, 1, attributes13, emitResize},
    {"Resize", 18, 1, 4, 1, attributes18, emitResize},
};

} // namespace

ArrayRef<OpRule> resizeRules() { return rules; }

} // namespace mpc::onnx
