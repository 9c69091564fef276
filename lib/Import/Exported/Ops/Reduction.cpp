// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's reductions.
#include "lib/Import/Exported/Call.h"

#include "lib/Import/Build/Cumulative.h"
#include "lib/Import/Build/Powers.h"
#include "lib/Import/Build/Reductions.h"
#include "lib/Import/Build/Scatter.h"
#include "llvm/ADT/Sequence.h"

#include <cmath>

using namespace llvm;

namespace mpc::exported {

namespace {

/// An operand, and the axes that are joined.
struct Reduced {
  Operand x;
  SmallVector<int64_t> axes;
  Shape result;
};

/// The operand in the type of the result; `dims` are the axes, or all.
Expected<Reduced> readReduction(Call &call) {
  Reduced reduced;
  MPC_TRY_ASSIGN(reduced.x, call.tensor("self"));
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  MPC_TRY_ASSIGN(reduced.axes, call.axes("dim", reduced.x.rank()));
  MPC_TRY_ASSIGN(reduced.result, call.resultShape());
  reduced.x = call.build.cast(reduced.x, type);
  int64_t left = 1;
  for (auto [axis, size] : enumerate(reduced.x.shape))
    left *= is_contained(reduced.axes, int64_t(axis)) ? 1 : size;
  if (countElements(reduced.result) != left)
    return call.fail("the operand is " + shapeText(reduced.x.shape) +
                     ", the result " + shapeText(reduced.result));
  return reduced;
}

Error requireElements(Call &call, const Operand &x) {
  if (is_contained(x.shape, 0))
    return call.fail("the operand " + shapeText(x.shape) + " has no elements");
  return Error::success();
}

template <Operand (TensorBuilder::*reduce)(const Operand &, ArrayRef<int64_t>)>
Error emitReduce(Call &call) {
  MPC_TRY_ASSIGN(Reduced reduced, readReduction(call));
  if (reduced.x.isBool())
    return call.fail("the operand is bool");
  if (reduce != &TensorBuilder::reduceSum)
    MPC_TRY(requireElements(call, reduced.x));
  TensorBuilder &b = call.build;
  Operand result =
      reduced.axes.empty() ? reduced.x : (b.*reduce)(reduced.x, reduced.axes);
  call.result(b.reshape(result, reduced.result));
  return Error::success();
}

/// all() and any(): the least and the greatest of bools.
template <Operand (TensorBuilder::*reduce)(const Operand &, ArrayRef<int64_t>)>
Error emitTruth(Call &call) {
  MPC_TRY_ASSIGN(Reduced reduced, readReduction(call));
  MPC_TRY(requireElements(call, reduced.x));
  TensorBuilder &b = call.build;
  Operand number = b.cast(reduced.x, b.i32());
  if (!reduced.axes.empty())
    number = (b.*reduce)(number, reduced.axes);
  call.result(b.reshape(b.cast(number, b.i1()), reduced.result));
  return Error::success();
}

/// The sum of squared deviations over the count less `correction`.
Expected<Operand> variance(Call &call, const Reduced &reduced) {
  if (!reduced.x.isFloat())
    return call.fail("the operand is not of floating-point numbers");
  MPC_TRY(requireElements(call, reduced.x));
  MPC_TRY_ASSIGN(double correction, call.number("correction", 1.0));
  MPC_TRY_ASSIGN(bool isUnbiased, call.flag("unbiased", true));
  if (!isUnbiased)
    correction = 0.0;
  TensorBuilder &b = call.build;
  Operand x = b.wide(reduced.x);
  Shape unit = x.shape;
  double count = 1.0;
  for (int64_t axis : reduced.axes) {
    count *= static_cast<double>(unit[axis]);
    unit[axis] = 1;
  }
  Operand mean = b.reshape(b.reduceMean(x, reduced.axes), unit);
  Operand deviation = b.binary(Binary::Sub, x, b.broadcastTo(mean, x.shape));
  Operand sum =
      b.reduceSum(b.binary(Binary::Mul, deviation, deviation), reduced.axes);
  return b.binary(Binary::Div, sum, std::max(0.0, count - correction));
}

Error emitVariance(Call &call) {
  MPC_TRY_ASSIGN(Reduced reduced, readReduction(call));
  MPC_TRY_ASSIGN(Operand result, variance(call, reduced));
  TensorBuilder &b = call.build;
  call.result(b.reshape(b.cast(result, reduced.x.type), reduced.result));
  return Error::success();
}

Error emitDeviation(Call &call) {
  MPC_TRY_ASSIGN(Reduced reduced, readReduction(call));
  MPC_TRY_ASSIGN(Operand result, variance(call, reduced));
  TensorBuilder &b = call.build;
  call.result(
      b.reshape(b.cast(rootOf(b, result), reduced.x.type), reduced.result));
  return Error::success();
}

/// Variance or deviation, and the mean.
template <bool isRoot>
Error emitMoments(Call &call) {
  MPC_TRY(isRoot ? emitDeviation(call) : emitVariance(call));
  MPC_TRY_ASSIGN(Reduced reduced, readReduction(call));
  TensorBuilder &b = call.build;
  Operand mean =
      reduced.axes.empty() ? reduced.x : b.reduceMean(reduced.x, reduced.axes);
  call.result(b.reshape(mean, reduced.result));
  return Error::success();
}

/// How many are not 0.
Error emitCountNonZero(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(SmallVector<int64_t> axes, call.axes("dim", x.rank()));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  TensorBuilder &b = call.build;
  Operand ones = b.cast(b.cast(x, b.i1()), b.i64());
  if (!axes.empty())
    ones = b.reduceSum(ones, axes);
  MPC_TRY_ASSIGN(ones, call.reshaped(ones, shape));
  call.result(ones);
  return Error::success();
}

Error emitLogSumExp(Call &call) {
  MPC_TRY_ASSIGN(Reduced reduced, readReduction(call));
  if (!reduced.x.isFloat())
    return call.fail("the operand is not of floating-point numbers");
  MPC_TRY(requireElements(call, reduced.x));
  TensorBuilder &b = call.build;
  call.result(b.reshape(logSumExp(b, reduced.x, reduced.axes), reduced.result));
  return Error::success();
}

Error emitNorm(Call &call, StringRef order) {
  MPC_TRY_ASSIGN(Reduced reduced, readReduction(call));
  MPC_TRY_ASSIGN(double p, call.number(order, 2.0));
  if (!reduced.x.isFloat())
    return call.fail("the operand is not of floating-point numbers");
  MPC_TRY(requireElements(call, reduced.x));
  TensorBuilder &b = call.build;
  std::optional<Operand> result = norm(b, reduced.x, reduced.axes, p);
  if (!result)
    return call.fail("a norm of order " + std::to_string(p) +
                     " is not supported");
  call.result(b.reshape(*result, reduced.result));
  return Error::success();
}

Error emitVectorNorm(Call &call) { return emitNorm(call, "ord"); }

/// linalg.norm(): of vectors, or, where no order is given, of all elements.
Error emitAnyNorm(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(SmallVector<int64_t> axes, call.axes("dim", x.rank()));
  if (call.has("ord") && axes.size() != 1)
    return call.fail("a matrix norm is not supported: linalg.vector_norm is "
                     "one of all elements");
  return emitVectorNorm(call);
}
Error emitPNorm(Call &call) { return emitNorm(call, "p"); }

/// Where the greatest element is; PyTorch's index of all elements where no
/// axis is given.
Expected<Operand> placeOfGreatest(Call &call, Operand x, int64_t axis) {
  TensorBuilder &b = call.build;
  if (!x.isFloat() || x.rank() == 0 || is_contained(x.shape, 0) ||
      x.shape[axis] > (1 << 24))
    return call.fail("the operand is " + shapeText(x.shape) +
                     ", expected floating-point numbers along an axis");
  return b.placeOfMaximum(x, axis);
}

template <bool isLeast>
Error emitArgument(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  TensorBuilder &b = call.build;
  int64_t axis = 0;
  if (call.has("dim")) {
    MPC_TRY_ASSIGN(axis, call.axis("dim", x.rank()));
  } else {
    x = b.reshape(x, {*countElements(x.shape)});
  }
  // Of integers up to 2^53, which a token's number is.
  if (!x.isFloat())
    x = b.cast(x, b.f64());
  MPC_TRY_ASSIGN(Operand place,
                 placeOfGreatest(call, isLeast ? b.neg(x) : x, axis));
  MPC_TRY_ASSIGN(place, call.reshaped(b.cast(place, b.i64()), shape));
  call.result(place);
  return Error::success();
}

/// Values and places along an axis; the gradient goes to the first of equals.
template <bool isLeast>
Error emitExtremeAlong(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank()));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  TensorBuilder &b = call.build;
  Operand turned = isLeast ? b.neg(x) : x;
  MPC_TRY_ASSIGN(Operand place, placeOfGreatest(call, turned, axis));
  Operand value = firstMaximum(b, turned, axis);
  MPC_TRY_ASSIGN(value, call.reshaped(isLeast ? b.neg(value) : value, shape));
  MPC_TRY_ASSIGN(place, call.reshaped(b.cast(place, b.i64()), shape));
  call.result(value);
  call.result(place);
  return Error::success();
}

