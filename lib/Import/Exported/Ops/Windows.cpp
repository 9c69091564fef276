// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's pools, and what resamples images.
#include "lib/Import/Build/Windows.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/Build/PointReads.h"
#include "lib/Import/Build/Reductions.h"
#include "lib/Import/Build/Resize.h"
#include "lib/Import/Exported/Call.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::exported {

namespace {

/// A pool's operand as [batch, channels, spatial..], of `axes` spatial axes.
Expected<Operand> imageOf(Call &call, size_t axes) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  if (is_contained(x.shape, 0) ||
      (x.shape.size() != axes + 2 && x.shape.size() != axes + 1))
    return call.fail("the operand is " + shapeText(x.shape));
  if (x.shape.size() == axes + 2)
    return x;
  Shape shape{1};
  append_range(shape, x.shape);
  return call.build.reshape(x, shape);
}

/// The number of windows is the result's, to which ceil_mode has added some:
/// what they reach beyond the pads is padding too.
Expected<Window> readPool(Call &call, const Operand &x, size_t axes) {
  Window window;
  MPC_TRY_ASSIGN(window.kernel, call.perAxis("kernel_size", axes));
  window.strides = window.kernel;
  MPC_TRY_ASSIGN(SmallVector<int64_t> strides, call.integers("stride"));
  if (!strides.empty()) {
    MPC_TRY_ASSIGN(window.strides, call.perAxis("stride", axes));
  }
  MPC_TRY_ASSIGN(window.low, call.perAxis("padding", axes, 0));
  MPC_TRY_ASSIGN(window.dilations, call.perAxis("dilation", axes, 1));
  MPC_TRY_ASSIGN(Shape result, call.resultShape());
  if (result.size() < axes)
    return call.fail("the result is " + shapeText(result));
  window.output = Shape(ArrayRef(result).take_back(axes));
  for (size_t axis = 0; axis < axes; ++axis) {
    int64_t kernel = window.kernel[axis], stride = window.strides[axis];
    int64_t dilation = window.dilations[axis], low = window.low[axis];
    int64_t most = INT32_MAX, size = x.shape[axis + 2];
    if (kernel < 1 || stride < 1 || dilation < 1 || low < 0 || kernel > most ||
        stride > most || dilation > most || low > kernel / 2)
      return call.fail("a size, stride, dilation or pad is out of range");
    int64_t reach = dilation * (kernel - 1) + 1;
    int64_t count = window.output[axis];
    int64_t starts = (count - 1) * stride;
    if (count < 1 || count > size + 2 * low || starts >= size + low)
      return call.fail("the result is " + shapeText(result) +
                       ", which the windows do not give");
    window.high.push_back(std::max<int64_t>(0, starts + reach - size - low));
    window.givenHigh.push_back(low);
  }
  return window;
}

/// The maxima and, where they are asked for, their places among the spatial
/// elements.
Error emitMaxPool(Call &call, size_t axes, bool givesPlaces) {
  MPC_TRY_ASSIGN(Operand x, imageOf(call, axes));
  MPC_TRY_ASSIGN(Window window, readPool(call, x, axes));
  TensorBuilder &b = call.build;
  Shape shape{x.shape[0], x.shape[1]};
  append_range(shape, window.output);
  auto pool = nn::MaxPoolOp::create(
      b.builder(), b.location(), b.tensorType(x.type, shape),
      b.tensorType(b.i64(), shape), x.value, window.kernel, window.strides,
      window.low, window.high, window.dilations);
  MPC_TRY_ASSIGN(Shape result, call.resultShape());
  MPC_TRY_ASSIGN(Operand output,
                 call.reshaped(b.fromValue(pool.getOutput()), result));
  call.result(output);
  if (givesPlaces)
    call.result(b.reshape(b.fromValue(pool.getIndices()), result));
  return Error::success();
}

template <size_t axes>
Error emitMaxPool(Call &call) {
  return emitMaxPool(call, axes, /*givesPlaces=*/false);
}
template <size_t axes>
Error emitMaxPoolWithPlaces(Call &call) {
  return emitMaxPool(call, axes, /*givesPlaces=*/true);
}

Error emitAveragePool(Call &call, size_t axes) {
  MPC_TRY_ASSIGN(Operand x, imageOf(call, axes));
  MPC_TRY_ASSIGN(Window window, readPool(call, x, axes));
  MPC_TRY_ASSIGN(bool countsPadding, call.flag("count_include_pad", true));
  MPC_TRY_ASSIGN(int64_t divisor, call.integer("divisor_override", 0));
  MPC_TRY_ASSIGN(Shape result, call.resultShape());
  MPC_TRY_ASSIGN(
      Operand average,
      averageOver(call.build, x, window,
                  divisor == 0 ? std::nullopt : std::optional(divisor),
                  countsPadding));
  MPC_TRY_ASSIGN(average, call.reshaped(average, result));
  call.result(average);
  return Error::success();
}

