// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The format: "Trace Event Format" of the Chromium project.
#include "runtime/Profile/Timeline.h"

#include "runtime/Program/Commands.h"
#include "runtime/Support/Output.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mpc::rt {
namespace {

std::string inQuotes(const std::string &text) {
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

std::string trackName(int track) {
  if (track == TimelineTrack::kRuns)
    return "runs";
  if (track == TimelineTrack::kLaunches)
    return "launches";
  return fmt::format("worker {}", track - TimelineTrack::kWorkers);
}

/// A track's name and its place from above.
std::string describeTrack(int track) {
  return fmt::format(
      "{{\"ph\": \"M\", \"pid\": 1, \"tid\": {0}, \"name\": \"thread_name\", "
      "\"args\": {{\"name\": \"{1}\"}}}},\n"
      "{{\"ph\": \"M\", \"pid\": 1, \"tid\": {0}, \"name\": "
      "\"thread_sort_index\", \"args\": {{\"sort_index\": {0}}}}}",
      track, trackName(track));
}

int trackOf(const TimelineEvent &event) {
  if (event.launch == TimelineEvent::kRun)
    return TimelineTrack::kRuns;
  if (event.worker == TimelineEvent::kAllWorkers)
    return TimelineTrack::kLaunches;
  return TimelineTrack::kWorkers + event.worker;
}

/// The fields of a launch's event, of its run or of a worker's part in it.
std::string describeArguments(const TimelineEvent &event, const Entry &entry) {
  std::string text = fmt::format("\"run\": {}", event.run);
  if (event.launch == TimelineEvent::kRun)
    return text;
  text += fmt::format(", \"entry\": {}, \"launch\": {}", inQuotes(entry.name),
                      event.launch);
  if (event.worker != TimelineEvent::kAllWorkers)
    return text;
  const Launch &launch = entry.launches[static_cast<size_t>(event.launch)];
  KernelWork work = workOf(launch);
  return text + fmt::format(", \"kind\": {}, \"nodes\": {}",
                            inQuotes(work.kind), inQuotes(launch.sources));
}

double microseconds(Nanoseconds time) {
  return static_cast<double>(time) / 1e3;
}

std::string describeEvent(const LaunchRecorder &recorder,
                          const TimelineEvent &event) {
  const Entry &entry = recorder.entries()[event.entry].entry();
  bool isRun = event.launch == TimelineEvent::kRun;
  const std::string &name =
      isRun ? entry.name
            : entry.launches[static_cast<size_t>(event.launch)].symbol;
  return fmt::format(
      "{{\"ph\": \"X\", \"pid\": 1, \"tid\": {}, \"ts\": {:.3f}, \"dur\": "
      "{:.3f}, \"name\": {}, \"args\": {{{}}}}}",
      trackOf(event), microseconds(event.begin - recorder.start()),
      microseconds(event.end - event.begin), inQuotes(name),
      describeArguments(event, entry));
}

int numTracks(const LaunchRecorder &recorder) {
  int workers = 0;
  for (const RecordedEntry &entry : recorder.entries())
    workers = std::max(workers, entry.workers);
  return TimelineTrack::kWorkers + workers;
}

} // namespace

Status writeTimeline(const LaunchRecorder &recorder, const std::string &path) {
  MPC_ASSIGN_OR_RETURN(OutputFile file, OutputFile::create(path));
  MPC_RETURN_IF_ERROR(file.append(
      "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n"
      "{\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": "
      "{\"name\": \"mpc\"}}"));
  for (int track = 0; track < numTracks(recorder); ++track)
    MPC_RETURN_IF_ERROR(file.append(",\n" + describeTrack(track)));
  for (const TimelineEvent &event : recorder.events())
    MPC_RETURN_IF_ERROR(file.append(",\n" + describeEvent(recorder, event)));
  MPC_RETURN_IF_ERROR(file.append("\n]}\n"));
  return file.commit();
}

} // namespace mpc::rt