template <Binary kind>
Error emitScan(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.operandLikeResult("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank()));
  if (x.isBool())
    return call.fail("the operand is bool");
  call.result(x.rank() == 0 ? x : call.build.scan(kind, x, axis));
  return Error::success();
}

Error emitCumulativeLogSumExp(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank()));
  call.result(x.rank() == 0 ? x : cumulativeLogSumExp(call.build, x, axis));
  return Error::success();
}

/// `x` with what stands before and behind it along the axis.
Expected<Operand> extended(Call &call, const Operand &x, int64_t axis) {
  MPC_TRY_ASSIGN(std::optional<Operand> before, call.maybeTensor("prepend"));
  MPC_TRY_ASSIGN(std::optional<Operand> behind, call.maybeTensor("append"));
  std::vector<Operand> parts{x};
  if (before)
    parts.insert(parts.begin(), *before);
  if (behind)
    parts.push_back(*behind);
  for (const Operand &part : parts) {
    Shape shape = part.shape;
    if (part.rank() == x.rank())
      shape[axis] = x.shape[axis];
    if (part.type != x.type || shape != x.shape)
      return call.fail("what is put beside the operand " + shapeText(x.shape) +
                       " is " + shapeText(part.shape) + ", or of another type");
  }
  return parts.size() == 1 ? x : call.build.concat(parts, axis);
}

