// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Learning rates over C.
#include "mpc-c/Schedule.h"

#include "runtime/CAPI/Boundary.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/Schedule.h"

#include <string_view>

using namespace mpc::rt;

namespace {

/// Takes "--lr=0.1".
Status setFlag(Schedule &schedule, const char *text) {
  MPC_RETURN_IF_ERROR(needs("flag", text));
  std::string_view flag = text;
  size_t end = flag.find('=');
  if (end == std::string_view::npos)
    return usageError(quote(flag) + " is not a flag with a value");
  return schedule.setFlag(flag.substr(0, end), flag.substr(end + 1));
}

} // namespace

MpcError *mpcLearningRate(const char *const *flags, size_t numFlags,
                          int64_t totalSteps, int64_t appliedSteps,
                          double *rate) {
  return guarded([&]() -> Status {
    MPC_RETURN_IF_ERROR(needs("rate", rate));
    Schedule schedule;
    schedule.totalSteps = totalSteps;
    for (size_t i = 0; i < numFlags; ++i) {
      MPC_RETURN_IF_ERROR(needs("flags", flags));
      MPC_RETURN_IF_ERROR(setFlag(schedule, flags[i]));
    }
    MPC_RETURN_IF_ERROR(schedule.check());
    if (totalSteps < 0 || appliedSteps < 0)
      return usageError("steps are counted from 0");
    *rate = schedule.at(appliedSteps);
    return {};
  });
}
