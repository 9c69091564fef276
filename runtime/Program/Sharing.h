// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How well the launches of a program for CPUs are shared among threads: what
/// follows from the numbers of their chunks alone.
#ifndef MPC_RUNTIME_PROGRAM_SHARING_H
#define MPC_RUNTIME_PROGRAM_SHARING_H

#include "runtime/Program/Program.h"

#include <cstdint>
#include <vector>

namespace mpc::rt {

/// A launch, shared among threads that take its chunks in turns.
struct SharedLaunch {
  size_t number = 0;  ///< In its entry.
  uint64_t turns = 1; ///< How often the entry runs it.
  int64_t chunks = 1;
  uint64_t bytes = 0; ///< Of its buffers.
  /// The most chunks that one thread has to take.
  int64_t rounds = 1;
  /// Whether all threads wait for the last one at its end. A single chunk runs
  /// on the thread that called.
  bool waits = false;
  /// The time of one thread for all chunks and turns, in seconds of an assumed
  /// core: see kAssumedCore.
  double alone = 0.0;
  /// The time of all threads.
  double shared = 0.0;

  /// The part of the threads' time in which they work.
  [[nodiscard]] double busy(int threads) const {
    return shared == 0.0 ? 1.0 : alone / (shared * threads);
  }
};

/// A core by which launches are weighed against each other: floating-point
/// operations a second of contractions by f32 and by a unit of the CPU for 16
/// bits, those of others, and bytes a second. It is about one of a Zen 4 at 3.7
/// GHz beside others that are busy, too.
struct AssumedCore {
  double products = 1.0e11, unitProducts = 2.0e11, operations = 2.0e10,
         bytes = 1.2e10;
};
inline constexpr AssumedCore kAssumedCore;

/// The launches of `entry`, one that takes the most of the threads' time first.
/// `threads` is at least 1.
[[nodiscard]] std::vector<SharedLaunch> shareLaunches(const Entry &entry,
                                                      int threads);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_SHARING_H
