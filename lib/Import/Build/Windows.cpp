// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over windows as sums of strided slices.
#include "lib/Import/Build/Windows.h"

#include "dialects/NN/Constants.h"
#include "dialects/NN/NNDialect.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::build {

Window slidingWindow(ArrayRef<int64_t> input, ArrayRef<int64_t> kernel) {
  Window window;
  window.kernel.assign(kernel.begin(), kernel.end());
  size_t axes = input.size();
  window.strides.assign(axes, 1);
  window.dilations.assign(axes, 1);
  for (auto *pads : {&window.low, &window.high, &window.givenHigh})
    pads->assign(axes, 0);
  for (auto [size, extent] : zip_equal(input, kernel))
    window.output.push_back(size - extent + 1);
  return window;
}

Operand paddedBy(TensorBuilder &b, const Operand &x, const Window &window) {
  SmallVector<int64_t> low{0, 0}, high{0, 0};
  append_range(low, window.low);
  append_range(high, window.high);
  return b.pad(x, low, high, SmallVector<int64_t>(low.size(), 0), 0.0);
}

Operand sumOverWindows(TensorBuilder &b, const Operand &padded,
                       const Window &window) {
  size_t axes = window.kernel.size();
  SmallVector<int64_t> place(axes, 0);
  std::optional<Operand> sum;
  for (;;) {
    SmallVector<int64_t> starts{0, 0}, strides{1, 1};
    SmallVector<int64_t> limits{padded.shape[0], padded.shape[1]};
    for (size_t i = 0; i < axes; ++i) {
      int64_t start = place[i] * window.dilations[i];
      starts.push_back(start);
      strides.push_back(window.strides[i]);
      limits.push_back(start + (window.output[i] - 1) * window.strides[i] + 1);
    }
    Operand part = b.slice(padded, starts, limits, strides);
    sum = sum ? b.binary(Binary::Add, *sum, part) : part;
    size_t axis = axes;
    while (axis > 0 && ++place[axis - 1] == window.kernel[axis - 1])
      place[--axis] = 0;
    if (axis == 0)
      return *sum;
  }
}

std::optional<Operand> averageTiles(TensorBuilder &b, const Operand &input,
                                    const Window &window) {
  Shape split{input.shape[0], input.shape[1]};
  SmallVector<int64_t> axes;
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    bool tiles = window.strides[i] == window.kernel[i] &&
                 window.dilations[i] == 1 && window.low[i] == 0 &&
                 window.high[i] == 0 &&
                 window.output[i] * window.kernel[i] == input.shape[2 + i];
    if (!tiles)
      return std::nullopt;
    split.push_back(window.output[i]);
    split.push_back(window.kernel[i]);
    axes.push_back(static_cast<int64_t>(3 + 2 * i));
  }
  return b.reduceMean(b.reshape(input, split), axes);
}

Expected<Operand> windowCounts(TensorBuilder &b, const Window &window,
                               ArrayRef<int64_t> input, bool countPadding) {
  Shape shape{1, 1};
  append_range(shape, window.output);
  std::optional<int64_t> count = countElements(shape);
  if (!count || *count > (1 << 22))
    return invalidModel("the pool's output is too large for its pads");
  SmallVector<int64_t> place(window.output.size(), 0);
  std::vector<double> counts;
  for (int64_t at = 0; at < *count; ++at) {
    double covered = 1;
    for (size_t i = 0; i < place.size(); ++i) {
      int64_t first = place[i] * window.strides[i] - window.low[i];
      int64_t from = countPadding ? -window.low[i] : 0;
      int64_t to = input[i] + (countPadding ? window.givenHigh[i] : 0);
      int64_t inside = 0;
      for (int64_t k = 0; k < window.kernel[i]; ++k) {
        int64_t index = first + k * window.dilations[i];
        inside += index >= from && index < to;
      }
      covered *= static_cast<double>(inside);
    }
    counts.push_back(covered);
    for (size_t i = place.size(); i-- > 0;) {
      if (++place[i] < window.output[i])
        break;
      place[i] = 0;
    }
  }
  return b.fromValues<double>(b.f64(), shape, counts);
}

