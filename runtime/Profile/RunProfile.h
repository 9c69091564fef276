// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The profile of a runner: it begins, and can be asked and ended at any time.
#ifndef MPC_RUNTIME_PROFILE_RUNPROFILE_H
#define MPC_RUNTIME_PROFILE_RUNPROFILE_H

#include "runtime/Profile/Profile.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Support/Status.h"

#include <memory>
#include <string>

namespace mpc::rt {

class RunProfile {
public:
  /// Measures the peaks on the runner's threads, and observes its runs from
  /// now on. `runner` must outlive this object.
  static Result<std::unique_ptr<RunProfile>> begin(Runner &runner);
  RunProfile(const RunProfile &) = delete;
  RunProfile &operator=(const RunProfile &) = delete;
  ~RunProfile() { end(); }

  /// Observes no more runs. What was recorded stays.
  void end();
  [[nodiscard]] Profile profile() const {
    return makeProfile(recorder_, peaks_);
  }
  Status writeTimeline(const std::string &path) const;

private:
  explicit RunProfile(Runner &runner)
      : runner_(&runner), recorder_(LaunchRecorder::kMostEvents) {}

  Runner *runner_; ///< Null once it has ended.
  MachinePeaks peaks_;
  LaunchRecorder recorder_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROFILE_RUNPROFILE_H
