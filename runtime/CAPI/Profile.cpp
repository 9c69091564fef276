// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profiles over C.
#include "mpc-c/Runner.h"

#include "runtime/CAPI/OnRunner.h"
#include "runtime/Profile/RunProfile.h"

#include <fmt/format.h>

using namespace mpc::rt;

MpcError *mpcRunnerStartProfile(MpcRunner *runner) {
  return onRunner(runner,
                  [](Session &session) { return session.startProfile(); });
}

MpcError *mpcRunnerStopProfile(MpcRunner *runner) {
  return onRunner(runner, [](Session &session) -> Status {
    MPC_ASSIGN_OR_RETURN(RunProfile * profile, session.profile());
    profile->end();
    return {};
  });
}

MpcError *mpcRunnerGetProfile(MpcRunner *runner, MpcProfileForm form,
                              const char **text) {
  return onRunner(runner, [&](Session &session) -> Status {
    MPC_RETURN_IF_ERROR(needs("text", text));
    MPC_ASSIGN_OR_RETURN(RunProfile * profile, session.profile());
    if (form != MPC_PROFILE_JSON && form != MPC_PROFILE_TABLE)
      return usageError(fmt::format("form is {}, expected MPC_PROFILE_JSON or "
                                    "MPC_PROFILE_TABLE",
                                    static_cast<int>(form)));
    Profile known = profile->profile();
    *text = session.keep(form == MPC_PROFILE_JSON
                             ? toJson(known)
                             : describeProfile(known, kShownLaunches));
    return {};
  });
}

MpcError *mpcRunnerWriteTimeline(MpcRunner *runner, const char *path) {
  return onRunner(runner, [&](Session &session) -> Status {
    MPC_RETURN_IF_ERROR(needs("path", path));
    MPC_ASSIGN_OR_RETURN(RunProfile * profile, session.profile());
    return profile->writeTimeline(path);
  });
}
