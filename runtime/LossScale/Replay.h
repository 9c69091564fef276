// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs a loss-scale policy over a recorded trace: events, or maxima of
/// gradients (schema mpc-loss-scale-trace/1).
#ifndef MPC_RUNTIME_LOSSSCALE_REPLAY_H
#define MPC_RUNTIME_LOSSSCALE_REPLAY_H

#include "runtime/LossScale/PolicyInfo.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

struct ReplayOptions {
  /// Replaces the file's policy. The file's config then counts only where it is
  /// for this same policy; else the policy's defaults are used.
  std::optional<PolicyKind> policy;
  /// Values that replace those of the config or the defaults. They are not
  /// checked, since a replay runs what the reference ran.
  std::vector<SettingOverride> overrides;
  /// An entry with gradient maxima overflows where the largest, times the
  /// scale, is above this number, whatever its found_inf.
  std::optional<double> overflowAbove;
};

/// A run of steps with equal scale and outcome in the curve.
struct ScaleRun {
  double scale; ///< The scale during these steps.
  bool skipped;
  int64_t steps;
};

struct ReplayResult {
  std::string lines; ///< One JSON object and a newline for each entry.
  std::vector<ScaleRun> curve;
  PolicyKind policy;
};

/// Replays the JSON document `text`. An error names the entry by its position
/// in `steps`, but not the file.
[[nodiscard]] Result<ReplayResult> replayTrace(std::string_view text,
                                               const ReplayOptions &options);

/// The curve as a self-contained SVG: log2 of the scale over the steps, with a
/// mark at each run of skipped ones.
[[nodiscard]] std::string scaleCurveSvg(const ReplayResult &result,
                                        std::string_view title);

} // namespace mpc::rt

#endif // MPC_RUNTIME_LOSSSCALE_REPLAY_H
