// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gauss-Jordan elimination with the largest pivots, and Cholesky's factors a
// column at a time.
#include "lib/Import/Build/LinearSystems.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/Build/Loops.h"
#include "llvm/ADT/Sequence.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace mpc::build {

using Kind = nn::CompareKind;

Operand transposed(TensorBuilder &b, const Operand &matrix) {
  auto order = to_vector(seq<int64_t>(0, matrix.rank()));
  std::swap(order[order.size() - 2], order.back());
  return b.transpose(matrix, order);
}

/// Compares the row of each element with its column.
static Operand compareRowAndColumn(TensorBuilder &b, Kind kind,
                                   const Operand &matrix) {
  Shape shape(ArrayRef(matrix.shape).take_back(2));
  Operand result =
      b.compare(kind, b.coordinates(shape, 0), b.coordinates(shape, 1));
  return b.broadcastTo(result, matrix.shape);
}

static Operand identityLike(TensorBuilder &b, const Operand &matrix) {
  return b.cast(compareRowAndColumn(b, Kind::EQ, matrix), matrix.type);
}

Operand triangleOf(TensorBuilder &b, const Operand &matrix, bool upper,
                   bool hasUnits) {
  Kind outside = upper ? Kind::GT : Kind::LT;
  Operand isInside = b.logicalNot(compareRowAndColumn(b, outside, matrix));
  Operand triangle = b.select(isInside, matrix, b.splatLike(matrix, 0.0));
  if (!hasUnits)
    return triangle;
  Operand isDiagonal = compareRowAndColumn(b, Kind::EQ, matrix);
  return b.select(isDiagonal, b.splatLike(matrix, 1.0), triangle);
}

/// Applies `body` for each number below `turns`, which is an entry of its turn.
static SmallVector<Operand>
repeat(TensorBuilder &b, StringRef name, int64_t turns,
       SmallVector<Operand> inits,
       SmallVector<Operand> (*body)(TensorBuilder &, ArrayRef<Operand> carried,
                                    const Operand &number)) {
  Loop loop{name.str(), turns};
  loop.inits = inits;
  loop.stacks = {b.coordinates({turns}, 0)};
  auto built = tryBuildLoop(b, loop, [&](const Turn &turn) {
    return std::optional(Turn{body(b, turn.carried, turn.entries.front()), {}});
  });
  if (built)
    return built->carried;
  for (int64_t number : seq<int64_t>(0, turns))
    inits = body(
        b, inits,
        b.reshape(b.sliceAxis(loop.stacks[0], 0, number, number + 1), Shape()));
  return inits;
}

/// Where the number of a row of [batch, n] compares so with `number`, which is
/// a scalar or [batch].
static Operand compareRows(TensorBuilder &b, Kind kind, ArrayRef<int64_t> shape,
                           const Operand &number) {
  SmallVector<int64_t> axes = to_vector(seq<int64_t>(0, number.rank()));
  return b.compare(kind, b.coordinates(shape, 1),
                   b.broadcast(number, shape, axes));
}

