// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposes small blocks in vectors.
#include "lib/Codegen/CPU/Transpose.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mpc::cpu;

using Values = SmallVector<Value>;

Value mpc::cpu::createShuffle(Emitter &emitter, Value a, Value b,
                              ArrayRef<int64_t> mask) {
  return vector::ShuffleOp::create(emitter.builder, emitter.loc, a, b, mask);
}

/// Exchanges single elements of neighbouring rows.
static Values shufflePairs(Emitter &emitter, ArrayRef<Value> rows) {
  Values pairs;
  for (unsigned row = 0; row < 8; row += 2) {
    pairs.push_back(createShuffle(emitter, rows[row], rows[row + 1],
                                  {0, 8, 1, 9, 4, 12, 5, 13}));
    pairs.push_back(createShuffle(emitter, rows[row], rows[row + 1],
                                  {2, 10, 3, 11, 6, 14, 7, 15}));
  }
  return pairs;
}

/// Exchanges pairs of elements.
static Values shuffleQuads(Emitter &emitter, ArrayRef<Value> pairs) {
  Values quads;
  for (unsigned half = 0; half < 8; half += 4)
    for (unsigned number = 0; number < 2; ++number) {
      Value a = pairs[half + number], b = pairs[half + 2 + number];
      quads.push_back(createShuffle(emitter, a, b, {0, 1, 8, 9, 4, 5, 12, 13}));
      quads.push_back(
          createShuffle(emitter, a, b, {2, 3, 10, 11, 6, 7, 14, 15}));
    }
  return quads;
}

/// Exchanges halves of rows.
static Values shuffleHalves(Emitter &emitter, ArrayRef<Value> quads) {
  Values halves(8);
  for (unsigned number = 0; number < 4; ++number) {
    Value a = quads[number], b = quads[number + 4];
    halves[number] = createShuffle(emitter, a, b, {0, 1, 2, 3, 8, 9, 10, 11});
    halves[number + 4] =
        createShuffle(emitter, a, b, {4, 5, 6, 7, 12, 13, 14, 15});
  }
  return halves;
}

/// The first or the second half of each 8 elements of `a`, and of `b` between
/// them.
static Value interleave(Emitter &emitter, Value a, Value b, int64_t half) {
  int64_t lanes = cast<VectorType>(a.getType()).getDimSize(0);
  SmallVector<int64_t> mask;
  for (int64_t first = 4 * half; first < lanes; first += 8)
    for (int64_t lane = first; lane < first + 4; ++lane)
      mask.append({lane, lanes + lane});
  return createShuffle(emitter, a, b, mask);
}

/// Transposes blocks of 16 bytes. An element's row and column are a number of
/// six bits; a turn brings the first bit to the end, and three turns exchange
/// rows and columns.
static Values transposeInBlocks(Emitter &emitter, ArrayRef<Value> rows) {
  Values from(rows);
  for (unsigned turn = 0; turn < 3; ++turn) {
    Values to;
    for (unsigned row = 0; row < 4; ++row)
      for (int64_t half : {0, 1})
        to.push_back(interleave(emitter, from[row], from[row + 4], half));
    from = to;
  }
  return from;
}

SmallVector<Value> mpc::cpu::transposeEights(Emitter &emitter,
                                             ArrayRef<Value> rows) {
  // CPUs have these shuffles inside of 16 bytes.
  if (cast<VectorType>(rows.front().getType()).getElementTypeBitWidth() == 16)
    return transposeInBlocks(emitter, rows);
  return shuffleHalves(emitter,
                       shuffleQuads(emitter, shufflePairs(emitter, rows)));
}

SmallVector<Value> mpc::cpu::transposeFours(Emitter &emitter,
                                            ArrayRef<Value> rows,
                                            int64_t lanes) {
  auto pick = [&](Value a, Value b, std::array<int64_t, 4> quad) {
    SmallVector<int64_t> mask;
    for (int64_t first = 0; first < lanes; first += 4)
      for (int64_t place : quad)
        mask.push_back(first + (place < 4 ? place : lanes + place - 4));
    return createShuffle(emitter, a, b, mask);
  };
  Value low0 = pick(rows[0], rows[1], {0, 4, 1, 5});
  Value high0 = pick(rows[0], rows[1], {2, 6, 3, 7});
  Value low1 = pick(rows[2], rows[3], {0, 4, 1, 5});
  Value high1 = pick(rows[2], rows[3], {2, 6, 3, 7});
  return {pick(low0, low1, {0, 1, 4, 5}), pick(low0, low1, {2, 3, 6, 7}),
          pick(high0, high1, {0, 1, 4, 5}), pick(high0, high1, {2, 3, 6, 7})};
}
