// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures peaks before the runs, and writes the results after them.
#include "runtime/Profile/Profiler.h"

#include "runtime/Profile/Timeline.h"
#include "runtime/Support/Output.h"

#include <fmt/format.h>

namespace mpc::rt {
namespace {

Status checkFile(const char *flag, const std::string &path) {
  if (path.empty())
    return {};
  return checkOutput(path).withContext(flag);
}

Result<MachinePeaks> findPeaks(const ProfilerOptions &options) {
  if (options.profile.empty() || options.onGpu)
    return MachinePeaks();
  MPC_ASSIGN_OR_RETURN(auto pool, ThreadPool::create(options.threads));
  return measurePeaks(*pool);
}

} // namespace

Profiler::Profiler(ProfilerOptions options, MachinePeaks peaks)
    : options_(std::move(options)), peaks_(std::move(peaks)),
      recorder_(options_.timeline.empty() ? 0 : LaunchRecorder::kMostEvents) {}

Result<std::unique_ptr<Profiler>> Profiler::create(ProfilerOptions options) {
  if (options.profile != ProfilerOptions::kTableOnly)
    MPC_RETURN_IF_ERROR(checkFile("--profile", options.profile));
  MPC_RETURN_IF_ERROR(checkFile("--timeline", options.timeline));
  MPC_ASSIGN_OR_RETURN(MachinePeaks peaks, findPeaks(options));
  return std::unique_ptr<Profiler>(
      new Profiler(std::move(options), std::move(peaks)));
}

Status Profiler::finishTimeline(const Tell &tell) const {
  if (options_.timeline.empty())
    return {};
  if (int64_t others = recorder_.numRunsWithoutEvents())
    tell(fmt::format("timeline: full after {} events; the last {} runs are not "
                     "in it\n",
                     recorder_.events().size(), others));
  return writeTimeline(recorder_, options_.timeline);
}

Status Profiler::finish(const Tell &tell) const {
  Status timeline = finishTimeline(tell);
  if (options_.profile.empty())
    return timeline;
  Profile profile = makeProfile(recorder_, peaks_);
  tell(describeProfile(profile, kShownLaunches));
  if (options_.profile != ProfilerOptions::kTableOnly)
    MPC_RETURN_IF_ERROR(writeOutput(options_.profile, toJson(profile)));
  return timeline;
}

} // namespace mpc::rt
