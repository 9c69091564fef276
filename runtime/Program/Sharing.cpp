// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The times of launches on threads that take chunks in turns.
#include "runtime/Program/Sharing.h"

#include "runtime/Program/Commands.h"

#include <algorithm>

namespace mpc::rt {
namespace {

double secondsOf(const KernelWork &work, uint64_t bytes) {
  const AssumedCore &core = kAssumedCore;
  double rate = work.kind != "contraction" && work.kind != "attention"
                    ? core.operations
                : work.unit.empty() ? core.products
                                    : core.unitProducts;
  return std::max(static_cast<double>(work.flops) / rate,
                  static_cast<double>(bytes) / core.bytes);
}

uint64_t turnsOf(const Entry &entry, size_t number) {
  for (const LaunchLoop &loop : entry.loops)
    if (number >= loop.first && number < loop.first + loop.count)
      return loop.turns;
  return 1;
}

} // namespace

std::vector<SharedLaunch> shareLaunches(const Entry &entry, int threads) {
  std::vector<SharedLaunch> launches;
  for (size_t number = 0; number < entry.launches.size(); ++number) {
    const Launch &launch = entry.launches[number];
    SharedLaunch one;
    one.number = number;
    one.turns = turnsOf(entry, number);
    if (const auto *kernel = launch.as<HostKernel>())
      one.chunks = std::max<int64_t>(kernel->place().chunks, 1);
    for (const BufferRef &buffer : launch.buffers)
      one.bytes += buffer.bytes;
    one.rounds = (one.chunks + threads - 1) / threads;
    one.waits = threads > 1 && one.chunks > 1;
    one.alone =
        secondsOf(workOf(launch), one.bytes) * static_cast<double>(one.turns);
    one.shared = one.alone * static_cast<double>(one.rounds) /
                 static_cast<double>(one.chunks);
    launches.push_back(one);
  }
  std::sort(launches.begin(), launches.end(),
            [](const SharedLaunch &a, const SharedLaunch &b) {
              return a.shared != b.shared ? a.shared > b.shared
                                          : a.number < b.number;
            });
  return launches;
}

} // namespace mpc::rt
