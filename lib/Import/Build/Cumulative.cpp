// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins each element with that in front of it, then with the one two places in
// front, four, and so on: what stands there has been joined with its own.
#include "lib/Import/Build/Cumulative.h"

#include "lib/Import/Build/Functions.h"
#include "llvm/ADT/Sequence.h"

#include <limits>

using namespace llvm;

namespace mpc::build {

using Kind = nn::CompareKind;

/// The places of the greatest numbers so far in each row of [rows, size].
static Operand placesOfGreatest(TensorBuilder &b, const Operand &rows) {
  int64_t size = rows.shape[1];
  Operand greatest = b.withoutGradient(rows);
  Operand places = b.coordinates(rows.shape, 1);
  for (int64_t distance = 1; distance < size; distance *= 2) {
    Operand before = b.shifted(greatest, 1, distance, 0.0);
    Operand isNaN = b.compare(Kind::NE, greatest, greatest);
    Operand isAhead = b.compare(Kind::GE, greatest, before);
    // There is nothing in front of the first ones.
    Operand isFirst =
        b.compare(Kind::LT, b.coordinates(rows.shape, 1),
                  b.splatLike(places, static_cast<double>(distance)));
    Operand stays = b.select(isFirst, isFirst, b.select(isNaN, isNaN, isAhead));
    places = b.select(stays, places, b.shifted(places, 1, distance, 0.0));
    greatest = b.select(stays, greatest, before);
  }
  return places;
}

Ordered cumulativeExtreme(TensorBuilder &b, const Operand &input, int64_t axis,
                          bool isLeast) {
  int64_t size = input.shape[axis];
  auto order = to_vector(seq<int64_t>(0, input.rank()));
  std::swap(order[axis], order.back());
  Operand last = b.transpose(input, order);
  Operand rows = b.reshape(last, {*countElements(input.shape) / size, size});
  Operand places = placesOfGreatest(b, isLeast ? b.reversed(rows) : rows);
  auto restore = [&](const Operand &x) {
    return b.transpose(b.reshape(x, last.shape), order);
  };
  return {restore(b.gather(rows, places, 1, 1)), restore(places)};
}

Operand cumulativeLogSumExp(TensorBuilder &b, const Operand &x, int64_t axis) {
  Operand sum = b.wide(x);
  for (int64_t distance = 1; distance < x.shape[axis]; distance *= 2)
    sum = logAddExp(b, sum,
                    b.shifted(sum, axis, distance,
                              -std::numeric_limits<double>::infinity()));
  return b.cast(sum, x.type);
}

} // namespace mpc::build
