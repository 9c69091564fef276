// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of order, cell by cell.
#include "test/support/simt/Shadow.h"

#include <algorithm>

namespace simt {

bool isOrdered(const Moment &earlier, const Moment &now) {
  if (earlier.block != now.block)
    return false;
  if (earlier.thread == now.thread || earlier.blockTime < now.blockTime)
    return true;
  return earlier.warp() == now.warp() && earlier.warpTime < now.warpTime;
}

Shadow::Cell &Shadow::cell(uintptr_t at) {
  uintptr_t number = at / kPageBytes;
  if (number != lastNumber_) {
    std::unique_ptr<Page> &page = pages_[number];
    if (!page)
      page = std::make_unique<Page>();
    lastNumber_ = number;
    lastPage_ = page.get();
  }
  Cell &found = (*lastPage_)[at % kPageBytes / kCellBytes];
  if (found.serial != serial_) {
    found = Cell();
    found.serial = serial_;
  }
  return found;
}

// Time goes up as the machine runs, so that what orders the last reader of a
// warp (or block) orders the others too, if it is a barrier of all of it.
bool Shadow::readersAreOrdered(const Cell &cell, const Moment &now) {
  const Moment &last = cell.reader;
  if (cell.readers == Readers::One)
    return isOrdered(last, now);
  if (last.block != now.block)
    return false;
  bool sameWarp = cell.readers == Readers::OneWarp && last.warp() == now.warp();
  return last.blockTime < now.blockTime ||
         (sameWarp && last.warpTime < now.warpTime);
}

void Shadow::addReader(Cell &cell, uint8_t bytes, const Moment &now) {
  if (cell.readBytes == 0 || readersAreOrdered(cell, now))
    cell.readers = Readers::One;
  else if (cell.readers != Readers::Many && cell.reader.block == now.block &&
           cell.reader.warp() == now.warp())
    cell.readers = Readers::OneWarp;
  else
    cell.readers = Readers::Many;
  cell.readBytes |= bytes;
  cell.reader = now;
}

Conflict Shadow::accessCell(Cell &cell, uint8_t bytes, Access kind,
                            const Moment &now) {
  other_ = cell.writer;
  if (cell.inFlight)
    return Conflict::InFlight;
  bool bothAtomic = kind == Access::Atomic && cell.atomic;
  if ((cell.writtenBytes & bytes) != 0 && !bothAtomic &&
      !isOrdered(cell.writer, now))
    return Conflict::Race;
  if (kind == Access::Read) {
    if (tracksUnwritten_ && (cell.writtenBytes & bytes) != bytes)
      return Conflict::Unwritten;
    addReader(cell, bytes, now);
    return Conflict::None;
  }
  if ((cell.readBytes & bytes) != 0 && !readersAreOrdered(cell, now)) {
    other_ = cell.reader;
    return Conflict::Race;
  }
  cell.writtenBytes |= bytes;
  cell.readBytes &= static_cast<uint8_t>(~bytes);
  cell.atomic = kind == Access::Atomic;
  cell.writer = now;
  return Conflict::None;
}

Conflict Shadow::access(uintptr_t at, size_t bytes, Access kind,
                        const Moment &now, Moment &other) {
  uintptr_t end = at + bytes;
  while (at < end) {
    uintptr_t first = at % kCellBytes;
    size_t count = std::min<size_t>(kCellBytes - first, end - at);
    auto mask = static_cast<uint8_t>(((1U << count) - 1) << first);
    Conflict found = accessCell(cell(at), mask, kind, now);
    if (found != Conflict::None) {
      other = other_;
      return found;
    }
    at += count;
  }
  return Conflict::None;
}

void Shadow::setInFlight(uintptr_t at, size_t bytes, bool inFlight) {
  for (size_t i = 0; i < bytes; i += kCellBytes)
    cell(at + i).inFlight = inFlight;
}

} // namespace simt
