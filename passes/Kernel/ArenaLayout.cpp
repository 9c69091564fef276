// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Placement of buffers in one arena.
#include "passes/Kernel/ArenaLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc::kernel;

/// The lowest offset at which `buffer` overlaps none of `placed`, which are in
/// order of their offsets.
static int64_t lowestFit(const ArenaBuffer &buffer,
                         llvm::ArrayRef<const ArenaBuffer *> placed) {
  int64_t offset = 0;
  for (const ArenaBuffer *other : placed) {
    bool sameTime = buffer.first <= other->last && other->first <= buffer.last;
    if (!sameTime || other->offset + other->bytes <= offset)
      continue;
    if (offset + buffer.bytes <= other->offset)
      break;
    offset = llvm::alignTo(other->offset + other->bytes, kBufferAlignment);
  }
  return offset;
}

int64_t mpc::kernel::layOut(llvm::MutableArrayRef<ArenaBuffer> buffers) {
  llvm::SmallVector<ArenaBuffer *> bySize;
  for (ArenaBuffer &buffer : buffers)
    bySize.push_back(&buffer);
  llvm::sort(bySize, [](ArenaBuffer *a, ArenaBuffer *b) {
    return std::tuple(-a->bytes, a->first, a) <
           std::tuple(-b->bytes, b->first, b);
  });
  llvm::SmallVector<const ArenaBuffer *> placed;
  int64_t size = 0;
  for (ArenaBuffer *buffer : bySize) {
    buffer->offset = lowestFit(*buffer, placed);
    size = std::max(size, buffer->offset + buffer->bytes);
    placed.insert(
        llvm::upper_bound(placed, buffer,
                          [](const ArenaBuffer *a, const ArenaBuffer *b) {
                            return a->offset < b->offset;
                          }),
        buffer);
  }
  return llvm::alignTo(size, kBufferAlignment);
}
