// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that do not overflow, and extrema with one gradient.
#include "lib/Import/Build/Reductions.h"

#include "lib/Import/Build/Powers.h"

#include <limits>

using namespace llvm;

namespace mpc::build {

Operand logSumExp(TensorBuilder &b, const Operand &x, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return x;
  Operand top = b.withoutGradient(b.reduceMax(x, axes));
  Operand infinity = b.splatLike(top, std::numeric_limits<double>::infinity());
  Operand isInfinite = b.compare(nn::CompareKind::EQ, b.abs(top), infinity);
  top = b.select(isInfinite, b.splatLike(top, 0), top);
  SmallVector<int64_t> kept;
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    if (!is_contained(axes, axis))
      kept.push_back(axis);
  Operand wide = b.broadcast(top, x.shape, kept);
  Operand sum = b.reduceSum(b.exp(b.binary(Binary::Sub, x, wide)), axes);
  return b.binary(Binary::Add, top, b.log(sum));
}

Operand firstMaximum(TensorBuilder &b, const Operand &x, int64_t axis) {
  Operand number = b.cast(b.coordinates(x.shape, axis), b.f32());
  Operand place = b.broadcastTo(b.placeOfMaximum(x, axis), x.shape);
  Operand isFirst = b.compare(nn::CompareKind::EQ, number, place);
  return b.reduceSum(b.select(isFirst, x, b.splatLike(x, 0)), {axis});
}

/// (sum of |x|^p)^(1/p)
static Operand normOfOrder(TensorBuilder &b, const Operand &x,
                           ArrayRef<int64_t> axes, double p) {
  Operand wide = b.wide(x);
  Operand isZero = b.compare(nn::CompareKind::EQ, wide, b.splatLike(wide, 0.0));
  Operand size = b.select(isZero, b.splatLike(wide, 1.0), b.abs(wide));
  Operand powers =
      b.select(isZero, b.splatLike(wide, 0.0), b.binary(Binary::Pow, size, p));
  Operand root = b.flatAtZero(b.reduceSum(powers, axes), [&](const Operand &y) {
    return b.binary(Binary::Pow, y, 1.0 / p);
  });
  return b.cast(root, x.type);
}

std::optional<Operand> norm(TensorBuilder &b, const Operand &x,
                            ArrayRef<int64_t> axes, double p) {
  if (p == 2.0)
    return rootOf(b, b.reduceSum(b.binary(Binary::Mul, x, x), axes));
  if (p == 1.0)
    return b.reduceSum(b.abs(x), axes);
  if (p == std::numeric_limits<double>::infinity())
    return b.reduceMax(b.abs(x), axes);
  if (p == -std::numeric_limits<double>::infinity())
    return b.reduceMin(b.abs(x), axes);
  if (p == 0.0)
    return b.reduceSum(
        b.cast(b.compare(nn::CompareKind::NE, x, b.splatLike(x, 0.0)), x.type),
        axes);
  if (p > 0.0)
    return normOfOrder(b, x, axes, p);
  return std::nullopt;
}

} // namespace mpc::build