/// Each element less the one before it, `n` times; of bools whether they
/// differ.
Error emitDifference(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.tensor("self"));
  MPC_TRY_ASSIGN(int64_t n, call.integer("n", 1));
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank(), -1));
  if (x.rank() == 0 || n < 0)
    return call.fail("the operand is " + shapeText(x.shape) + ", n is " +
                     Twine(n));
  MPC_TRY_ASSIGN(x, extended(call, x, axis));
  TensorBuilder &b = call.build;
  for (n = std::min(n, x.shape[axis]); n > 0; --n) {
    int64_t size = x.shape[axis];
    Operand behind = b.sliceAxis(x, axis, 1, size);
    Operand before = b.sliceAxis(x, axis, 0, size - 1);
    x = x.isBool() ? b.compare(nn::CompareKind::NE, behind, before)
                   : b.binary(Binary::Sub, behind, before);
  }
  call.result(x);
  return Error::success();
}

/// Numbers that all elements of `like` are compared with.
Operand everywhere(TensorBuilder &b, const Operand &number,
                   const Operand &like) {
  return b.broadcast(number, like.shape, {});
}

/// The least and the greatest number that histc() counts, as scalars: those of
/// the operand where the call gives none. Equal ones are 1 further apart.
Expected<std::pair<Operand, Operand>> rangeOfBins(Call &call,
                                                  const Operand &x) {
  MPC_TRY_ASSIGN(double low, call.number("min", 0.0));
  MPC_TRY_ASSIGN(double high, call.number("max", 0.0));
  TensorBuilder &b = call.build;
  if (!std::isfinite(low) || !std::isfinite(high) || low > high)
    return call.fail("min is not below max");
  if (low < high)
    return std::pair(b.splat(x.type, {}, low), b.splat(x.type, {}, high));
  MPC_TRY(requireElements(call, x));
  Operand least = b.reduceMin(x, {0}), most = b.reduceMax(x, {0});
  Operand isOne = b.compare(nn::CompareKind::EQ, least, most);
  return std::pair(b.select(isOne, b.binary(Binary::Sub, least, 1.0), least),
                   b.select(isOne, b.binary(Binary::Add, most, 1.0), most));
}

