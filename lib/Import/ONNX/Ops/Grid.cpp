// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ONNX's spatial transformer: AffineGrid makes points, and GridSample reads an
/// image at points.
#include "lib/Import/ONNX/Ops/NodeImporter.h"

#include "lib/Import/Build/PointReads.h"
#include "lib/Import/ImportError.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace mpc::onnx {

namespace {

//===----------------------------------------------------------------------===//
// GridSample
//===----------------------------------------------------------------------===//

/// Imports one GridSample node. A point has one number for each axis, the last
/// axis first: -1 and 1 are the ends of the axis. The numbers of all points are
/// [batch, points].
class GridSampler {
public:
  explicit GridSampler(NodeImporter &node) : node_(node), b_(node.build) {}

  Error run();

private:
  Error readAttributes();
  Error readInputs();
  Operand coordinate(size_t axis);

  NodeImporter &node_;
  TensorBuilder &b_;
  Interpolation how_;
  Shape spatial_;
  int64_t batch_ = 0, channels_ = 0, points_ = 0;
  /// [batch, points, axes] and [batch, elements, channels].
  Operand grid_, image_;
};

Error GridSampler::readAttributes() {
  how_.mode = node_.stringAttr("mode", "linear");
  // Before opset 20 the modes have these names.
  if (how_.mode == "bilinear")
    how_.mode = "linear";
  if (how_.mode == "bicubic")
    how_.mode = "cubic";
  how_.padding = node_.stringAttr("padding_mode", "zeros");
  if (!is_contained({"linear", "nearest", "cubic"}, how_.mode) ||
      !is_contained({"zeros", "border", "reflection"}, how_.padding))
    return node_.fail("attribute 'mode' is '" + printable(how_.mode) +
                      "', 'padding_mode' '" + printable(how_.padding) + "'");
  how_.alignsCorners = node_.intAttr("align_corners", 0) != 0;
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

/// The positions of points along `axis`, in elements.
Operand GridSampler::coordinate(size_t axis) {
  auto column = static_cast<int64_t>(spatial_.size() - 1 - axis);
  Operand x =
      b_.reshape(b_.sliceAxis(grid_, 2, column, column + 1), {batch_, points_});
  auto size = static_cast<double>(spatial_[axis]);
  x = b_.binary(Binary::Add, x, 1.0);
  if (how_.alignsCorners)
    return b_.binary(Binary::Mul, x, (size - 1) / 2);
  x = b_.binary(Binary::Sub, b_.binary(Binary::Mul, x, size), 1.0);
  return b_.binary(Binary::Mul, x, 0.5);
}

Error GridSampler::run() {
  MPC_TRY(readAttributes());
  MPC_TRY(readInputs());
  SmallVector<Operand> coordinates;
  for (size_t axis = 0; axis < spatial_.size(); ++axis)
    coordinates.push_back(coordinate(axis));
  MPC_TRY_ASSIGN(Operand read, node_.placed(readAtPoints(b_, image_, spatial_,
                                                         coordinates, how_)));
  Shape shape{batch_, channels_};
  append_range(shape, ArrayRef(node_.in(1).shape).drop_front().drop_back());
  read = b_.reshape(b_.transpose(read, {0, 2, 1}), shape);
  node_.result(0, b_.cast(read, node_.in(0).type));
  return Error::success();
}

Error emitGridSample(NodeImporter &node) { return GridSampler(node).run(); }

//===----------------------------------------------------------------------===//
// AffineGrid
//===----------------------------------------------------------------------===//

/// Even positions along an axis from -1 to 1, which are its outermost elements
/// or their outer edges.
Expected<Operand> evenPlaces(NodeImporter &node, int64_t size,
                             bool alignsCorners) {
  std::vector<double> places;
  for (int64_t i = 0; i < size; ++i) {
    double along = static_cast<double>(2 * i + 1 - size);
    double span = static_cast<double>(alignsCorners ? size - 1 : size);
    places.push_back(span == 0.0 ? 0.0 : along / span);
  }
  return node.constant<double>(node.build.f64(), {size}, places);
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

} // namespace

ArrayRef<OpRule> gridRules() {
  static const OpRule rules[] = {
      {"AffineGrid", 20, 2, 2, 1, "align_corners:i", emitAffineGrid},
      {"GridSample", 16, 2, 2, 1, "align_corners:i mode:s padding_mode:s",
       emitGridSample},
  };
  return rules;
}

} // namespace mpc::onnx