template <size_t axes>
Error emitAveragePool(Call &call) {
  return emitAveragePool(call, axes);
}

/// The windows of an image of two axes, by the arguments of im2col and col2im.
Expected<Window> readSlide(Call &call, ArrayRef<int64_t> image) {
  Window window;
  MPC_TRY_ASSIGN(window.kernel, call.perAxis("kernel_size", 2));
  MPC_TRY_ASSIGN(window.dilations, call.perAxis("dilation", 2));
  MPC_TRY_ASSIGN(window.low, call.perAxis("padding", 2));
  MPC_TRY_ASSIGN(window.strides, call.perAxis("stride", 2));
  window.high = window.givenHigh = window.low;
  for (size_t axis : {0, 1}) {
    int64_t kernel = window.kernel[axis], stride = window.strides[axis];
    int64_t dilation = window.dilations[axis], low = window.low[axis];
    int64_t most = 1 << 20;
    if (kernel < 1 || stride < 1 || dilation < 1 || low < 0 || kernel > most ||
        stride > most || dilation > most || low > most)
      return call.fail("a size, stride, dilation or pad is out of range");
    int64_t room = image[axis] + 2 * low - dilation * (kernel - 1) - 1;
    if (room < 0)
      return call.fail("the window is wider than the padded image");
    window.output.push_back(room / stride + 1);
  }
  return window;
}

/// Where the elements of all windows lie in an image of `width` columns:
/// [places of a window, windows].
Expected<Operand> placesOfWindows(Call &call, const Window &window,
                                  int64_t width) {
  std::vector<int64_t> places;
  int64_t count = *countElements(window.kernel) * *countElements(window.output);
  if (count > (1 << 24))
    return call.fail("the windows have more than 2^24 elements");
  for (int64_t i : seq<int64_t>(0, window.kernel[0]))
    for (int64_t j : seq<int64_t>(0, window.kernel[1]))
      for (int64_t row : seq<int64_t>(0, window.output[0]))
        for (int64_t column : seq<int64_t>(0, window.output[1]))
          places.push_back(
              (row * window.strides[0] + i * window.dilations[0]) * width +
              column * window.strides[1] + j * window.dilations[1]);
  TensorBuilder &b = call.build;
  return b.fromValues<int64_t>(
      b.i64(), {*countElements(window.kernel), *countElements(window.output)},
      places);
}

/// im2col(): each window as a column.
Error emitWindows(Call &call) {
  MPC_TRY_ASSIGN(Operand x, imageOf(call, 2));
  MPC_TRY_ASSIGN(Window window,
                 readSlide(call, ArrayRef(x.shape).drop_front(2)));
  TensorBuilder &b = call.build;
  x = paddedBy(b, x, window);
  MPC_TRY_ASSIGN(Operand places, placesOfWindows(call, window, x.shape[3]));
  Operand flat =
      b.reshape(x, {x.shape[0], x.shape[1], x.shape[2] * x.shape[3]});
  MPC_TRY_ASSIGN(Shape result, call.resultShape());
  MPC_TRY_ASSIGN(Operand columns,
                 call.reshaped(b.gather(flat, places, 2), result));
  call.result(columns);
  return Error::success();
}

/// Element i of `wanted` is the mean from i * size / wanted, rounded down, to
/// (i + 1) * size / wanted, rounded up: a product with a matrix.
Expected<Operand> averagedAxis(Call &call, const Operand &x, int64_t axis,
                               int64_t wanted) {
  TensorBuilder &b = call.build;
  int64_t size = x.shape[axis];
  std::vector<float> weights(wanted * size, 0.0F);
  for (int64_t i : seq<int64_t>(0, wanted)) {
    int64_t first = i * size / wanted, end = divideCeil((i + 1) * size, wanted);
    for (int64_t j : seq<int64_t>(first, end))
      weights[i * size + j] = 1.0F / static_cast<float>(end - first);
  }
  MPC_TRY_ASSIGN(Operand matrix,
                 b.fromValues<float>(b.f32(), {wanted, size}, weights));
  auto order = to_vector(seq<int64_t>(0, x.rank()));
  std::swap(order[axis], order.back());
  Operand last = b.transpose(x, order);
  return b.transpose(b.linear(last, b.cast(matrix, x.type), nullptr), order);
}