Operand addWindows(TensorBuilder &b, const Operand &columns,
                   ArrayRef<int64_t> image, const Window &window) {
  int64_t batch = columns.shape[0];
  int64_t places = *countElements(window.kernel);
  int64_t channels = columns.shape[1] / places;
  Operand split =
      b.reshape(columns, {batch, channels, places, columns.shape[2]});
  Shape grid{batch, channels};
  append_range(grid, window.output);
  std::optional<Operand> sum;
  for (int64_t place = 0; place < places; ++place) {
    SmallVector<int64_t> low(grid.size(), 0), high = low, interior = low;
    int64_t rest = place;
    for (size_t i = image.size(); i-- > 0; rest /= window.kernel[i]) {
      int64_t span = (window.output[i] - 1) * window.strides[i] + 1;
      low[2 + i] =
          rest % window.kernel[i] * window.dilations[i] - window.low[i];
      high[2 + i] = image[i] - span - low[2 + i];
      interior[2 + i] = window.strides[i] - 1;
    }
    Operand part = b.reshape(b.sliceAxis(split, 2, place, place + 1), grid);
    part = b.pad(part, low, high, interior, 0.0);
    sum = sum ? b.binary(Binary::Add, *sum, part) : part;
  }
  return *sum;
}

Operand placesInTensor(TensorBuilder &b, Operand places,
                       ArrayRef<int64_t> input, bool byColumns) {
  ArrayRef<int64_t> spatial = input.drop_front(2);
  SmallVector<int64_t> strides = nn::denseStrides(input);
  auto scaled = [&](const Operand &x, int64_t factor) {
    return b.binary(Binary::Mul, x, static_cast<double>(factor));
  };
  Operand result =
      b.binary(Binary::Add, scaled(b.coordinates(places.shape, 0), strides[0]),
               scaled(b.coordinates(places.shape, 1), strides[1]));
  if (!byColumns)
    return b.binary(Binary::Add, result, places);
  int64_t stride = countElements(spatial).value_or(0);
  for (int64_t size : reverse(spatial)) {
    stride /= size;
    Operand outer = b.binary(Binary::Div, places, static_cast<double>(size));
    Operand at = b.binary(Binary::Sub, places, scaled(outer, size));
    result = b.binary(Binary::Add, result, scaled(at, stride));
    places = outer;
  }
  return result;
}

Operand buildConv(TensorBuilder &b, const Operand &input, const Operand &weight,
                  const Operand *bias, const Window &window, int64_t groups) {
  Shape shape{input.shape[0], weight.shape[0]};
  append_range(shape, window.output);
  mlir::Value in = input.value, w = weight.value;
  return b.fromValue(nn::ConvOp::create(
      b.builder(), b.location(), b.tensorType(input.type, shape), in, w,
      bias ? bias->value : mlir::Value(), window.strides, window.low,
      window.high, window.dilations, static_cast<uint64_t>(groups)));
}

Operand transposedWeight(TensorBuilder &b, const Operand &weight,
                         int64_t groups) {
  ArrayRef<int64_t> kernel = ArrayRef(weight.shape).drop_front(2);
  int64_t in = weight.shape[0] / groups, out = weight.shape[1];
  Shape split{groups, in, out}, joined{groups * out, in};
  append_range(split, kernel);
  append_range(joined, kernel);
  SmallVector<int64_t> swap{0, 2, 1}, spatial;
  for (size_t i = 0; i < kernel.size(); ++i) {
    swap.push_back(static_cast<int64_t>(3 + i));
    spatial.push_back(static_cast<int64_t>(2 + i));
  }
  Operand swapped = b.transpose(b.reshape(weight, split), swap);
  return b.reverse(b.reshape(swapped, joined), spatial);
}

Error checkPlaces(const Window &window) {
  int64_t places = countElements(window.kernel).value_or(INT64_MAX);
  if (places <= 1024)
    return Error::success();
  return invalidModel("overlapping windows of " + Twine(places) +
                      " elements are not supported (at most 1024)");
}

/// The divisor of each window's sum: the number of its elements, or a chosen
/// number.
static Expected<Operand> windowDivisors(TensorBuilder &b, const Operand &input,
                                        const Window &window,
                                        std::optional<int64_t> chosen,
                                        bool countPadding) {
  if (chosen)
    return b.splat(b.f32(), {}, static_cast<double>(*chosen));
  return windowCounts(b, window, ArrayRef(input.shape).drop_front(2),
                      countPadding);
}

Expected<Operand> averageOver(TensorBuilder &b, const Operand &input,
                              const Window &window,
                              std::optional<int64_t> divisor,
                              bool countPadding) {
  if (!divisor)
    if (std::optional<Operand> tiles = averageTiles(b, input, window))
      return *tiles;
  MPC_TRY(checkPlaces(window));
  MPC_TRY_ASSIGN(Operand counts,
                 windowDivisors(b, input, window, divisor, countPadding));
  Operand sum = sumOverWindows(b, paddedBy(b, b.wide(input), window), window);
  counts = b.broadcastTo(b.cast(counts, sum.type), sum.shape);
  return b.cast(b.binary(Binary::Div, sum, counts), input.type);
}

} // namespace mpc::build
