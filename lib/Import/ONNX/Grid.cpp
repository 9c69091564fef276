// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's spatial transformer: AffineGrid makes points, GridSample reads an
/// image at points.
#include "lib/Import/ONNX/NodeImporter.h"

#include "lib/Import/ONNX/ImportError.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

//===----------------------------------------------------------------------===//
// GridSample
//===----------------------------------------------------------------------===//

/// An element of the image that a point reads, or along one axis its
/// coordinate: at `place`, with `weight` where that is not 1.
struct Tap {
  Operand place;
  std::optional<Operand> weight;
  /// Where it is no padding; all of it without.
  std::optional<Operand> isInside;
};

/// Imports one GridSample node. A point has one number an axis, the last axis
/// first: -1 and 1 are the ends of the axis. All numbers of points are [batch,
/// points].
class GridSampler {
public:
  explicit GridSampler(NodeImporter &node) : node_(node), b_(node.build) {}

  Error run();

private:
  Error readAttributes();
  Error readInputs();
  Operand coordinate(size_t axis);
  Operand clamped(const Operand &x, double low, double high);
  Operand reflected(const Operand &x, int64_t size);
  Operand padded(const Operand &x, int64_t size);
  Tap tapAt(const Operand &place, int64_t size, std::optional<Operand> weight);
  SmallVector<Tap> taps(size_t axis);
  SmallVector<Tap> linearTaps(const Operand &x, int64_t size);
  SmallVector<Tap> cubicTaps(const Operand &x, int64_t size);
  Tap join(const Tap &outer, const Tap &inner, int64_t size);
  Operand contribution(const Tap &tap);

  Operand times(const Operand &x, double factor) {
    return b_.binary(Binary::Mul, x, factor);
  }
  Operand plus(const Operand &x, double summand) {
    return b_.binary(Binary::Add, x, summand);
  }
  Operand both(const Operand &x, const Operand &y) {
    return b_.select(x, y, b_.splatLike(x, 0.0));
  }

  NodeImporter &node_;
  TensorBuilder &b_;
  StringRef mode_, padding_;
  bool alignsCorners_ = false;
  Shape spatial_;
  int64_t batch_ = 0, channels_ = 0, points_ = 0;
  /// [batch, points, axes] and [batch, elements, channels].
  Operand grid_, image_;
};

Error GridSampler::readAttributes() {
  mode_ = node_.stringAttr("mode", "linear");
  // Their names before opset 20.
  if (mode_ == "bilinear")
    mode_ = "linear";
  if (mode_ == "bicubic")
    mode_ = "cubic";
  padding_ = node_.stringAttr("padding_mode", "zeros");
  if (!is_contained({"linear", "nearest", "cubic"}, mode_) ||
      !is_contained({"zeros", "border", "reflection"}, padding_))
    return node_.fail("attribute 'mode' is '" + printable(mode_) +
                      "', 'padding_mode' '" + printable(padding_) + "'");
  alignsCorners_ = node_.intAttr("align_corners", 0) != 0;
  return Error::success();
}

Error GridSampler::readInputs() {
  for (size_t i : {0, 1})
    MPC_TRY(node_.requireFloat(i));
  const Operand &x = node_.in(0), &at = node_.in(1);
  int64_t axes = x.rank() - 2;
  if (axes < 1 || at.rank() != x.rank() || at.shape[0] != x.shape[0] ||
      at.shape.back() != axes || is_contained(x.shape, 0))
    return node_.fail("the image is " + shapeText(x.shape) + ", the grid " +
                      shapeText(at.shape));
  batch_ = x.shape[0];
  channels_ = x.shape[1];
  spatial_ = Shape(ArrayRef(x.shape).drop_front(2));
  points_ = *countElements(at.shape) / (batch_ * axes);
  grid_ = b_.reshape(b_.wide(at), {batch_, points_, axes});
  int64_t elements = *countElements(spatial_);
  image_ = b_.transpose(b_.reshape(b_.wide(x), {batch_, channels_, elements}),
                        {0, 2, 1});
  return Error::success();
}

/// Where the points lie along `axis`, in elements.
Operand GridSampler::coordinate(size_t axis) {
  auto column = static_cast<int64_t>(spatial_.size() - 1 - axis);
  Operand x =
      b_.reshape(b_.sliceAxis(grid_, 2, column, column + 1), {batch_, points_});
  auto size = static_cast<double>(spatial_[axis]);
  if (alignsCorners_)
    return times(plus(x, 1.0), (size - 1) / 2);
  return times(plus(times(plus(x, 1.0), size), -1.0), 0.5);
}