Error emitAdaptiveAverage(Call &call, size_t axes) {
  MPC_TRY_ASSIGN(Operand x, imageOf(call, axes));
  MPC_TRY_ASSIGN(Shape result, call.resultShape());
  if (result.size() < axes)
    return call.fail("the result is " + shapeText(result));
  ArrayRef<int64_t> wanted = ArrayRef(result).take_back(axes);
  TensorBuilder &b = call.build;
  if (all_of(wanted, [](int64_t size) { return size == 1; })) {
    MPC_TRY_ASSIGN(
        Operand mean,
        call.reshaped(b.reduceMean(x, to_vector(seq<int64_t>(2, x.rank()))),
                      result));
    call.result(mean);
    return Error::success();
  }
  for (auto [index, size] : enumerate(wanted)) {
    if (size < 1 || size > (1 << 16) || x.shape[index + 2] > (1 << 16))
      return call.fail("the result is " + shapeText(result));
    if (size != x.shape[index + 2]) {
      MPC_TRY_ASSIGN(x, averagedAxis(call, x, index + 2, size));
    }
  }
  MPC_TRY_ASSIGN(x, call.reshaped(x, result));
  call.result(x);
  return Error::success();
}

template <size_t axes>
Error emitAdaptiveAverage(Call &call) {
  return emitAdaptiveAverage(call, axes);
}

//===----------------------------------------------------------------------===//
// Adaptive maxima
//===----------------------------------------------------------------------===//

/// The elements of one axis that each of its windows has, from
/// i * size / wanted, rounded down, to (i + 1) * size / wanted, rounded up. A
/// shorter window has its last element again.
SmallVector<SmallVector<int64_t>> adaptiveWindows(int64_t size,
                                                  int64_t wanted) {
  SmallVector<SmallVector<int64_t>> windows(wanted);
  size_t most = 0;
  for (int64_t i : seq<int64_t>(0, wanted)) {
    append_range(windows[i], seq<int64_t>(i * size / wanted,
                                          divideCeil((i + 1) * size, wanted)));
    most = std::max(most, windows[i].size());
  }
  for (SmallVector<int64_t> &window : windows)
    window.resize(most, window.back());
  return windows;
}

/// Where the elements of all windows lie in an image: [windows, places of a
/// window].
Expected<Operand> placesOfAdaptiveWindows(Call &call, ArrayRef<int64_t> spatial,
                                          ArrayRef<int64_t> wanted) {
  using Places = std::vector<std::vector<int64_t>>;
  Places all{{0}};
  for (auto [size, count] : zip_equal(spatial, wanted)) {
    auto windows = adaptiveWindows(size, count);
    if (all.size() * all[0].size() * count * windows[0].size() > (1 << 24))
      return call.fail("the windows have more than 2^24 elements");
    Places next;
    for (const std::vector<int64_t> &outer : all)
      for (ArrayRef<int64_t> window : windows) {
        std::vector<int64_t> &places = next.emplace_back();
        for (int64_t begin : outer)
          for (int64_t place : window)
            places.push_back(begin * size + place);
      }
    all = std::move(next);
  }
  std::vector<int64_t> flat;
  for (const std::vector<int64_t> &places : all)
    append_range(flat, places);
  TensorBuilder &b = call.build;
  return b.fromValues<int64_t>(
      b.i64(), {int64_t(all.size()), int64_t(all[0].size())}, flat);
}

/// Windows of one size, which do not overlap.
Operand maximaOfEqualWindows(TensorBuilder &b, const Operand &x,
                             ArrayRef<int64_t> wanted) {
  Shape shape{x.shape[0], x.shape[1]}, kernel;
  append_range(shape, wanted);
  for (auto [size, count] : zip_equal(ArrayRef(x.shape).drop_front(2), wanted))
    kernel.push_back(size / count);
  Shape none(wanted.size(), 0), one(wanted.size(), 1);
  auto pool = nn::MaxPoolOp::create(
      b.builder(), b.location(), b.tensorType(x.type, shape),
      b.tensorType(b.i64(), shape), x.value, kernel, kernel, none, none, one);
  return b.fromValue(pool.getOutput());
}

