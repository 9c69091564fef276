// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes recorded launches as a trace that Perfetto and Chrome open.
#ifndef MPC_RUNTIME_PROFILE_TIMELINE_H
#define MPC_RUNTIME_PROFILE_TIMELINE_H

#include "runtime/Profile/LaunchRecorder.h"
#include "runtime/Support/Status.h"

#include <string>

namespace mpc::rt {

/// The tracks of a timeline, by their thread's number.
struct TimelineTrack {
  static constexpr int kRuns = 0;     ///< The runs of entries.
  static constexpr int kLaunches = 1; ///< Launches, from begin to end.
  static constexpr int kWorkers = 2;  ///< The first worker; others follow.
};

/// Writes the events in the JSON form of Chrome's traces: complete events (ph
/// "X") in microseconds since the first run began. No two events of a track
/// overlap.
Status writeTimeline(const LaunchRecorder &recorder, const std::string &path);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROFILE_TIMELINE_H
