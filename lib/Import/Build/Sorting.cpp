// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts by ranks.
#include "lib/Import/Build/Sorting.h"

#include "dialects/NN/NNDialect.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace mpc::build {

/// The place in its row that each rank comes from: the inverse of a
/// permutation, each number written where it belongs.
static Operand inverseOf(TensorBuilder &b, const Operand &ranks) {
  int64_t size = ranks.shape[1];
  mlir::Type type = size < 1 << 24 ? b.f32() : b.f64();
  Operand numbers = b.cast(b.coordinates(ranks.shape, 1), type);
  Operand places = b.fold(nn::ScatterAddOp::create(
      b.builder(), b.location(), b.tensorType(type, ranks.shape), numbers.value,
      ranks.value, /*axis=*/1, /*batch_dims=*/1));
  return b.cast(places, b.i64());
}

/// The places of the first `count` elements of each row in sorted order.
static Operand placesOf(TensorBuilder &b, const Operand &rows, int64_t count,
                        bool greatestFirst) {
  Operand ranks = b.fold(nn::RankOp::create(b.builder(), b.location(),
                                            b.tensorType(b.i64(), rows.shape),
                                            rows.value, greatestFirst));
  return b.sliceAxis(inverseOf(b, ranks), 1, 0, count);
}

/// The elements of a block, so that blocks and candidates are about as many; 0
/// where all elements are sorted in hardly more time.
static int64_t chooseBlock(int64_t size, int64_t count) {
  auto block =
      static_cast<int64_t>(std::sqrt(size / std::max<int64_t>(count, 1)));
  if (count == 0 || block < 2)
    return 0;
  int64_t blocks = divideCeil(size, block);
  return blocks >= count && 2 * (blocks + count * block) <= size ? block : 0;
}

/// The same of the greatest, by blocks of neighbouring elements: what comes
/// first is in the `count` blocks whose greatest elements come first. For an
/// element of another block comes behind these `count` elements, of equal ones
/// too: they are further in front.
static Operand placesInBlocks(TensorBuilder &b, const Operand &rows,
                              int64_t count, int64_t block) {
  int64_t blocks = divideCeil(rows.shape[1], block);
  Operand whole = b.pad(rows, {0, 0}, {0, blocks * block - rows.shape[1]},
                        {0, 0}, -std::numeric_limits<double>::infinity());
  Operand parts = b.reshape(whole, {rows.shape[0], blocks, block});
  Operand best = placesOf(b, b.reduceMax(parts, {2}), count, true);
  // By their places, so that equal elements stay in order.
  Operand chosen = b.gather(best, placesOf(b, best, count, false), 1, 1);
  Shape space = {rows.shape[0], count, block};
  Operand first = b.broadcast(
      b.binary(Binary::Mul, chosen, static_cast<double>(block)), space, {0, 1});
  Shape line = {rows.shape[0], count * block};
  Operand places =
      b.reshape(b.binary(Binary::Add, first, b.coordinates(space, 2)), line);
  Operand candidates = b.reshape(b.gather(parts, chosen, 1, 1), line);
  return b.gather(places, placesOf(b, candidates, count, true), 1, 1);
}

Ordered firstInOrder(TensorBuilder &b, const Operand &input, int64_t axis,
                     int64_t count, bool greatestFirst) {
  int64_t size = input.shape[axis];
  auto order = to_vector(seq<int64_t>(0, input.rank()));
  std::swap(order[axis], order.back());
  Operand last = b.transpose(input, order);
  int64_t rows = size == 0 ? 0 : *countElements(input.shape) / size;
  Operand flat = b.reshape(last, {rows, size});
  // NaN is the greatest in both orders, and the greatest of its block alone.
  int64_t block =
      greatestFirst && input.isFloat() ? chooseBlock(size, count) : 0;
  Operand places = block > 0 ? placesInBlocks(b, flat, count, block)
                             : placesOf(b, flat, count, greatestFirst);
  Shape shape = last.shape;
  shape.back() = count;
  auto restore = [&](const Operand &x) {
    return b.transpose(b.reshape(x, shape), order);
  };
  return {restore(b.gather(flat, places, 1, 1)), restore(places)};
}

} // namespace mpc::build
