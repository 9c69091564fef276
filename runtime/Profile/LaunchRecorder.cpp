// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds up times, and keeps the events of the first runs.
#include "runtime/Profile/LaunchRecorder.h"

#include <algorithm>

namespace mpc::rt {

RecordedEntry &
LaunchRecorder::find(const std::shared_ptr<const Program> &program,
                     size_t entry) {
  auto found = std::find_if(
      entries_.begin(), entries_.end(), [&](const RecordedEntry &one) {
        return one.program == program && one.index == entry;
      });
  if (found != entries_.end())
    return *found;
  RecordedEntry made;
  made.program = program;
  made.index = entry;
  made.launches.resize(program->entries[entry].launches.size());
  entries_.push_back(std::move(made));
  return entries_.back();
}

void LaunchRecorder::beginRun(const std::shared_ptr<const Program> &program,
                              size_t entry, Nanoseconds now) {
  if (entries_.empty())
    start_ = now;
  const RecordedEntry &found = find(program, entry);
  current_ = static_cast<size_t>(&found - entries_.data());
  begin_ = now;
  // A run that failed has left some.
  events_.resize(numWhole_);
  keepsEvents_ = mostEvents_ > 0;
}

void LaunchRecorder::addLaunch(size_t launch, const LaunchTime &time) {
  RecordedEntry &entry = entries_[current_];
  RecordedLaunch &one = entry.launches[launch];
  Nanoseconds taken = time.end - time.begin;
  one.total += taken;
  one.least = one.runs == 0 ? taken : std::min(one.least, taken);
  for (const WorkerTime &worker : time.workers)
    one.busy += worker.busy;
  entry.workers = static_cast<int>(time.workers.size());
  if (one.newest.size() < kNewest)
    one.newest.push_back(taken);
  else
    one.newest[static_cast<size_t>(one.runs) % kNewest] = taken;
  ++one.runs;
  if (keepsEvents_)
    addEvents(launch, time);
}

void LaunchRecorder::addEvents(size_t launch, const LaunchTime &time) {
  TimelineEvent event{static_cast<uint32_t>(current_),
                      static_cast<uint32_t>(entries_[current_].runs),
                      static_cast<int32_t>(launch),
                      TimelineEvent::kAllWorkers,
                      time.begin,
                      time.end};
  events_.push_back(event);
  for (size_t i = 0; i < time.workers.size(); ++i) {
    const WorkerTime &worker = time.workers[i];
    if (worker.busy == 0)
      continue;
    event.worker = static_cast<int32_t>(i);
    event.begin = worker.begin;
    event.end = worker.end;
    events_.push_back(event);
  }
  // One is left for the run as a whole.
  keepsEvents_ = events_.size() < mostEvents_;
}

/// Keeps the events of the run, or none of this and later ones.
void LaunchRecorder::closeEvents(Nanoseconds now) {
  if (mostEvents_ == 0)
    return;
  if (!keepsEvents_) {
    events_.resize(numWhole_);
    mostEvents_ = 0;
    ++runsWithout_;
    return;
  }
  events_.push_back({static_cast<uint32_t>(current_),
                     static_cast<uint32_t>(entries_[current_].runs),
                     TimelineEvent::kRun, TimelineEvent::kAllWorkers, begin_,
                     now});
  numWhole_ = events_.size();
}

void LaunchRecorder::endRun(Nanoseconds now) {
  if (runsWithout_ > 0)
    ++runsWithout_;
  closeEvents(now);
  RecordedEntry &entry = entries_[current_];
  ++entry.runs;
  entry.total += now - begin_;
  end_ = now;
}

} // namespace mpc::rt
