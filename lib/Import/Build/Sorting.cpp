// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts by ranks.
#include "lib/Import/Build/Sorting.h"

#include "dialects/NN/NNDialect.h"
#include "llvm/ADT/Sequence.h"

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

Ordered firstInOrder(TensorBuilder &b, const Operand &input, int64_t axis,
                     int64_t count, bool greatestFirst) {
  int64_t size = input.shape[axis];
  auto order = to_vector(seq<int64_t>(0, input.rank()));
  std::swap(order[axis], order.back());
  Operand last = b.transpose(input, order);
  int64_t rows = size == 0 ? 0 : *countElements(input.shape) / size;
  Operand flat = b.reshape(last, {rows, size});
  Operand ranks = b.fold(nn::RankOp::create(b.builder(), b.location(),
                                            b.tensorType(b.i64(), flat.shape),
                                            flat.value, greatestFirst));
  Operand places = b.sliceAxis(inverseOf(b, ranks), 1, 0, count);
  Shape shape = last.shape;
  shape.back() = count;
  auto restore = [&](const Operand &x) {
    return b.transpose(b.reshape(x, shape), order);
  };
  return {restore(b.gather(flat, places, 1, 1)), restore(places)};
}

} // namespace mpc::build
