// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// ATen's distances between vectors, and losses of them.
#include "lib/Import/Exported/Ops/Losses.h"

#include "dialects/NN/NNDialect.h"
#include "lib/Import/Build/Powers.h"
#include "lib/Import/Build/Reductions.h"

#include <cmath>

using namespace llvm;

namespace mpc::exported {

namespace {

/// Two floating operands of one type, broadcast to each other.
Expected<std::pair<Operand, Operand>> readBoth(Call &call, StringRef first,
                                               StringRef second) {
  MPC_TRY_ASSIGN(Operand x, call.real(first));
  MPC_TRY_ASSIGN(Operand y, call.real(second));
  std::optional<Shape> shape = broadcastShape(x.shape, y.shape);
  if (x.type != y.type || !shape)
    return call.fail("the operands are " + shapeText(x.shape) + " and " +
                     shapeText(y.shape) + ", or of two types");
  TensorBuilder &b = call.build;
  return std::pair(b.broadcastTo(x, *shape), b.broadcastTo(y, *shape));
}

Operand difference(TensorBuilder &b, const Operand &x, const Operand &y) {
  return b.binary(Binary::Sub, x, y);
}
Operand product(TensorBuilder &b, const Operand &x, const Operand &y) {
  return b.binary(Binary::Mul, x, y);
}
/// max(x, 0) with PyTorch's gradient at 0.
Operand positive(TensorBuilder &b, const Operand &x) {
  return b.binary(Binary::Max, x, 0.0);
}

/// The norm along an axis, which goes away.
Expected<Operand> normAlong(Call &call, const Operand &x, int64_t axis,
                            double p) {
  if (std::optional<Operand> found = norm(call.build, x, {axis}, p))
    return *found;
  return call.fail("a norm of order " + std::to_string(p) +
                   " is not supported");
}

/// The norm of the difference along the last axis, to each element of which
/// `eps` is added.
Expected<Operand> distance(Call &call, const Operand &x, const Operand &y,
                           double p) {
  MPC_TRY_ASSIGN(double eps, call.number("eps", 1e-6));
  if (x.rank() == 0)
    return call.fail("the operands are scalars");
  TensorBuilder &b = call.build;
  return normAlong(call, b.binary(Binary::Add, difference(b, x, y), eps),
                   x.rank() - 1, p);
}

Error emitPairwiseDistance(Call &call) {
  MPC_TRY_ASSIGN(auto both, readBoth(call, "x1", "x2"));
  MPC_TRY_ASSIGN(double p, call.number("p", 2.0));
  MPC_TRY_ASSIGN(Operand result, distance(call, both.first, both.second, p));
  MPC_TRY_ASSIGN(Shape shape, call.resultShape());
  MPC_TRY_ASSIGN(result, call.reshaped(result, shape));
  call.result(result);
  return Error::success();
}

/// cdist(): of each vector of one operand to each of the other.
Error emitAllDistances(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("x1"));
  MPC_TRY_ASSIGN(Operand y, call.real("x2"));
  MPC_TRY_ASSIGN(double p, call.number("p", 2.0));
  if (x.rank() < 2 || y.rank() < 2 || x.type != y.type)
    return call.fail("the operands are " + shapeText(x.shape) + " and " +
                     shapeText(y.shape) + ", or of two types");
  TensorBuilder &b = call.build;
  auto withAxis = [&](const Operand &v, int64_t axis) {
    Shape shape = v.shape;
    shape.insert(shape.begin() + axis, 1);
    return b.reshape(v, shape);
  };
  x = withAxis(x, x.rank() - 1);
  y = withAxis(y, y.rank() - 2);
  std::optional<Shape> shape = broadcastShape(x.shape, y.shape);
  if (!shape || x.shape.back() != y.shape.back())
    return call.fail("the operands are " + shapeText(x.shape) + " and " +
                     shapeText(y.shape));
  MPC_TRY(checkSize(*shape));
  Operand apart =
      difference(b, b.broadcastTo(x, *shape), b.broadcastTo(y, *shape));
  MPC_TRY_ASSIGN(Operand result, normAlong(call, apart, apart.rank() - 1, p));
  call.result(result);
  return Error::success();
}

/// The places of all pairs of rows are constants of the program.
constexpr int64_t kMostComparedRows = 2048;

/// pdist(): of each row to each behind it.
Error emitDistancesOfRows(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  MPC_TRY_ASSIGN(double p, call.number("p", 2.0));
  if (x.rank() != 2)
    return call.fail("the operand is " + shapeText(x.shape) +
                     ", expected rows");
  int64_t count = x.shape[0];
  if (count > kMostComparedRows)
    return call.fail("compares " + Twine(count) + " rows, of at most " +
                     Twine(kMostComparedRows) + ": use cdist()");
  std::vector<int64_t> first, second;
  for (int64_t i : seq<int64_t>(0, count))
    for (int64_t j : seq<int64_t>(i + 1, count)) {
      first.push_back(i);
      second.push_back(j);
    }
  TensorBuilder &b = call.build;
  auto rows = [&](const std::vector<int64_t> &places) -> Expected<Operand> {
    MPC_TRY_ASSIGN(Operand at, b.fromValues<int64_t>(
                                   b.i64(), {int64_t(places.size())}, places));
    return b.gather(x, at, 0);
  };
  MPC_TRY_ASSIGN(Operand one, rows(first));
  MPC_TRY_ASSIGN(Operand other, rows(second));
  MPC_TRY_ASSIGN(Operand result,
                 normAlong(call, difference(b, one, other), 1, p));
  call.result(result);
  return Error::success();
}

/// Each vector over its length, which is at least `eps`.
Error emitCosineSimilarity(Call &call) {
  MPC_TRY_ASSIGN(auto both, readBoth(call, "x1", "x2"));
  auto &[x, y] = both;
  MPC_TRY_ASSIGN(int64_t axis, call.axis("dim", x.rank(), 1));
  MPC_TRY_ASSIGN(double eps, call.number("eps", 1e-8));
  if (x.rank() == 0)
    return call.fail("the operands are scalars");
  TensorBuilder &b = call.build;
  auto lengthOf = [&](const Operand &v) {
    Operand length = rootOf(b, b.reduceSum(product(b, v, v), {axis}));
    return b.binary(Binary::Max, length, eps);
  };
  Operand sum = b.reduceSum(product(b, x, y), {axis});
  Operand result =
      b.binary(Binary::Div, sum, product(b, lengthOf(x), lengthOf(y)));
  call.result(result);
  return Error::success();
}

/// 1 or -1 for each, which must be as many as the loss has elements.
Expected<Operand> readSigns(Call &call, const Operand &like) {
  MPC_TRY_ASSIGN(Operand signs, call.tensor("target"));
  return call.broadcastTo(call.build.cast(signs, like.type), like.shape,
                          "the target");
}

/// `one` where the sign is 1, `other` where it is -1.
Operand bySign(TensorBuilder &b, const Operand &signs, const Operand &one,
               const Operand &other) {
  auto where = [&](double sign, const Operand &value) {
    Operand is =
        b.compare(nn::CompareKind::EQ, signs, b.splatLike(signs, sign));
    return b.select(is, value, b.splatLike(value, 0.0));
  };
  return b.binary(Binary::Add, where(1.0, one), where(-1.0, other));
}

Error finish(Call &call, const Operand &loss) {
  MPC_TRY_ASSIGN(Reduction reduction, readReduction(call));
  call.result(reduced(call.build, loss, reduction));
  return Error::success();
}

Error emitCosineEmbeddingLoss(Call &call) {
  MPC_TRY_ASSIGN(auto both, readBoth(call, "input1", "input2"));
  auto &[x, y] = both;
  MPC_TRY_ASSIGN(double margin, call.number("margin", 0.0));
  if (x.rank() == 0)
    return call.fail("the operands are scalars");
  int64_t axis = x.rank() - 1;
  TensorBuilder &b = call.build;
  auto squareOf = [&](const Operand &v) {
    return b.binary(Binary::Add, b.reduceSum(product(b, v, v), {axis}), 1e-12);
  };
  Operand lengths = b.sqrt(product(b, squareOf(x), squareOf(y)));
  Operand cosine =
      b.binary(Binary::Div, b.reduceSum(product(b, x, y), {axis}), lengths);
  MPC_TRY_ASSIGN(Operand signs, readSigns(call, cosine));
  Operand near = b.binary(Binary::Sub, b.splatLike(cosine, 1.0), cosine);
  Operand far = positive(b, b.binary(Binary::Sub, cosine, margin));
  return finish(call, bySign(b, signs, near, far));
}

/// max(0, -y (a - b) + margin)
Error emitMarginRankingLoss(Call &call) {
  MPC_TRY_ASSIGN(auto both, readBoth(call, "input1", "input2"));
  MPC_TRY_ASSIGN(double margin, call.number("margin", 0.0));
  TensorBuilder &b = call.build;
  Operand apart = difference(b, both.second, both.first);
  MPC_TRY_ASSIGN(Operand signs, readSigns(call, apart));
  return finish(call, positive(b, b.binary(Binary::Add,
                                           product(b, signs, apart), margin)));
}

/// max(0, d(anchor, positive) - d(anchor, negative) + margin); with `swap` the
/// negative is also that of the positive, if that is nearer.
Error emitTripletMarginLoss(Call &call) {
  MPC_TRY_ASSIGN(auto near, readBoth(call, "anchor", "positive"));
  MPC_TRY_ASSIGN(auto far, readBoth(call, "anchor", "negative"));
  MPC_TRY_ASSIGN(double margin, call.number("margin", 1.0));
  MPC_TRY_ASSIGN(double p, call.number("p", 2.0));
  MPC_TRY_ASSIGN(bool swaps, call.flag("swap", false));
  MPC_TRY_ASSIGN(Operand one, distance(call, near.first, near.second, p));
  MPC_TRY_ASSIGN(Operand other, distance(call, far.first, far.second, p));
  TensorBuilder &b = call.build;
  if (swaps) {
    MPC_TRY_ASSIGN(auto between, readBoth(call, "positive", "negative"));
    MPC_TRY_ASSIGN(Operand third,
                   distance(call, between.first, between.second, p));
    if (third.shape != other.shape)
      return call.fail("the operands have several shapes");
    other = b.binary(Binary::Min, other, third);
  }
  if (one.shape != other.shape)
    return call.fail("the operands have several shapes");
  Operand loss = b.binary(Binary::Add, difference(b, one, other), margin);
  return finish(call, positive(b, loss));
}

/// x where the target is 1, max(0, margin - x) where it is -1.
Error emitHingeEmbeddingLoss(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  MPC_TRY_ASSIGN(double margin, call.number("margin", 1.0));
  MPC_TRY_ASSIGN(Operand signs, readSigns(call, x));
  TensorBuilder &b = call.build;
  Operand rest = positive(b, b.binary(Binary::Sub, b.splatLike(x, margin), x));
  return finish(call, bySign(b, signs, x, rest));
}

/// log(1 + exp(-y x))
Error emitSoftMarginLoss(Call &call) {
  MPC_TRY_ASSIGN(Operand x, call.real("self"));
  MPC_TRY_ASSIGN(Operand signs, readSigns(call, x));
  TensorBuilder &b = call.build;
  return finish(call, b.unary<nn::SoftplusOp>(b.neg(product(b, signs, x))));
}

/// log(y!) by Stirling, of y above 1.
Operand stirling(TensorBuilder &b, const Operand &y) {
  Operand isAbove = b.compare(nn::CompareKind::GT, y, b.splatLike(y, 1.0));
  Operand safe = b.select(isAbove, y, b.splatLike(y, 2.0));
  Operand term = difference(b, product(b, safe, b.log(safe)), safe);
  Operand circle = b.log(b.binary(Binary::Mul, safe, 2.0 * M_PI));
  term = b.binary(Binary::Add, term, b.binary(Binary::Mul, circle, 0.5));
  return b.select(isAbove, term, b.splatLike(y, 0.0));
}

/// exp(x) - y x, or x - y log(x + eps).
Error emitPoissonLoss(Call &call) {
  MPC_TRY_ASSIGN(auto both, readBoth(call, "input", "target"));
  auto &[x, y] = both;
  MPC_TRY_ASSIGN(bool isLog, call.flag("log_input", true));
  MPC_TRY_ASSIGN(bool isFull, call.flag("full", false));
  MPC_TRY_ASSIGN(double eps, call.number("eps", 1e-8));
  TensorBuilder &b = call.build;
  Operand rate = isLog ? b.exp(x) : x;
  Operand logRate = isLog ? x : b.log(b.binary(Binary::Add, x, eps));
  Operand loss = difference(b, rate, product(b, y, logRate));
  if (isFull)
    loss = b.binary(Binary::Add, loss, stirling(b, y));
  return finish(call, loss);
}

} // namespace

ArrayRef<OpRow> distanceRows() {
  static const OpRow rows[] = {
      {"cdist.default", emitAllDistances},
      {"cosine_embedding_loss.default", emitCosineEmbeddingLoss},
      {"cosine_similarity.default", emitCosineSimilarity},
      {"hinge_embedding_loss.default", emitHingeEmbeddingLoss},
      {"margin_ranking_loss.default", emitMarginRankingLoss},
      {"pairwise_distance.default", emitPairwiseDistance},
      {"pdist.default", emitDistancesOfRows},
      {"poisson_nll_loss.default", emitPoissonLoss},
      {"soft_margin_loss.default", emitSoftMarginLoss},
      {"triplet_margin_loss.default", emitTripletMarginLoss},
  };
  return rows;
}

} // namespace mpc::exported
