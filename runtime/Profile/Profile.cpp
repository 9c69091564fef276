// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rates and shares of the recorded times.
#include "runtime/Profile/Profile.h"

#include "runtime/Program/Commands.h"

#include <algorithm>
#include <tuple>

namespace mpc::rt {
namespace {

double toMs(Nanoseconds time) { return static_cast<double>(time) / 1e6; }

double medianMs(std::vector<Nanoseconds> times) {
  if (times.empty())
    return 0;
  auto middle = times.begin() + static_cast<int64_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return toMs(*middle);
}

/// Sets the bytes of the launch's buffers.
void addBytes(const Launch &launch, LaunchProfile &row) {
  for (size_t i = 0; i < launch.buffers.size(); ++i)
    (i < launch.numRead ? row.readBytes : row.writtenBytes) +=
        launch.buffers[i].bytes;
}

/// Sets the least time by the machine's peaks, that of `unit` among them.
void addCeiling(const MachinePeaks &peaks, std::string_view unit,
                LaunchProfile &row) {
  if (!peaks.isKnown())
    return;
  auto bytes = static_cast<double>(row.bytes());
  double compute = static_cast<double>(row.flops) / peaks.flops(unit) * 1e3;
  double move = bytes / peaks.bandwidth(row.bytes()) * 1e3;
  row.ceilingMs = std::max(compute, move);
  row.isMemoryBound = move > compute;
}

LaunchProfile makeRow(const RecordedEntry &entry, size_t index,
                      const MachinePeaks &peaks) {
  const Launch &launch = entry.entry().launches[index];
  const RecordedLaunch &times = entry.launches[index];
  KernelWork work = workOf(launch);
  LaunchProfile row{.entry = entry.entry().name,
                    .launch = index,
                    .symbol = launch.symbol,
                    .kind = work.kind.empty()
                                ? std::string(launch.command->kind())
                                : work.kind,
                    .nodes = launch.sources,
                    .runs = times.runs,
                    .totalMs = toMs(times.total),
                    .medianMs = medianMs(times.newest),
                    .leastMs = toMs(times.least),
                    .flops = work.flops};
  if (entry.workers > 0 && times.total > 0)
    row.busy = static_cast<double>(times.busy) /
               static_cast<double>(times.total * entry.workers);
  addBytes(launch, row);
  addCeiling(peaks, work.unit, row);
  return row;
}

EntryProfile makeEntry(const RecordedEntry &entry) {
  EntryProfile profile{entry.entry().name, entry.runs, toMs(entry.total)};
  for (const RecordedLaunch &launch : entry.launches)
    profile.launchesMs += toMs(launch.total);
  return profile;
}

/// A rate in units of 10^9 a second.
double rate(uint64_t amount, double ms) {
  return ms > 0 ? static_cast<double>(amount) / ms / 1e6 : 0;
}

} // namespace

double LaunchProfile::gflops() const { return rate(flops, medianMs); }
double LaunchProfile::gigabytes() const { return rate(bytes(), medianMs); }
double LaunchProfile::ofCeiling() const {
  return medianMs > 0 ? ceilingMs / medianMs : 0;
}

Profile makeProfile(const LaunchRecorder &recorder, const MachinePeaks &peaks) {
  Profile profile{.wallMs = toMs(recorder.wall()), .peaks = peaks};
  for (const RecordedEntry &entry : recorder.entries()) {
    profile.entries.push_back(makeEntry(entry));
    profile.workers = std::max(profile.workers, entry.workers);
    for (size_t i = 0; i < entry.launches.size(); ++i)
      profile.launches.push_back(makeRow(entry, i, peaks));
  }
  std::sort(profile.launches.begin(), profile.launches.end(),
            [](const LaunchProfile &a, const LaunchProfile &b) {
              return std::tie(b.totalMs, a.entry, a.launch) <
                     std::tie(a.totalMs, b.entry, b.launch);
            });
  return profile;
}

} // namespace mpc::rt