Operand GridSampler::clamped(const Operand &x, double low, double high) {
  return b_.binary(Binary::Min, b_.binary(Binary::Max, x, low), high);
}

/// Folded at the ends of the axis, which lie on the outermost elements or half
/// an element further out.
Operand GridSampler::reflected(const Operand &x, int64_t size) {
  double low = alignsCorners_ ? 0.0 : -0.5;
  double span = static_cast<double>(alignsCorners_ ? size - 1 : size);
  if (span == 0.0)
    return b_.splatLike(x, 0.0);
  Operand far = b_.abs(plus(x, -low));
  Operand rest = b_.fold(nn::RemOp::create(b_.builder(), b_.location(),
                                           far.value.getType(), far.value,
                                           b_.splatLike(far, 2 * span).value));
  Operand back = b_.binary(Binary::Sub, b_.splatLike(rest, 2 * span), rest);
  return plus(b_.binary(Binary::Min, rest, back), low);
}

Operand GridSampler::padded(const Operand &x, int64_t size) {
  if (padding_ == "zeros")
    return x;
  return clamped(padding_ == "border" ? x : reflected(x, size), 0.0,
                 static_cast<double>(size - 1));
}

/// The element at a whole number, which may lie outside.
Tap GridSampler::tapAt(const Operand &place, int64_t size,
                       std::optional<Operand> weight) {
  auto last = static_cast<double>(size - 1);
  Tap tap{clamped(place, 0.0, last), std::move(weight), std::nullopt};
  if (padding_ == "zeros")
    tap.isInside = b_.compare(nn::CompareKind::EQ, tap.place, place);
  return tap;
}

SmallVector<Tap> GridSampler::linearTaps(const Operand &x, int64_t size) {
  Operand low = b_.unary<nn::FloorOp>(x);
  Operand behind = b_.binary(Binary::Sub, x, low);
  Operand before = b_.binary(Binary::Sub, b_.splatLike(behind, 1.0), behind);
  return {tapAt(low, size, before), tapAt(plus(low, 1.0), size, behind)};
}

/// Keys' cubic (1981) with a = -0.75. Each element of the four is padded by
/// itself.
SmallVector<Tap> GridSampler::cubicTaps(const Operand &x, int64_t size) {
  constexpr double kA = -0.75;
  Operand low = b_.unary<nn::FloorOp>(x);
  Operand behind = b_.binary(Binary::Sub, x, low);
  auto horner = [&](const Operand &t, ArrayRef<double> coefficients) {
    Operand sum = times(t, coefficients[0]);
    for (double next : coefficients.drop_front().drop_back())
      sum = b_.binary(Binary::Mul, plus(sum, next), t);
    return plus(sum, coefficients.back());
  };
  SmallVector<Tap> result;
  for (int64_t step = -1; step <= 2; ++step) {
    Operand distance =
        step <= 0 ? plus(behind, static_cast<double>(-step))
                  : plus(times(behind, -1.0), static_cast<double>(step));
    bool isNear = step == 0 || step == 1;
    Operand weight = isNear ? horner(distance, {kA + 2, -(kA + 3), 0.0, 1.0})
                            : horner(distance, {kA, -5 * kA, 8 * kA, -4 * kA});
    Operand place = padded(plus(low, static_cast<double>(step)), size);
    // Reflections of whole numbers are whole.
    result.push_back(tapAt(b_.unary<nn::RoundOp>(place), size, weight));
  }
  return result;
}

SmallVector<Tap> GridSampler::taps(size_t axis) {
  Operand x = coordinate(axis);
  int64_t size = spatial_[axis];
  if (mode_ == "cubic")
    return cubicTaps(x, size);
  x = padded(x, size);
  if (mode_ == "linear")
    return linearTaps(x, size);
  return {tapAt(b_.unary<nn::RoundOp>(x), size, std::nullopt)};
}

/// One tap along the axes so far and one along the next, of `size` elements.
Tap GridSampler::join(const Tap &outer, const Tap &inner, int64_t size) {
  Tap result = inner;
  result.place = b_.binary(
      Binary::Add, times(outer.place, static_cast<double>(size)), inner.place);
  if (outer.weight)
    result.weight = b_.binary(Binary::Mul, *outer.weight, *inner.weight);
  if (outer.isInside)
    result.isInside = both(*outer.isInside, *inner.isInside);
  return result;
}

