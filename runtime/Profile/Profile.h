// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where the time of a run goes: launch by launch, beside what the machine
/// could do.
#ifndef MPC_RUNTIME_PROFILE_PROFILE_H
#define MPC_RUNTIME_PROFILE_PROFILE_H

#include "runtime/Device/CPU/Peaks.h"
#include "runtime/Profile/LaunchRecorder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mpc::rt {

/// A launch of an entry, in all of its runs.
struct LaunchProfile {
  std::string entry;
  size_t launch = 0;  ///< Its number, as mpc-inspect has it.
  std::string symbol; ///< See Launch.
  std::string kind;  ///< The kernel's, or the command's: "contraction", "copy".
  std::string nodes; ///< The names of the model's nodes that it computes.
  int64_t runs = 0;
  double totalMs = 0;
  double medianMs = 0; ///< Of the newest runs: LaunchRecorder::kNewest.
  double leastMs = 0;
  /// The part of the workers' time in which they work; empty on a GPU.
  std::optional<double> busy = {};
  /// The bytes of its arguments, each in whole, though a gather reads less.
  uint64_t readBytes = 0, writtenBytes = 0;
  uint64_t flops = 0; ///< See KernelWork.
  /// The least time by the machine's peaks: for its operations by FMA, or for
  /// moving its bytes, whichever is more; 0 where it is not known.
  double ceilingMs = 0;
  bool isMemoryBound = false; ///< Whether the bytes decide that.

  [[nodiscard]] uint64_t bytes() const { return readBytes + writtenBytes; }
  /// Rates of the median; 0 where there is nothing to do.
  [[nodiscard]] double gflops() const;
  [[nodiscard]] double gigabytes() const;
  /// The share of the ceiling that the median reaches; 0 where it is not known.
  [[nodiscard]] double ofCeiling() const;
};

/// An entry in all of its runs.
struct EntryProfile {
  std::string name;
  int64_t runs = 0;
  double totalMs = 0, launchesMs = 0; ///< Of the runs, and of their launches.
};

struct Profile {
  double wallMs = 0; ///< From the first run's begin to the last one's end.
  int workers = 0;   ///< The number of threads; 0 on a GPU.
  MachinePeaks peaks;
  std::vector<EntryProfile> entries = {}; ///< In the order of their first runs.
  std::vector<LaunchProfile> launches = {}; ///< The largest total first.
};

/// `peaks` may be unknown, as on a GPU.
[[nodiscard]] Profile makeProfile(const LaunchRecorder &recorder,
                                  const MachinePeaks &peaks);

/// The launches of a table for people, who can ask for all of them as JSON.
inline constexpr size_t kShownLaunches = 20;

/// A table for people, with the first `mostLaunches` launches and a sum of the
/// others.
[[nodiscard]] std::string describeProfile(const Profile &profile,
                                          size_t mostLaunches);
/// All of it as JSON of the schema mpc-profile/1.
[[nodiscard]] std::string toJson(const Profile &profile);

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROFILE_PROFILE_H
