// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Who touched which byte of memory when: finds accesses of two threads that
/// nothing orders, whatever order they ran in.
#ifndef MPC_TEST_SUPPORT_SIMT_SHADOW_H
#define MPC_TEST_SUPPORT_SIMT_SHADOW_H

#include "test/support/simt/Module.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace simt {

/// A thread of a launch at a point of its run. Times count barriers; within one
/// block (and one warp) a later one is ordered after an earlier one.
struct Moment {
  uint32_t block = 0;
  uint16_t thread = 0;
  uint16_t blockTime = 0; ///< Barriers of the block so far.
  uint16_t warpTime = 0;  ///< Barriers of the warp so far.

  [[nodiscard]] uint16_t warp() const { return thread / 32; }
};

/// Whether what `earlier` did is ordered before what `now` does.
[[nodiscard]] bool isOrdered(const Moment &earlier, const Moment &now);

/// What an access found.
enum class Conflict {
  None,
  Race,      ///< Another thread's access that nothing orders.
  InFlight,  ///< An asynchronous copy to these bytes that was not waited for.
  Unwritten, ///< Memory that nobody has written; only where that is asked for.
};

/// The accesses to one address space in one launch or block.
class Shadow {
public:
  /// With `tracksUnwritten`, reading what was not written is a conflict.
  explicit Shadow(bool tracksUnwritten) : tracksUnwritten_(tracksUnwritten) {}

  void clear() { ++serial_; }
  /// `other` is set to the moment of the access in conflict.
  Conflict access(uintptr_t at, size_t bytes, Access kind, const Moment &now,
                  Moment &other);
  /// Marks bytes as being written by an asynchronous copy, or as done.
  void setInFlight(uintptr_t at, size_t bytes, bool inFlight);

private:
  /// Readers since the last write that nothing orders among themselves.
  enum class Readers : uint8_t { One, OneWarp, Many };
  /// Two bytes, the smallest element that kernels write side by side often.
  struct Cell {
    uint32_t serial = 0;
    uint8_t writtenBytes = 0, readBytes = 0;
    bool inFlight = false, atomic = false;
    Readers readers = Readers::One;
    Moment writer;
    Moment reader; ///< The last one.
  };
  static constexpr size_t kCellBytes = 2;
  static constexpr size_t kPageBytes = 1024;
  using Page = std::array<Cell, kPageBytes / kCellBytes>;

  Cell &cell(uintptr_t at);
  Conflict accessCell(Cell &cell, uint8_t bytes, Access kind,
                      const Moment &now);
  static bool readersAreOrdered(const Cell &cell, const Moment &now);
  static void addReader(Cell &cell, uint8_t bytes, const Moment &now);

  bool tracksUnwritten_;
  uint32_t serial_ = 1;
  uintptr_t lastNumber_ = ~uintptr_t{0};
  Page *lastPage_ = nullptr;
  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages_;
  Moment other_;
};

} // namespace simt

#endif // MPC_TEST_SUPPORT_SIMT_SHADOW_H