Operand GridSampler::contribution(const Tap &tap) {
  Operand read = b_.gather(image_, b_.cast(tap.place, ElemType::Int64), 1, 1);
  if (tap.weight)
    read = b_.binary(
        Binary::Mul, read,
        b_.broadcast(b_.cast(*tap.weight, read.type), read.shape, {0, 1}));
  if (!tap.isInside)
    return read;
  return b_.select(b_.broadcast(*tap.isInside, read.shape, {0, 1}), read,
                   b_.splatLike(read, 0.0));
}

Error GridSampler::run() {
  MPC_TRY(readAttributes());
  MPC_TRY(readInputs());
  // Places are counted in floats.
  if (*countElements(spatial_) > 1 << 24)
    return node_.fail("the image has more than 2^24 elements");
  SmallVector<Tap> all = taps(0);
  for (size_t axis = 1; axis < spatial_.size(); ++axis) {
    SmallVector<Tap> joined, along = taps(axis);
    for (const Tap &outer : all)
      for (const Tap &inner : along)
        joined.push_back(join(outer, inner, spatial_[axis]));
    all = std::move(joined);
  }
  if (all.size() > 256)
    return node_.fail("reads " + Twine(all.size()) +
                      " elements for each point (at most 256)");
  Operand sum = contribution(all.front());
  for (const Tap &tap : ArrayRef(all).drop_front())
    sum = b_.binary(Binary::Add, sum, contribution(tap));
  Shape shape{batch_, channels_};
  append_range(shape, ArrayRef(node_.in(1).shape).drop_front().drop_back());
  sum = b_.reshape(b_.transpose(sum, {0, 2, 1}), shape);
  node_.result(0, b_.cast(sum, node_.in(0).type));
  return Error::success();
}

Error emitGridSample(NodeImporter &node) { return GridSampler(node).run(); }

//===----------------------------------------------------------------------===//
// AffineGrid
//===----------------------------------------------------------------------===//

/// The places of an axis from -1 to 1, which are its outermost elements or
/// their edges.
Expected<Operand> evenPlaces(NodeImporter &node, int64_t size,
                             bool alignsCorners) {
  std::vector<double> places;
  for (int64_t i = 0; i < size; ++i) {
    double along = static_cast<double>(2 * i + 1 - size);
    double span = static_cast<double>(alignsCorners ? size - 1 : size);
    places.push_back(span == 0.0 ? 0.0 : along / span);
  }
  return node.constant<double>(ElemType::Double, {size}, places);
}

/// Point p of a regular grid becomes theta [p, 1].
Error emitAffineGrid(NodeImporter &node) {
  MPC_TRY(node.requireFloat(0));
  const Operand &theta = node.in(0);
  MPC_TRY_ASSIGN(auto size, node.ints(1, "the size"));
  auto axes = static_cast<int64_t>(size.size()) - 2;
  if (axes < 1 || theta.shape != Shape{size[0], axes, axes + 1})
    return node.fail("theta is " + shapeText(theta.shape) + ", the size has " +
                     Twine(size.size()) + " numbers");
  Shape points{size[0]};
  append_range(points, ArrayRef(size).drop_front(2));
  MPC_TRY(node.checkSize(points));
  TensorBuilder &b = node.build;
  Operand wide = b.wide(theta);
  bool alignsCorners = node.intAttr("align_corners", 0) != 0;
  SmallVector<Operand> places;
  for (int64_t axis = axes; axis > 0; --axis) {
    MPC_TRY_ASSIGN(Operand along,
                   evenPlaces(node, points[axis], alignsCorners));
    places.push_back(b.broadcast(b.cast(along, wide.type), points, {axis}));
  }
  auto entry = [&](int64_t row, int64_t column) {
    Operand one = b.slice(wide, {0, row, column},
                          {size[0], row + 1, column + 1}, {1, 1, 1});
    return b.broadcast(b.reshape(one, {size[0]}), points, {0});
  };
  Shape unit = points;
  unit.push_back(1);
  SmallVector<Operand> coordinates;
  for (int64_t row = 0; row < axes; ++row) {
    Operand sum = entry(row, axes);
    for (int64_t column = 0; column < axes; ++column)
      sum = b.binary(Binary::Add, sum,
                     b.binary(Binary::Mul, entry(row, column), places[column]));
    coordinates.push_back(b.reshape(sum, unit));
  }
  node.result(0, b.cast(b.concat(coordinates, axes + 1), theta.type));
  return Error::success();
}

const OpRule kRules[] = {
    {"AffineGrid", 20, 2, 2, 1, "align_corners:i", emitAffineGrid},
    {"GridSample", 16, 2, 2, 1, "align_corners:i mode:s padding_mode:s",
     emitGridSample},
};

} // namespace

ArrayRef<OpRule> gridRules() { return kRules; }

} // namespace mpc::onnx
