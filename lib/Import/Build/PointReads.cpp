// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reading images at points between their elements.
#include "lib/Import/Build/PointReads.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/ImportError.h"

using namespace llvm;

namespace mpc::build {

namespace {

/// A tap: an element of the image that a point reads, or its coordinate along
/// one axis. It is at `place`, and has `weight` unless that is 1.
struct Tap {
  Operand place;
  std::optional<Operand> weight;
  /// Where the tap is inside of the image; empty where all are.
  std::optional<Operand> isInside;
};

class PointReader {
public:
  PointReader(TensorBuilder &b, const Operand &image, ArrayRef<int64_t> spatial,
              ArrayRef<Operand> coordinates, const Interpolation &how,
              const Operand *first)
      : b_(b), image_(image), spatial_(spatial), coordinates_(coordinates),
        how_(how), first_(first) {}

  /// The taps of all axes together.
  SmallVector<Tap> allTaps();
  Operand sum(ArrayRef<Tap> taps);

private:
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

  TensorBuilder &b_;
  const Operand &image_;
  ArrayRef<int64_t> spatial_;
  ArrayRef<Operand> coordinates_;
  const Interpolation &how_;
  const Operand *first_;
};

Operand PointReader::clamped(const Operand &x, double low, double high) {
  return b_.binary(Binary::Min, b_.binary(Binary::Max, x, low), high);
}

/// Reflects at the ends of the axis, which are its outermost elements or half
/// an element further out.
Operand PointReader::reflected(const Operand &x, int64_t size) {
  double low = how_.alignsCorners ? 0.0 : -0.5;
  double span = static_cast<double>(how_.alignsCorners ? size - 1 : size);
  if (span == 0.0)
    return b_.splatLike(x, 0.0);
  Operand far = b_.abs(plus(x, -low));
  Operand rest = b_.fold(nn::RemOp::create(b_.builder(), b_.location(),
                                           far.value.getType(), far.value,
                                           b_.splatLike(far, 2 * span).value));
  Operand back = b_.binary(Binary::Sub, b_.splatLike(rest, 2 * span), rest);
  return plus(b_.binary(Binary::Min, rest, back), low);
}

Operand PointReader::padded(const Operand &x, int64_t size) {
  if (how_.padding == "zeros")
    return x;
  return clamped(how_.padding == "border" ? x : reflected(x, size), 0.0,
                 static_cast<double>(size - 1));
}

/// The tap at a whole number, which may lie outside.
Tap PointReader::tapAt(const Operand &place, int64_t size,
                       std::optional<Operand> weight) {
  auto last = static_cast<double>(size - 1);
  Tap tap{clamped(place, 0.0, last), std::move(weight), std::nullopt};
  if (how_.padding == "zeros")
    tap.isInside = b_.compare(nn::CompareKind::EQ, tap.place, place);
  return tap;
}

SmallVector<Tap> PointReader::linearTaps(const Operand &x, int64_t size) {
  Operand low = b_.unary<nn::FloorOp>(x);
  Operand behind = b_.binary(Binary::Sub, x, low);
  Operand before = b_.binary(Binary::Sub, b_.splatLike(behind, 1.0), behind);
  return {tapAt(low, size, before), tapAt(plus(low, 1.0), size, behind)};
}

/// Keys' cubic (1981) with a = -0.75. Each of its four elements is padded by
/// itself.
SmallVector<Tap> PointReader::cubicTaps(const Operand &x, int64_t size) {
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

SmallVector<Tap> PointReader::taps(size_t axis) {
  Operand x = coordinates_[axis];
  int64_t size = spatial_[axis];
  if (how_.mode == "cubic")
    return cubicTaps(x, size);
  x = padded(x, size);
  if (how_.mode == "linear")
    return linearTaps(x, size);
  return {tapAt(b_.unary<nn::RoundOp>(x), size, std::nullopt)};
}

/// Joins a tap along the axes so far and one along the next axis, which has
/// `size` elements.
Tap PointReader::join(const Tap &outer, const Tap &inner, int64_t size) {
  Tap result = inner;
  result.place = b_.binary(
      Binary::Add, times(outer.place, static_cast<double>(size)), inner.place);
  if (outer.weight)
    result.weight = b_.binary(Binary::Mul, *outer.weight, *inner.weight);
  if (outer.isInside)
    result.isInside = both(*outer.isInside, *inner.isInside);
  return result;
}

Operand PointReader::contribution(const Tap &tap) {
  Operand place = b_.cast(tap.place, b_.i64());
  if (first_)
    place = b_.binary(Binary::Add, place, *first_);
  Operand read = b_.gather(image_, place, 1, 1);
  if (tap.weight)
    read = b_.binary(
        Binary::Mul, read,
        b_.broadcast(b_.cast(*tap.weight, read.type), read.shape, {0, 1}));
  if (!tap.isInside)
    return read;
  return b_.select(b_.broadcast(*tap.isInside, read.shape, {0, 1}), read,
                   b_.splatLike(read, 0.0));
}

SmallVector<Tap> PointReader::allTaps() {
  SmallVector<Tap> all = taps(0);
  for (size_t axis = 1; axis < spatial_.size(); ++axis) {
    SmallVector<Tap> joined, along = taps(axis);
    for (const Tap &outer : all)
      for (const Tap &inner : along)
        joined.push_back(join(outer, inner, spatial_[axis]));
    all = std::move(joined);
  }
  return all;
}

Operand PointReader::sum(ArrayRef<Tap> taps) {
  Operand sum = contribution(taps.front());
  for (const Tap &tap : taps.drop_front())
    sum = b_.binary(Binary::Add, sum, contribution(tap));
  return sum;
}

} // namespace

Expected<Operand> readAtPoints(TensorBuilder &b, const Operand &image,
                               ArrayRef<int64_t> spatial,
                               ArrayRef<Operand> coordinates,
                               const Interpolation &interpolation,
                               const Operand *first) {
  // Positions are floats, which must count the elements exactly.
  if (*countElements(spatial) > 1 << 24)
    return invalidModel("the image has more than 2^24 elements");
  PointReader reader(b, image, spatial, coordinates, interpolation, first);
  SmallVector<Tap> taps = reader.allTaps();
  if (taps.size() > 256)
    return invalidModel("reads " + Twine(taps.size()) +
                        " elements for each point (at most 256)");
  return reader.sum(taps);
}

} // namespace mpc::build
