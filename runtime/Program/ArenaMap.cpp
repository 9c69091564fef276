// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows the launches of an entry through its arena.
#include "runtime/Program/ArenaMap.h"

#include <algorithm>
#include <tuple>

namespace mpc::rt {
namespace {

class ArenaWalk {
public:
  /// Memory that was written before the loop of `launch` is read in all of its
  /// turns: until launch `end`.
  void read(const BufferRef &ref, size_t launch, size_t begin, size_t end);
  void write(const BufferRef &ref, size_t launch);
  std::vector<ArenaValue> takeValues();

private:
  std::vector<ArenaValue> values_;
  /// Indices into `values_` of those not overwritten yet.
  std::vector<size_t> current_;
};

bool overlaps(const ArenaValue &value, const BufferRef &ref) {
  return value.offset < ref.offset + ref.bytes &&
         ref.offset < value.offset + value.bytes;
}

bool covers(const BufferRef &ref, const ArenaValue &value) {
  return ref.offset <= value.offset &&
         value.offset + value.bytes <= ref.offset + ref.bytes;
}

void ArenaWalk::read(const BufferRef &ref, size_t launch, size_t begin,
                     size_t end) {
  bool isKnown = false;
  for (size_t index : current_)
    if (ArenaValue &value = values_[index]; overlaps(value, ref)) {
      value.last = value.first < begin ? end : launch;
      isKnown = true;
    }
  // Memory that no launch has written is a kernel's workspace.
  if (!isKnown)
    write(ref, launch);
}

void ArenaWalk::write(const BufferRef &ref, size_t launch) {
  std::erase_if(current_,
                [&](size_t index) { return covers(ref, values_[index]); });
  current_.push_back(values_.size());
  values_.push_back({ref.offset, ref.bytes, launch, launch});
}

std::vector<ArenaValue> ArenaWalk::takeValues() {
  std::sort(values_.begin(), values_.end(),
            [](const ArenaValue &a, const ArenaValue &b) {
              return std::tie(a.first, a.offset, a.bytes) <
                     std::tie(b.first, b.offset, b.bytes);
            });
  return std::move(values_);
}

/// The bytes of ranges that are written at `from` or before and read at `to` or
/// later. Bytes in two ranges count once, as where a result overwrites an
/// operand.
uint64_t liveBytes(const std::vector<ArenaValue> &values, size_t from,
                   size_t to) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const ArenaValue &value : values)
    if (value.first <= from && to <= value.last)
      ranges.emplace_back(value.offset, value.offset + value.bytes);
  std::sort(ranges.begin(), ranges.end());
  uint64_t bytes = 0, end = 0;
  for (auto [begin, stop] : ranges) {
    begin = std::max(begin, end);
    bytes += stop > begin ? stop - begin : 0;
    end = std::max(end, stop);
  }
  return bytes;
}

void measureFullest(ArenaMap &map, size_t launches) {
  for (size_t i = 0; i < launches; ++i)
    if (uint64_t bytes = liveBytes(map.values, i, i); bytes > map.lowerBound) {
      map.lowerBound = bytes;
      map.fullest = i;
    }
  if (map.fullest > 0)
    map.waitingBytes = liveBytes(map.values, map.fullest - 1, map.fullest + 1);
}

/// The range that `ref` has in `turns` turns.
BufferRef spanOf(BufferRef ref, uint64_t turns) {
  if (ref.stride == 0 || turns < 2)
    return ref;
  uint64_t moves = turns - 1;
  if (ref.period != 0)
    moves = std::min<uint64_t>(moves, ref.period - 1);
  // A file may state any stride: what leaves the memory is refused elsewhere.
  uint64_t stride = static_cast<uint64_t>(ref.stride);
  uint64_t way = moves * (ref.stride < 0 ? 0 - stride : stride);
  if (ref.stride < 0)
    ref.offset -= way;
  ref.bytes += way;
  return ref;
}

/// The loop of a launch, or the launch alone.
LaunchLoop loopOf(const Entry &entry, size_t launch) {
  for (const LaunchLoop &loop : entry.loops)
    if (launch >= loop.first && launch - loop.first < loop.count)
      return loop;
  return {launch, 1, 1};
}

} // namespace

ArenaMap mapArena(const Entry &entry) {
  ArenaWalk walk;
  for (size_t i = 0; i < entry.launches.size(); ++i) {
    const Launch &launch = entry.launches[i];
    LaunchLoop loop = loopOf(entry, i);
    for (size_t b = 0; b < launch.buffers.size(); ++b) {
      BufferRef ref = spanOf(launch.buffers[b], loop.turns);
      if (ref.space != Space::Arena || ref.bytes == 0)
        continue;
      if (b < launch.numRead)
        walk.read(ref, i, loop.first, loop.first + loop.count - 1);
      else
        walk.write(ref, i);
    }
  }
  ArenaMap map;
  map.values = walk.takeValues();
  measureFullest(map, entry.launches.size());
  return map;
}

} // namespace mpc::rt