/// histc(): how many elements are in each of `bins` equal parts of a range, to
/// whose last part its end belongs. What is outside of it is not counted.
Error emitHistogram(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  MPC_TRY_ASSIGN(int64_t bins, call.integer("bins", 100));
  if (bins < 1 || bins > INT32_MAX)
    return call.fail("has " + Twine(bins) + " bins");
  TensorBuilder &b = call.build;
  x = b.withoutGradient(b.wide(b.joinedFrom(x, 0)));
  MPC_TRY_ASSIGN(auto range, rangeOfBins(call, x));
  Operand low = everywhere(b, range.first, x);
  Operand high = everywhere(b, range.second, x);
  Operand isInside = b.select(b.compare(nn::CompareKind::GE, x, low),
                              b.compare(nn::CompareKind::LE, x, high),
                              b.splat(b.i1(), x.shape, 0.0));
  Operand place = b.binary(Binary::Div,
                           b.binary(Binary::Mul, b.binary(Binary::Sub, x, low),
                                    static_cast<double>(bins)),
                           b.binary(Binary::Sub, high, low));
  place = b.select(isInside, place, b.splatLike(place, 0.0));
  Operand bin = b.cast(place, b.i64());
  bin = b.binary(Binary::Min, bin,
                 b.splatLike(bin, static_cast<double>(bins - 1)));
  MPC_TRY_ASSIGN(mlir::Type type, call.resultType());
  call.result(b.cast(
      sumsAt(b, b.cast(isInside, x.type), {bin, bins, /*inner=*/1}), type));
  return Error::success();
}

} // namespace

ArrayRef<OpRow> reductionRows() {
  static const OpRow rows[] = {
      {"all.default", emitTruth<&TensorBuilder::reduceMin>},
      {"all.dim", emitTruth<&TensorBuilder::reduceMin>},
      {"all.dims", emitTruth<&TensorBuilder::reduceMin>},
      {"amax.default", emitReduce<&TensorBuilder::reduceMax>},
      {"amin.default", emitReduce<&TensorBuilder::reduceMin>},
      {"any.default", emitTruth<&TensorBuilder::reduceMax>},
      {"any.dim", emitTruth<&TensorBuilder::reduceMax>},
      {"any.dims", emitTruth<&TensorBuilder::reduceMax>},
      {"argmax.default", emitArgument<false>},
      {"argmin.default", emitArgument<true>},
      {"count_nonzero.default", emitCountNonZero},
      {"count_nonzero.dim_IntList", emitCountNonZero},
      {"cumprod.default", emitScan<Binary::Mul>},
      {"cumsum.default", emitScan<Binary::Add>},
      {"diff.default", emitDifference},
      {"histc.default", emitHistogram},
      {"linalg_norm.default", emitAnyNorm},
      {"linalg_vector_norm.default", emitVectorNorm},
      {"logcumsumexp.default", emitCumulativeLogSumExp},
      {"logsumexp.default", emitLogSumExp},
      {"max.default", emitReduce<&TensorBuilder::reduceMax>},
      {"max.dim", emitExtremeAlong<false>},
      {"mean.default", emitReduce<&TensorBuilder::reduceMean>},
      {"mean.dim", emitReduce<&TensorBuilder::reduceMean>},
      {"min.default", emitReduce<&TensorBuilder::reduceMin>},
      {"min.dim", emitExtremeAlong<true>},
      {"norm.ScalarOpt_dim", emitPNorm},
      {"prod.default", emitReduce<&TensorBuilder::reduceProd>},
      {"prod.dim_int", emitReduce<&TensorBuilder::reduceProd>},
      {"std.correction", emitDeviation},
      {"std.default", emitDeviation},
      {"std.dim", emitDeviation},
      {"std_mean.correction", emitMoments<true>},
      {"std_mean.default", emitMoments<true>},
      {"std_mean.dim", emitMoments<true>},
      {"sum.default", emitReduce<&TensorBuilder::reduceSum>},
      {"sum.dim_IntList", emitReduce<&TensorBuilder::reduceSum>},
      {"var.correction", emitVariance},
      {"var.default", emitVariance},
      {"var.dim", emitVariance},
      {"var_mean.correction", emitMoments<false>},
      {"var_mean.default", emitMoments<false>},
      {"var_mean.dim", emitMoments<false>},
  };
  return rows;
}

} // namespace mpc::exported