/// Column `number` of [batch, n, 2n] becomes that of the identity. The largest
/// element at or below the diagonal is the pivot; its row and that of the
/// diagonal change places. The determinant's sign and logarithm follow.
static SmallVector<Operand> eliminateColumn(TensorBuilder &b,
                                            ArrayRef<Operand> carried,
                                            const Operand &number) {
  const Operand &matrix = carried[0];
  Shape shape = matrix.shape, rows{shape[0], shape[1]}, batch{shape[0]};
  auto perRow = [&](const Operand &x) { return b.broadcast(x, shape, {0, 1}); };
  auto perColumn = [&](const Operand &x) {
    return b.broadcast(x, shape, {0, 2});
  };
  Operand column = b.gather(matrix, number, 2);
  Operand isOpen = compareRows(b, Kind::GE, rows, number);
  Operand sizes = b.select(isOpen, b.abs(column), b.splatLike(column, -1.0));
  Operand place = b.cast(b.placeOfMaximum(sizes, 1), b.i64());
  Operand pivot = b.reshape(b.gather(column, place, 1, 1), batch);
  Operand pivotRow =
      b.reshape(b.gather(matrix, place, 1, 1), {shape[0], shape[2]});
  place = b.reshape(place, batch);
  Operand isPivot = compareRows(b, Kind::EQ, rows, place);
  // The result of a singular matrix is replaced in the end.
  Operand isZero = b.compare(Kind::EQ, pivot, b.splatLike(pivot, 0.0));
  Operand divisor = b.select(isZero, b.splatLike(pivot, 1.0), pivot);
  Operand unit = b.binary(Binary::Div, pivotRow,
                          b.broadcast(divisor, pivotRow.shape, {0}));
  Operand swapped =
      b.select(perRow(isPivot), perColumn(b.gather(matrix, number, 1)), matrix);
  Operand factors = b.select(
      isPivot, b.broadcast(b.gather(column, number, 1), rows, {0}), column);
  Operand rest =
      b.binary(Binary::Sub, swapped,
               b.binary(Binary::Mul, perRow(factors), perColumn(unit)));
  Operand isHere = compareRows(b, Kind::EQ, rows, number);
  Operand stays = b.compare(Kind::EQ, place, b.broadcast(number, batch, {}));
  Operand sign = b.unary<nn::SignOp>(pivot);
  sign = b.binary(Binary::Mul, carried[1], b.select(stays, sign, b.neg(sign)));
  Operand log = b.binary(Binary::Add, carried[2], b.log(b.abs(pivot)));
  return {b.select(perRow(isHere), perColumn(unit), rest), sign, log};
}

namespace {

/// What elimination finds, held, in f64.
struct Eliminated {
  Operand inverse; ///< Without a meaning where the sign is 0.
  Operand sign, log;
};

} // namespace

static Operand exact(TensorBuilder &b, const Operand &x) {
  return b.cast(x, b.f64());
}

static Eliminated eliminate(TensorBuilder &b, const Operand &matrix) {
  Operand fixed = exact(b, b.held(matrix));
  int64_t batch = fixed.shape[0], size = fixed.shape[1];
  SmallVector<Operand> found = repeat(
      b, "eliminate", size,
      {b.concat({fixed, identityLike(b, fixed)}, 2),
       b.splat(fixed.type, {batch}, 1.0), b.splat(fixed.type, {batch}, 0.0)},
      eliminateColumn);
  return {b.held(b.sliceAxis(found[0], 2, size, 2 * size)), b.held(found[1]),
          b.held(found[2])};
}

/// The inverse, or NaN.
static Operand fixedInverse(TensorBuilder &b, const Operand &matrix) {
  Eliminated found = eliminate(b, matrix);
  Operand isSingular =
      b.compare(Kind::EQ, found.sign, b.splatLike(found.sign, 0.0));
  return b.select(
      b.broadcast(isSingular, found.inverse.shape, {0}),
      b.splatLike(found.inverse, std::numeric_limits<double>::quiet_NaN()),
      found.inverse);
}

/// x + inverse (rhs - matrix x), which is a step of refinement, and has the
/// solution's gradients where `x` and the inverse have none, being held.
static Operand refined(TensorBuilder &b, const Operand &x,
                       const Operand &inverse, const Operand &matrix,
                       const Operand &rhs) {
  Operand rest = b.binary(Binary::Sub, rhs, b.matmulAsWritten(matrix, x));
  return b.binary(Binary::Add, x, b.matmulAsWritten(inverse, rest));
}

Operand inverse(TensorBuilder &b, const Operand &matrix) {
  Operand found = fixedInverse(b, matrix);
  return b.cast(
      refined(b, found, found, exact(b, matrix), identityLike(b, found)),
      matrix.type);
}

Operand solve(TensorBuilder &b, const Operand &matrix, const Operand &rhs) {
  Operand found = fixedInverse(b, matrix);
  Operand x = b.matmulAsWritten(found, exact(b, b.held(rhs)));
  return b.cast(refined(b, x, found, exact(b, matrix), exact(b, rhs)),
                rhs.type);
}

/// 0, with the gradient of `x`.
static Operand gradientAlone(TensorBuilder &b, const Operand &x) {
  return b.binary(Binary::Sub, x, b.withoutGradient(x));
}

