// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms of several axes as one of an axis after the other.
#include "lib/Import/Exported/ComplexGraph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <cmath>

using namespace llvm;

namespace mpc::exported {

using Kind = Argument::Kind;

namespace {

/// What a transform's name says.
struct Family {
  StringLiteral op;
  bool isInverse;
  bool fromReal, toReal; ///< Half of the spectrum of real numbers.
  /// Of how many axes at the end it is, if none are named; 0: of all.
  int64_t lastAxes;
};

constexpr Family kFamilies[] = {
    {"fft_fft", false, false, false, 1},  {"fft_fft2", false, false, false, 2},
    {"fft_fftn", false, false, false, 0}, {"fft_ifft", true, false, false, 1},
    {"fft_ifft2", true, false, false, 2}, {"fft_ifftn", true, false, false, 0},
    {"fft_irfft", true, false, true, 1},  {"fft_irfft2", true, false, true, 2},
    {"fft_irfftn", true, false, true, 0}, {"fft_rfft", false, true, false, 1},
    {"fft_rfft2", false, true, false, 2}, {"fft_rfftn", false, true, false, 0},
};

/// A transform along one axis.
struct Step {
  int64_t axis, size;
  bool isInverse, isOneSided;
  double scale;
};

SmallVector<int64_t> integersOf(const Node &node, StringRef name) {
  const Argument *argument = node.find(name);
  if (!argument ||
      (argument->kind != Kind::Ints && argument->kind != Kind::Int))
    return {};
  return SmallVector<int64_t>(argument->ints.begin(), argument->ints.end());
}

StringRef textOf(const Node &node, StringRef name) {
  const Argument *argument = node.find(name);
  return argument && argument->kind == Kind::Text ? StringRef(argument->text)
                                                  : StringRef();
}

int64_t integerOr(const Node &node, StringRef name, int64_t otherwise) {
  SmallVector<int64_t> found = integersOf(node, name);
  return found.empty() ? otherwise : found.front();
}

bool flagOr(const Node &node, StringRef name, bool otherwise) {
  const Argument *found = node.find(name);
  return found && found->kind == Kind::Bool ? found->ints.front() != 0
                                            : otherwise;
}

/// By which the sums of a transform are multiplied, as its `norm` says.
double factorOf(StringRef norm, bool isInverse, int64_t size) {
  auto count = static_cast<double>(size);
  if (norm == "ortho")
    return 1 / std::sqrt(count);
  return (norm == "forward") != isInverse ? 1 / count : 1.0;
}

/// The axes in order, counted from the first.
Expected<SmallVector<int64_t>> axesOf(const Node &node, const Family &family,
                                      int64_t rank, size_t numSizes) {
  SmallVector<int64_t> axes = integersOf(node, "dim");
  if (axes.empty()) {
    int64_t last = family.lastAxes;
    if (last == 0)
      last = numSizes == 0 ? rank : static_cast<int64_t>(numSizes);
    axes = to_vector(seq<int64_t>(-last, 0));
  }
  for (int64_t &axis : axes) {
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank)
      return invalidModel("transforms an axis that its operand does not have");
  }
  return axes;
}

/// The operand's sizes change from step to step; both ends are known.
class Transform {
public:
  Transform(ComplexGraph &graph, Parts x)
      : graph_(graph), x_(std::move(x)), meta_(graph.metaOf(*x_.re)) {}

