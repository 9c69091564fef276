// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of tensors with zeros between their elements, by phases.
#include "dialects/NN/Ops/SpreadConvolution.h"

#include <numeric>

using namespace mlir;
using namespace mpc::nn;

namespace {

/// The outputs along one spatial axis whose index is one number modulo the
/// stride. Output q of them is the sum over its taps t of
/// input[q + shift + spacing t] times tap t.
struct Phase {
  Taps taps;
  int64_t shift = 0, spacing = 1;
  int64_t extent = 0; ///< The number of q.
};

class PhaseBuilder {
public:
  PhaseBuilder(GradientBuilder &g, const SpreadConvolution &spread,
               function_ref<Value(ArrayRef<Taps>)> weightOf)
      : g_(g), spread_(spread), weightOf_(weightOf) {}

  Value build();

private:
  Phase getPhase(int64_t axis, int64_t number) const;
  Value convolve(ArrayRef<Phase> phases);
  Value buildUntouched(ArrayRef<int64_t> shape);
  Value place(Value part, ArrayRef<int64_t> numbers);
  Value interleave(MutableArrayRef<Value> parts);

  GradientBuilder &g_;
  const SpreadConvolution &spread_;
  function_ref<Value(ArrayRef<Taps>)> weightOf_;
};

} // namespace

/// Tap u of output s q + number is at number + dilation u - low, relative to
/// element q of the input; s divides that for the taps of the phase.
Phase PhaseBuilder::getPhase(int64_t axis, int64_t number) const {
  int64_t stride = spread_.strides[axis], dilation = spread_.dilations[axis];
  int64_t kernel = spread_.kernel[axis], common = std::gcd(stride, dilation);
  Phase phase;
  phase.taps.step = stride / common;
  phase.spacing = dilation / common;
  phase.extent = llvm::divideCeil(spread_.output[axis], stride);
  int64_t place = number - spread_.low[axis];
  int64_t &start = phase.taps.start;
  while (start < phase.taps.step && (place + start * dilation) % stride != 0)
    ++start;
  if (start == phase.taps.step || start >= kernel)
    return phase;
  phase.taps.count = llvm::divideCeil(kernel - start, phase.taps.step);
  phase.shift = (place + start * dilation) / stride;
  return phase;
}

/// The outputs of one phase: the input, padded or cut, convolved with the taps
/// that read it.
Value PhaseBuilder::convolve(ArrayRef<Phase> phases) {
  SmallVector<int64_t> low{0, 0}, high{0, 0}, dilations;
  SmallVector<int64_t> zeros(phases.size(), 0), ones(phases.size(), 1);
  SmallVector<Taps> taps;
  for (auto [axis, phase] : llvm::enumerate(phases)) {
    int64_t halo = (phase.taps.count - 1) * phase.spacing;
    low.push_back(-phase.shift);
    high.push_back(phase.extent + halo + phase.shift -
                   shapeOf(spread_.input)[axis + 2]);
    dilations.push_back(phase.spacing);
    taps.push_back(phase.taps);
  }
  SmallVector<int64_t> interior(low.size(), 0);
  Value padded = PadOp::create(g_.b, g_.loc, spread_.input, low, high, interior,
                               llvm::APFloat(0.0));
  return ConvOp::create(g_.b, g_.loc, padded, weightOf_(taps), spread_.bias,
                        ones, zeros, zeros, dilations, spread_.groups);
}

/// The outputs of a phase that no tap reaches.
Value PhaseBuilder::buildUntouched(ArrayRef<int64_t> shape) {
  if (spread_.bias)
    return g_.broadcast(spread_.bias, {1}, shape);
  return g_.splat(rankedType(spread_.input).clone(shape), 0.0);
}

/// All outputs where only one phase, that of `numbers`, is not zero.
Value PhaseBuilder::place(Value part, ArrayRef<int64_t> numbers) {
  SmallVector<int64_t> low{0, 0}, high{0, 0}, interior{0, 0};
  for (auto [axis, number] : llvm::enumerate(numbers)) {
    int64_t stride = spread_.strides[axis];
    int64_t reach = (shapeOf(part)[axis + 2] - 1) * stride + 1;
    low.push_back(number);
    high.push_back(spread_.output[axis] - number - reach);
    interior.push_back(stride - 1);
  }
  return PadOp::create(g_.b, g_.loc, part, low, high, interior,
                       llvm::APFloat(0.0));
}

/// Interleaves the outputs of all phases, the last axis' phase innermost. A
/// phase that no tap reaches is null.
Value PhaseBuilder::interleave(MutableArrayRef<Value> parts) {
  Value some = *llvm::find_if(parts, [](Value part) { return bool(part); });
  SmallVector<int64_t> own(shapeOf(some)), split(spread_.strides), permutation;
  SmallVector<int64_t> part{1};
  llvm::append_range(part, own);
  llvm::append_range(split, own);
  int64_t spatial = spread_.strides.size();
  permutation.append({spatial, spatial + 1});
  SmallVector<int64_t> whole{own[0], own[1]}, output(whole);
  for (int64_t axis = 0; axis < spatial; ++axis) {
    permutation.append({spatial + 2 + axis, axis});
    whole.push_back(part[axis + 3] * spread_.strides[axis]);
    output.push_back(spread_.output[axis]);
  }
  for (Value &value : parts)
    value = g_.reshape(value ? value : buildUntouched(own), part);
  Value joined = ConcatOp::create(g_.b, g_.loc, parts, 0);
  joined =
      TransposeOp::create(g_.b, g_.loc, g_.reshape(joined, split), permutation);
  joined = g_.reshape(joined, whole);
  if (whole == output)
    return joined;
  SmallVector<int64_t> zeros(whole.size(), 0), ones(whole.size(), 1);
  return SliceOp::create(g_.b, g_.loc, joined, zeros, output, ones);
}

Value PhaseBuilder::build() {
  SmallVector<Value> parts;
  SmallVector<int64_t> reached;
  int64_t count = llvm::product_of(spread_.strides);
  for (int64_t number = 0; number < count; ++number) {
    SmallVector<int64_t> numbers;
    for (int64_t rest = number;
         int64_t stride : llvm::reverse(spread_.strides)) {
      numbers.insert(numbers.begin(), rest % stride);
      rest /= stride;
    }
    SmallVector<Phase> phases;
    for (auto [axis, place] : llvm::enumerate(numbers))
      phases.push_back(getPhase(axis, place));
    bool hasTaps = llvm::all_of(
        phases, [](const Phase &phase) { return phase.taps.count > 0; });
    parts.push_back(hasTaps ? convolve(phases) : Value());
    if (hasTaps)
      reached = numbers;
  }
  if (count == 1)
    return parts.front();
  if (!spread_.bias &&
      llvm::count_if(parts, [](Value part) { return bool(part); }) == 1)
    return place(*llvm::find_if(parts, [](Value p) { return bool(p); }),
                 reached);
  return interleave(parts);
}

Value SpreadConvolution::build(
    GradientBuilder &g, function_ref<Value(ArrayRef<Taps>)> weightOf) const {
  return PhaseBuilder(g, *this, weightOf).build();
}