/// Of equal elements the first one has the gradient. Their places are not
/// given.
Error emitAdaptiveMax(Call &call, size_t axes) {
  MPC_TRY_ASSIGN(Operand x, imageOf(call, axes));
  MPC_TRY_ASSIGN(Shape result, call.resultShape());
  if (result.size() < axes || is_contained(result, 0))
    return call.fail("the result is " + shapeText(result));
  ArrayRef<int64_t> wanted = ArrayRef(result).take_back(axes);
  ArrayRef<int64_t> spatial = ArrayRef(x.shape).drop_front(2);
  TensorBuilder &b = call.build;
  Operand maxima;
  if (all_of(zip_equal(spatial, wanted), [](auto axis) {
        return std::get<0>(axis) % std::get<1>(axis) == 0;
      })) {
    maxima = maximaOfEqualWindows(b, x, wanted);
  } else {
    MPC_TRY_ASSIGN(Operand places,
                   placesOfAdaptiveWindows(call, spatial, wanted));
    Operand flat =
        b.reshape(x, {x.shape[0], x.shape[1], *countElements(spatial)});
    maxima = firstMaximum(b, b.gather(flat, places, 2), 3);
  }
  MPC_TRY_ASSIGN(maxima, call.reshaped(maxima, result));
  call.result(maxima);
  call.result({});
  return Error::success();
}

template <size_t axes>
Error emitAdaptiveMax(Call &call) {
  return emitAdaptiveMax(call, axes);
}

//===----------------------------------------------------------------------===//
// Resampling
//===----------------------------------------------------------------------===//

/// What a user gave as scale factors, one for each axis; or nothing.
Expected<SmallVector<double>> scaleFactors(Call &call, size_t axes) {
  SmallVector<double> factors;
  for (const NamedArgument &argument : call.node().inputs)
    if (argument.name == "scale_factors" &&
        argument.value.kind == Argument::Kind::Floats)
      factors.assign(argument.value.floats.begin(),
                     argument.value.floats.end());
  if (!factors.empty() && factors.size() != axes)
    return call.fail("there are " + Twine(factors.size()) +
                     " scale factors for " + Twine(axes) + " axes");
  return factors;
}

Error resize(Call &call, size_t axes, StringRef mode) {
  MPC_TRY_ASSIGN(Operand x, call.real("input"));
  MPC_TRY_ASSIGN(Shape result, call.resultShape());
  MPC_TRY_ASSIGN(bool alignsCorners, call.flag("align_corners", false));
  MPC_TRY_ASSIGN(SmallVector<double> factors, scaleFactors(call, axes));
  if (x.rank() != int64_t(axes) + 2 || result.size() != axes + 2 ||
      is_contained(x.shape, 0) || is_contained(result, 0))
    return call.fail("the operand is " + shapeText(x.shape) + ", the result " +
                     shapeText(result));
  Sampling sampling{mode,
                    mode == "nearest" ? "asymmetric"
                    : alignsCorners   ? "align_corners"
                                      : "pytorch_half_pixel",
                    "floor",
                    -0.75,
                    0.0,
                    false,
                    false};
  for (int64_t axis : seq<int64_t>(2, x.rank())) {
    int64_t from = x.shape[axis], to = result[axis];
    double scale = factors.empty() || !(factors[axis - 2] > 0.0)
                       ? double(to) / double(from)
                       : factors[axis - 2];
    AxisResize how{from, to, scale, static_cast<double>(to)};
    MPC_TRY_ASSIGN(x, resizedAxis(call.build, x, axis, how, sampling));
  }
  call.result(x);
  return Error::success();
}

/// Where the points of a grid lie along an axis of an image, in elements. A
/// point has one number an axis, the last axis first: -1 and 1 are the ends of
/// the axis.
Operand placesAlong(TensorBuilder &b, const Operand &grid, int64_t column,
                    int64_t size, bool alignsCorners) {
  Operand x = b.reshape(b.sliceAxis(grid, 2, column, column + 1),
                        {grid.shape[0], grid.shape[1]});
  x = b.binary(Binary::Add, x, 1.0);
  auto extent = static_cast<double>(size);
  if (alignsCorners)
    return b.binary(Binary::Mul, x, (extent - 1.0) / 2.0);
  return b.binary(Binary::Mul,
                  b.binary(Binary::Sub, b.binary(Binary::Mul, x, extent), 1.0),
                  0.5);
}

/// By torch's numbers.
Expected<Interpolation> readInterpolation(Call &call) {
  constexpr StringLiteral kModes[] = {"linear", "nearest", "cubic"};
  constexpr StringLiteral kPaddings[] = {"zeros", "border", "reflection"};
  MPC_TRY_ASSIGN(int64_t mode, call.integer("interpolation_mode"));
  MPC_TRY_ASSIGN(int64_t padding, call.integer("padding_mode"));
  MPC_TRY_ASSIGN(bool alignsCorners, call.flag("align_corners", false));
  if (mode < 0 || mode > 2 || padding < 0 || padding > 2)
    return call.fail("the mode is " + Twine(mode) + ", the padding " +
                     Twine(padding));
  return Interpolation{kModes[mode], kPaddings[padding], alignsCorners};
}

