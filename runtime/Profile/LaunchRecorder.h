// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Collects the times of launches: sums for a profile, and single launches for
/// a timeline.
#ifndef MPC_RUNTIME_PROFILE_LAUNCHRECORDER_H
#define MPC_RUNTIME_PROFILE_LAUNCHRECORDER_H

#include "runtime/Program/Program.h"
#include "runtime/Runner/LaunchObserver.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mpc::rt {

/// The times of a launch in all runs.
struct RecordedLaunch {
  int64_t runs = 0; ///< Each turn of a loop is one.
  Nanoseconds total = 0;
  Nanoseconds least = 0;
  Nanoseconds busy = 0; ///< The sum over the workers.
  /// The times of the newest runs, for their median.
  std::vector<Nanoseconds> newest;
};

/// The runs of an entry.
struct RecordedEntry {
  std::shared_ptr<const Program> program;
  size_t index = 0; ///< The entry's number in the program.
  int64_t runs = 0;
  Nanoseconds total = 0; ///< The time of the runs, launches or not.
  int workers = 0;       ///< The number of workers; 0 on a GPU.
  std::vector<RecordedLaunch> launches;

  [[nodiscard]] const Entry &entry() const { return program->entries[index]; }
};

/// A stretch of time in a timeline.
struct TimelineEvent {
  static constexpr int32_t kRun = -1; ///< The launch of a whole run.
  static constexpr int32_t kAllWorkers = -1;

  uint32_t entry = 0;           ///< The index in entries().
  uint32_t run = 0;             ///< The number of the entry's runs before it.
  int32_t launch = kRun;        ///< The launch, or kRun.
  int32_t worker = kAllWorkers; ///< The worker, or kAllWorkers.
  Nanoseconds begin = 0, end = 0;
};

/// Not for concurrent use.
class LaunchRecorder final : public LaunchObserver {
public:
  /// The number of runs that a median is over.
  static constexpr size_t kNewest = 1024;
  /// The most events of a timeline: some 40 MB in a file.
  static constexpr size_t kMostEvents = size_t(1) << 18;

  /// Records up to `mostEvents` events, of whole runs; none for 0.
  explicit LaunchRecorder(size_t mostEvents) : mostEvents_(mostEvents) {}

  void beginRun(const std::shared_ptr<const Program> &program, size_t entry,
                Nanoseconds now) override;
  void addLaunch(size_t launch, const LaunchTime &time) override;
  void endRun(Nanoseconds now) override;

  /// In the order of their first runs.
  [[nodiscard]] std::span<const RecordedEntry> entries() const {
    return entries_;
  }
  /// The time from the first run's begin to the last one's end.
  [[nodiscard]] Nanoseconds wall() const { return end_ - start_; }
  /// When the first run began.
  [[nodiscard]] Nanoseconds start() const { return start_; }
  /// The events of whole runs, run by run.
  [[nodiscard]] std::span<const TimelineEvent> events() const {
    return {events_.data(), numWhole_};
  }
  /// The number of runs whose events did not fit any more.
  [[nodiscard]] int64_t numRunsWithoutEvents() const { return runsWithout_; }

private:
  RecordedEntry &find(const std::shared_ptr<const Program> &program,
                      size_t entry);
  void addEvents(size_t launch, const LaunchTime &time);
  void closeEvents(Nanoseconds now);

  size_t mostEvents_;
  std::vector<RecordedEntry> entries_;
  std::vector<TimelineEvent> events_;
  size_t numWhole_ = 0; ///< The number of events of runs that have ended.
  int64_t runsWithout_ = 0;
  size_t current_ = 0;              ///< The entry that runs.
  Nanoseconds begin_ = 0;           ///< When it began.
  Nanoseconds start_ = 0, end_ = 0; ///< Of all runs.
  bool keepsEvents_ = false; ///< Whether those of the current run are kept.
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROFILE_LAUNCHRECORDER_H
