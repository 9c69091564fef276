// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The profile of a tool's run: what --profile and --timeline ask for.
#ifndef MPC_RUNTIME_PROFILE_PROFILER_H
#define MPC_RUNTIME_PROFILE_PROFILER_H

#include "runtime/Profile/Profile.h"
#include "runtime/Support/Status.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace mpc::rt {

struct ProfilerOptions {
  /// The value of a profile that is a table alone.
  static constexpr std::string_view kTableOnly = "stderr";

  /// kTableOnly, the file of JSON, or empty for none.
  std::string profile = {};
  std::string timeline = {}; ///< The file of the trace; or empty.
  /// The number of threads of the runs: see ExecutorOptions.
  int threads = 0;
  bool onGpu = false; ///< Whether runs are on a GPU, whose peaks are not known.

  [[nodiscard]] bool isAsked() const {
    return !profile.empty() || !timeline.empty();
  }
};

class Profiler {
public:
  /// Writes text to the user.
  using Tell = std::function<void(std::string_view)>;

  /// Checks that the files can be written, and measures the machine's peaks.
  static Result<std::unique_ptr<Profiler>> create(ProfilerOptions options);

  /// The observer of the runs, for ExecutorOptions.
  [[nodiscard]] LaunchObserver &observer() { return recorder_; }
  /// Writes what was asked for, after the last run.
  Status finish(const Tell &tell) const;

private:
  Profiler(ProfilerOptions options, MachinePeaks peaks);
  Status finishTimeline(const Tell &tell) const;

  ProfilerOptions options_;
  MachinePeaks peaks_;
  LaunchRecorder recorder_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROFILE_PROFILER_H
