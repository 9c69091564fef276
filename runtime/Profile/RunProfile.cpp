// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recorder on a runner.
#include "runtime/Profile/RunProfile.h"

#include "runtime/Profile/Timeline.h"
#include "runtime/Runner/HostWorkspace.h"

#include <utility>

namespace mpc::rt {

Result<std::unique_ptr<RunProfile>> RunProfile::begin(Runner &runner) {
  std::unique_ptr<RunProfile> profile(new RunProfile(runner));
  // A GPU has no workspace on a host.
  if (std::shared_ptr<HostWorkspace> workspace = runner.workspace()) {
    MPC_ASSIGN_OR_RETURN(profile->peaks_, measurePeaks(workspace->pool()));
  }
  runner.observe(&profile->recorder_);
  return profile;
}

void RunProfile::end() {
  if (Runner *runner = std::exchange(runner_, nullptr))
    runner->observe(nullptr);
}

Status RunProfile::writeTimeline(const std::string &path) const {
  return rt::writeTimeline(recorder_, path);
}

} // namespace mpc::rt