/// An image read at the points of a grid.
Error emitGridSampler(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("input"));
  MPC_TRY_ASSIGN(Operand at, call.real("grid"));
  MPC_TRY_ASSIGN(Interpolation how, readInterpolation(call));
  int64_t axes = x.rank() - 2;
  if (axes < 1 || at.rank() != x.rank() || at.shape[0] != x.shape[0] ||
      at.shape.back() != axes || is_contained(x.shape, 0))
    return call.fail("the image is " + shapeText(x.shape) + ", the grid " +
                     shapeText(at.shape));
  TensorBuilder &b = call.build;
  Shape spatial(ArrayRef(x.shape).drop_front(2));
  int64_t batch = x.shape[0], elements = *countElements(spatial);
  int64_t points = *countElements(at.shape) / (batch * axes);
  Operand grid = b.reshape(b.wide(at), {batch, points, axes});
  Operand image = b.transpose(
      b.reshape(b.wide(x), {batch, x.shape[1], elements}), {0, 2, 1});
  SmallVector<Operand> places;
  for (int64_t axis : seq<int64_t>(0, axes))
    places.push_back(placesAlong(b, grid, axes - 1 - axis, spatial[axis],
                                 how.alignsCorners));
  MPC_TRY_ASSIGN(Operand read, readAtPoints(b, image, spatial, places, how));
  Shape shape{batch, x.shape[1]};
  append_range(shape, ArrayRef(at.shape).drop_front().drop_back());
  call.result(b.cast(b.reshape(b.transpose(read, {0, 2, 1}), shape), x.type));
  return Error::success();
}

Error emitNearest3(Call &call) { return resize(call, 3, "nearest"); }
Error emitLinear3(Call &call) { return resize(call, 3, "linear"); }
Error emitCubic2(Call &call) { return resize(call, 2, "cubic"); }
Error emitNearest1(Call &call) { return resize(call, 1, "nearest"); }
Error emitNearest2(Call &call) { return resize(call, 2, "nearest"); }
Error emitLinear1(Call &call) { return resize(call, 1, "linear"); }
Error emitLinear2(Call &call) { return resize(call, 2, "linear"); }

} // namespace

ArrayRef<OpRow> windowRows() {
  static const OpRow rows[] = {
      {"_adaptive_avg_pool2d.default", emitAdaptiveAverage<2>},
      {"_adaptive_avg_pool3d.default", emitAdaptiveAverage<3>},
      {"adaptive_avg_pool1d.default", emitAdaptiveAverage<1>},
      {"adaptive_avg_pool2d.default", emitAdaptiveAverage<2>},
      {"adaptive_avg_pool3d.default", emitAdaptiveAverage<3>},
      {"adaptive_max_pool1d.default", emitAdaptiveMax<1>},
      {"adaptive_max_pool2d.default", emitAdaptiveMax<2>},
      {"adaptive_max_pool3d.default", emitAdaptiveMax<3>},
      {"avg_pool1d.default", emitAveragePool<1>},
      {"avg_pool2d.default", emitAveragePool<2>},
      {"avg_pool3d.default", emitAveragePool<3>},
      {"grid_sampler.default", emitGridSampler},
      {"grid_sampler_2d.default", emitGridSampler},
      {"im2col.default", emitWindows},
      {"max_pool1d.default", emitMaxPool<1>},
      {"max_pool1d_with_indices.default", emitMaxPoolWithPlaces<1>},
      {"max_pool2d.default", emitMaxPool<2>},
      {"max_pool2d_with_indices.default", emitMaxPoolWithPlaces<2>},
      {"max_pool3d.default", emitMaxPool<3>},
      {"max_pool3d_with_indices.default", emitMaxPoolWithPlaces<3>},
      {"upsample_bicubic2d.vec", emitCubic2},
      {"upsample_bilinear2d.vec", emitLinear2},
      {"upsample_linear1d.vec", emitLinear1},
      {"upsample_nearest1d.vec", emitNearest1},
      {"upsample_nearest2d.vec", emitNearest2},
      {"upsample_nearest3d.vec", emitNearest3},
      {"upsample_trilinear3d.vec", emitLinear3},
  };
  return rows;
}

} // namespace mpc::exported
