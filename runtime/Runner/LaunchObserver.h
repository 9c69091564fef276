// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What an executor tells of the launches that it runs, to one who asks.
#ifndef MPC_RUNTIME_RUNNER_LAUNCHOBSERVER_H
#define MPC_RUNTIME_RUNNER_LAUNCHOBSERVER_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace mpc::rt {

struct Program;

/// A time in nanoseconds of the steady clock, which has no meaning by itself.
using Nanoseconds = int64_t;

/// The current time.
[[nodiscard]] Nanoseconds steadyNow();

/// The part of a launch that one worker did.
struct WorkerTime {
  Nanoseconds begin = 0; ///< When it took its first chunk.
  Nanoseconds end = 0;   ///< When it was done with its last one.
  /// The time that it worked on chunks; 0 where it took none.
  Nanoseconds busy = 0;
};

struct LaunchTime {
  Nanoseconds begin = 0, end = 0;
  /// By worker; empty on a GPU.
  std::span<const WorkerTime> workers = {};
};

/// An observer of runs. An executor calls it on the thread of the run, and no
/// more once the run has ended.
class LaunchObserver {
public:
  virtual ~LaunchObserver() = default;

  /// Called before the first launch of a run of entry number `entry`.
  virtual void beginRun(const std::shared_ptr<const Program> &program,
                        size_t entry, Nanoseconds now) = 0;
  /// Called once for each launch of the entry, in their order, after it is
  /// done.
  virtual void addLaunch(size_t launch, const LaunchTime &time) = 0;
  /// Called after the last launch, unless the run has failed.
  virtual void endRun(Nanoseconds now) = 0;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_LAUNCHOBSERVER_H