/// The logarithm's gradient is the inverse's transpose, where it is held.
SignedLog logDeterminant(TensorBuilder &b, const Operand &matrix) {
  Eliminated found = eliminate(b, matrix);
  if (b.takesGradients())
    return {b.cast(found.sign, matrix.type), b.cast(found.log, matrix.type)};
  Operand products = b.binary(Binary::Mul, transposed(b, found.inverse),
                              gradientAlone(b, exact(b, matrix)));
  Operand log = b.binary(Binary::Add, found.log, b.reduceSum(products, {1, 2}));
  return {b.cast(found.sign, matrix.type), b.cast(log, matrix.type)};
}

/// Takes column `number` of what is left of [batch, n, n] into the triangle.
static SmallVector<Operand> factorColumn(TensorBuilder &b,
                                         ArrayRef<Operand> carried,
                                         const Operand &number) {
  const Operand &rest = carried[0], &triangle = carried[1];
  Shape shape = rest.shape, rows{shape[0], shape[1]};
  Operand column = b.gather(rest, number, 2);
  Operand root = b.sqrt(b.gather(column, number, 1));
  Operand isOpen = compareRows(b, Kind::GE, rows, number);
  Operand scaled = b.select(
      isOpen, b.binary(Binary::Div, column, b.broadcast(root, rows, {0})),
      b.splatLike(column, 0.0));
  Operand perRow = b.broadcast(scaled, shape, {0, 1});
  Operand perColumn = b.broadcast(scaled, shape, {0, 2});
  Operand isHere = b.compare(Kind::EQ, b.coordinates(shape, 2),
                             b.broadcast(number, shape, {}));
  return {b.binary(Binary::Sub, rest, b.binary(Binary::Mul, perRow, perColumn)),
          b.select(isHere, perRow, triangle)};
}

/// With L constant, dL = L F(inv(L) dA inv(L)^T), where F takes the lower
/// triangle and half of the diagonal: I. Murray, "Differentiation of the
/// Cholesky decomposition", 2016.
Operand cholesky(TensorBuilder &b, const Operand &matrix) {
  Operand fixed = exact(b, b.withoutGradient(matrix));
  Operand lower = triangleOf(b, fixed, /*upper=*/false);
  Operand isBelow = compareRowAndColumn(b, Kind::GT, fixed);
  Operand strict = b.select(isBelow, fixed, b.splatLike(fixed, 0.0));
  Operand both = b.binary(Binary::Add, lower, transposed(b, strict));
  Operand change = gradientAlone(b, exact(b, matrix));
  change = b.binary(Binary::Mul,
                    b.binary(Binary::Add, change, transposed(b, change)), 0.5);
  if (b.takesGradients())
    both = b.binary(Binary::Add, both, change);
  Operand found = repeat(b, "factor", fixed.shape[1],
                         {both, b.splatLike(both, 0.0)}, factorColumn)[1];
  if (b.takesGradients())
    return b.cast(found, matrix.type);
  found = b.withoutGradient(found);
  Operand inverse = fixedInverse(b, found);
  Operand inner = b.matmulAsWritten(b.matmulAsWritten(inverse, change),
                                    transposed(b, inverse));
  Operand isDiagonal = compareRowAndColumn(b, Kind::EQ, inner);
  inner = b.select(isDiagonal, b.binary(Binary::Mul, inner, 0.5),
                   triangleOf(b, inner, /*upper=*/false));
  return b.cast(b.binary(Binary::Add, found, b.matmulAsWritten(found, inner)),
                matrix.type);
}

/// By Taylor's series of the matrix over 2^10, squared ten times.
Operand matrixExponential(TensorBuilder &b, const Operand &matrix) {
  constexpr int kSquarings = 10, kTerms = 14;
  Operand small =
      b.binary(Binary::Mul, exact(b, matrix), std::ldexp(1.0, -kSquarings));
  Operand identity = identityLike(b, small);
  Operand sum = identity;
  for (int term = kTerms; term > 0; --term)
    sum = b.binary(
        Binary::Add, identity,
        b.binary(Binary::Mul, b.matmulAsWritten(small, sum), 1.0 / term));
  for (int step = 0; step < kSquarings; ++step)
    sum = b.matmulAsWritten(sum, sum);
  return b.cast(sum, matrix.type);
}

} // namespace mpc::build
