// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Placement of buffers in one arena.
#include "passes/Kernel/ArenaLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc::kernel;

/// A piece at its place in the arena.
using Placed = ArenaPiece;

/// The lowest offset from `least` on at which `piece` overlaps none of
/// `placed`, which are in order of their offsets.
static int64_t lowestFit(const ArenaPiece &piece, int64_t least,
                         llvm::ArrayRef<Placed> placed) {
  int64_t offset = least;
  for (const Placed &other : placed) {
    bool sameTime = piece.first <= other.last && other.first <= piece.last;
    if (!sameTime || other.offset + other.bytes <= offset)
      continue;
    if (offset + piece.bytes <= other.offset)
      break;
    offset = other.offset + other.bytes;
  }
  return offset;
}

/// The lowest offset at which all pieces of `buffer` fit.
static int64_t lowestFit(const ArenaBuffer &buffer,
                         llvm::ArrayRef<Placed> placed) {
  int64_t offset = 0, tried = -1;
  while (offset != tried) {
    tried = offset;
    for (const ArenaPiece &piece : buffer.pieces) {
      int64_t fit = lowestFit(piece, offset + piece.offset, placed);
      offset = llvm::alignTo(fit - piece.offset, kBufferAlignment);
    }
  }
  return offset;
}

int64_t mpc::kernel::layOut(llvm::MutableArrayRef<ArenaBuffer> buffers) {
  llvm::SmallVector<ArenaBuffer *> bySize;
  for (ArenaBuffer &buffer : buffers)
    bySize.push_back(&buffer);
  llvm::sort(bySize, [](ArenaBuffer *a, ArenaBuffer *b) {
    return std::tuple(-a->bytes, a->pieces.front().first, a) <
           std::tuple(-b->bytes, b->pieces.front().first, b);
  });
  llvm::SmallVector<Placed> placed;
  int64_t size = 0;
  auto isLower = [](const Placed &a, const Placed &b) {
    return a.offset < b.offset;
  };
  for (ArenaBuffer *buffer : bySize) {
    buffer->offset = lowestFit(*buffer, placed);
    size = std::max(size, buffer->offset + buffer->bytes);
    for (Placed piece : buffer->pieces) {
      piece.offset += buffer->offset;
      placed.insert(llvm::upper_bound(placed, piece, isLower), piece);
    }
  }
  return llvm::alignTo(size, kBufferAlignment);
}
