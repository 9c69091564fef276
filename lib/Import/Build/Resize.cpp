// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the source of each place of the output, and the weights.
#include "lib/Import/Build/Resize.h"

#include "lib/Import/ImportError.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>

using namespace llvm;

namespace mpc::build {

/// The position in the input that corresponds to place `x` of the output.
static double sourceOf(const AxisResize &axis, int64_t x, StringRef mode) {
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
  // Centres the output, because its size was rounded.
  double centre = static_cast<double>(axis.from) / 2;
  return centre * (1 - static_cast<double>(axis.to) / axis.extent) + source;
}

static int64_t roundSource(double source, StringRef mode) {
  if (mode == "floor")
    return static_cast<int64_t>(std::floor(source));
  if (mode == "ceil")
    return static_cast<int64_t>(std::ceil(source));
  if (mode == "round_prefer_ceil")
    return static_cast<int64_t>(std::floor(source + 0.5));
  return static_cast<int64_t>(std::ceil(source - 0.5));
}

static Operand resizeNearest(TensorBuilder &b, const Operand &input,
                             int64_t axis, const AxisResize &resize,
                             const Sampling &sampling) {
  SmallVector<int64_t> sources;
  for (int64_t x = 0; x < resize.to; ++x)
    sources.push_back(std::clamp<int64_t>(
        roundSource(sourceOf(resize, x, sampling.coordinates),
                    sampling.rounding),
        0, resize.from - 1));
  return b.gather(input, b.ints(sources), axis);
}

/// The weight of an element at `distance`: a triangle, or Keys' cubic (1981).
static double kernelAt(double distance, const Sampling &sampling) {
  double x = std::abs(distance), a = sampling.cubicA;
  if (sampling.mode == "linear")
    return std::max(0.0, 1 - x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0.0;
}

/// Adds the weights of one place of the output to a column of `weights`.
static void addWeights(MutableArrayRef<double> weights, int64_t x,
                       const AxisResize &resize, const Sampling &sampling) {
  double source = sourceOf(resize, x, sampling.coordinates);
  double shrink = sampling.isAntialiased ? std::min(resize.scale, 1.0) : 1.0;
  double support = sampling.mode == "linear" ? 1.0 : 2.0;
  // The element at or before the source has a distance in (0, 1].
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

static Expected<Operand> interpolate(TensorBuilder &b, const Operand &input,
                                     int64_t axis, const AxisResize &resize,
                                     const Sampling &sampling) {
  std::vector<double> numbers(resize.from * resize.to, 0.0);
  for (int64_t x = 0; x < resize.to; ++x)
    addWeights(numbers, x, resize, sampling);
  MPC_TRY_ASSIGN(
      Operand weights,
      b.fromValues<double>(b.f64(), {resize.from, resize.to}, numbers));
  // Moves the axis to the end, so that the product is a plain matrix product.
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

/// Replaces places whose source lies outside of the input by the extrapolation
/// value.
static Expected<Operand> extrapolate(TensorBuilder &b, const Operand &output,
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
  MPC_TRY_ASSIGN(Operand mask,
                 b.fromValues<char>(b.i1(), {resize.to}, outside));
  return b.select(b.broadcast(mask, output.shape, {axis}),
                  b.splatLike(output, sampling.extrapolation), output);
}

Expected<Operand> resizedAxis(TensorBuilder &b, const Operand &input,
                              int64_t axis, const AxisResize &resize,
                              const Sampling &sampling) {
  Operand result;
  if (sampling.mode == "nearest") {
    result = resizeNearest(b, input, axis, resize, sampling);
  } else {
    MPC_TRY_ASSIGN(result, interpolate(b, input, axis, resize, sampling));
  }
  return sampling.isCrop() ? extrapolate(b, result, axis, resize, sampling)
                           : std::move(result);
}

} // namespace mpc::build