  void along(const Step &step) {
    bool toReal = step.isOneSided && step.isInverse;
    bool toHalf = step.isOneSided && !step.isInverse;
    meta_.sizes[step.axis] = toHalf ? step.size / 2 + 1 : step.size;
    std::vector<NamedArgument> inputs{{"self", *x_.re}};
    if (x_.im)
      inputs.push_back({"imag", *x_.im});
    inputs.push_back({"dim", integerOf(step.axis)});
    inputs.push_back({"n", integerOf(step.size)});
    inputs.push_back({"inverse", flagOf(step.isInverse)});
    inputs.push_back({"onesided", flagOf(step.isOneSided)});
    inputs.push_back({"scale", numberOf(step.scale)});
    if (toReal) {
      x_ = {graph_.emit("mpc_fourier.real", std::move(inputs), meta_), {}};
      return;
    }
    TensorMeta pairs = meta_;
    pairs.sizes.push_back(2);
    x_ = graph_.split(
        graph_.emit("mpc_fourier.default", std::move(inputs), pairs), meta_);
  }

  [[nodiscard]] const Parts &parts() const { return x_; }
  [[nodiscard]] const TensorMeta &meta() const { return meta_; }

private:
  ComplexGraph &graph_;
  Parts x_;
  TensorMeta meta_;
};

Error rewriteFamily(ComplexGraph &graph, const Node &node,
                    const Family &family) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  if (x.re->kind != Kind::Tensor)
    return graph.refuse(node);
  Transform transform(graph, x);
  SmallVector<int64_t> sizes = integersOf(node, node.find("s") ? "s" : "n");
  auto rank = static_cast<int64_t>(transform.meta().sizes.size());
  MPC_TRY_ASSIGN(SmallVector<int64_t> axes,
                 axesOf(node, family, rank, sizes.size()));
  if (axes.empty() || (!sizes.empty() && sizes.size() != axes.size()))
    return graph.refuse(node);
  StringRef norm = textOf(node, "norm");
  auto along = [&](size_t index, bool isOneSided) {
    int64_t axis = axes[index], size = transform.meta().sizes[axis];
    if (isOneSided && family.isInverse)
      size = 2 * (size - 1);
    if (!sizes.empty() && sizes[index] > 0)
      size = sizes[index];
    transform.along({axis, size, family.isInverse, isOneSided,
                     factorOf(norm, family.isInverse, size)});
  };
  // Real numbers are at the one end or the other.
  size_t last = axes.size() - 1;
  if (family.fromReal)
    along(last, true);
  for (size_t index = 0; index < last; ++index)
    along(index, false);
  if (!family.fromReal)
    along(last, family.toReal);
  return graph.define(node, transform.parts());
}

/// By which a decomposed transform multiplies along one axis.
double factorOf(int64_t normalization, int64_t size) {
  auto count = static_cast<double>(size);
  return normalization == 0   ? 1.0
         : normalization == 1 ? 1 / std::sqrt(count)
                              : 1 / count;
}

/// What run_decompositions() makes of them: the axes in order, of which the
/// last has the real numbers.
Error rewriteDecomposed(ComplexGraph &graph, const Node &node, StringRef name) {
  MPC_TRY_ASSIGN(Parts x, graph.parts(node, "self"));
  bool fromReal = name == "_fft_r2c", toReal = name == "_fft_c2r";
  bool isInverse = toReal || (!fromReal && !flagOr(node, "forward", true));
  Transform transform(graph, x);
  auto rank = static_cast<int64_t>(transform.meta().sizes.size());
  SmallVector<int64_t> axes = integersOf(node, "dim");
  if (axes.empty())
    return graph.refuse(node);
  MPC_TRY_ASSIGN(axes, axesOf(node, kFamilies[0], rank, 0));
  int64_t normalization = integerOr(node, "normalization", 0);
  auto along = [&](int64_t axis, bool isOneSided) {
    int64_t size = transform.meta().sizes[axis];
    if (toReal && isOneSided)
      size = integerOr(node, "last_dim_size", 2 * (size - 1));
    transform.along(
        {axis, size, isInverse, isOneSided, factorOf(normalization, size)});
  };
  int64_t last = axes.pop_back_val();
  if (fromReal)
    along(last, flagOr(node, "onesided", true));
  for (int64_t axis : axes)
    along(axis, false);
  if (!fromReal)
    along(last, toReal);
  return graph.define(node, transform.parts());
}

/// What a call of stft says: transforms of `size` numbers, `hop` apart.
struct ShortTime {
  explicit ShortTime(const Node &node)
      : size(integerOr(node, "n_fft", 0)),
        hop(integerOr(node, "hop_length", size / 4)),
        isOneSided(flagOr(node, "onesided", true)),
        isNormalized(flagOr(node, "normalized", false)),
        isCentered(flagOr(node, "center", false)) {}

  int64_t size, hop;
  bool isOneSided, isNormalized;
  /// Whether the op itself pads the signal, which torch.stft does before it.
  bool isCentered;
};

/// The frames of the signal, along a new last axis.
Argument framed(ComplexGraph &graph, const Argument &x, const ShortTime &call,
                const TensorMeta &meta) {
  return graph.emit("unfold.default",
                    {{"self", x},
                     {"dimension", integerOf(-1)},
                     {"size", integerOf(call.size)},
                     {"step", integerOf(call.hop)}},
                    meta);
}

/// The window in the middle of `size` numbers.
Argument centered(ComplexGraph &graph, const Argument &window, int64_t size) {
  TensorMeta meta = graph.metaOf(window);
  int64_t free = size - (meta.sizes.empty() ? 0 : meta.sizes.back());
  if (free <= 0)
    return window;
  Argument around;
  around.kind = Kind::Ints;
  around.ints = {free / 2, free - free / 2};
  meta.sizes = {size};
  return graph.emit(
      "constant_pad_nd.default",
      {{"self", window}, {"pad", around}, {"value", integerOf(0)}}, meta);
}

/// Spectra of frames times the window, with the frames along the last axis.
Error rewriteShortTime(ComplexGraph &graph, const Node &node) {
  MPC_TRY_ASSIGN(Argument x, graph.operand(node, "self"));
  ShortTime call(node);
  TensorMeta meta = graph.metaOf(x);
  const Argument *window = node.find("window");
  bool isWindowed = window && window->kind == Kind::Tensor;
  if (call.isCentered || call.hop < 1 || call.size < 1 || meta.sizes.empty() ||
      meta.sizes.back() < call.size ||
      (!isWindowed && integerOr(node, "win_length", call.size) != call.size))
    return graph.refuse(node);
  meta.sizes.back() = (meta.sizes.back() - call.size) / call.hop + 1;
  meta.sizes.push_back(call.size);
  Argument frames = framed(graph, x, call, meta);
  if (isWindowed)
    frames = graph.binary("mul.Tensor", frames,
                          centered(graph, *window, call.size), meta);
  Transform transform(graph, {frames, {}});
  auto axis = static_cast<int64_t>(meta.sizes.size()) - 1;
  transform.along(
      {axis, call.size, false, call.isOneSided,
       factorOf(call.isNormalized ? "ortho" : "", false, call.size)});
  TensorMeta result = transform.meta();
  std::swap(result.sizes[axis], result.sizes[axis - 1]);
  auto swapped = [&](const Argument &part) {
    return graph.emit("transpose.int",
                      {{"self", part},
                       {"dim0", integerOf(axis)},
                       {"dim1", integerOf(axis - 1)}},
                      result);
  };
  Argument re = swapped(*transform.parts().re);
  return graph.define(node, {re, swapped(*transform.parts().im)});
}

} // namespace

bool isFourier(StringRef name) {
  return name == "stft" || name.starts_with("_fft_") ||
         any_of(kFamilies,
                [&](const Family &family) { return family.op == name; });
}

Error rewriteFourier(ComplexGraph &graph, const Node &node, StringRef name) {
  if (name.starts_with("_fft_"))
    return rewriteDecomposed(graph, node, name);
  for (const Family &family : kFamilies)
    if (family.op == name)
      return rewriteFamily(graph, node, family);
  return rewriteShortTime(graph, node);
}

} // namespace mpc::exported
