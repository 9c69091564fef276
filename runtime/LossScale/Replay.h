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
  /// Replaces the file's policy. The file's config is then used only where it
  /// names this same policy; else the policy's defaults hold.
  std::optional<PolicyKind> policy;
  /// On top of the config or the defaults. Not checked: a replay runs what the
  /// reference ran.
  std::vector<SettingOverride> overrides;
  /// An entry with gradient maxima overflows where the largest, times the
  /// scale, is above this, whatever its found_inf says.
  std::optional<double> overflowAbove;
};

/// A run of equal steps in the scale's curve.
struct ScaleRun {
  double scale; ///< In force during the steps.
  bool skipped;
  int64_t steps;
};

struct ReplayResult {
  std::string lines; ///< One JSON object and a newline for each entry.
  std::vector<ScaleRun> curve;
  PolicyKind policy;
};

/// Replays the JSON document `text`. A failure names the entry at fault, by its
/// place in `steps`, but not the file.
[[nodiscard]] Result<ReplayResult> replayTrace(std::string_view text,
                                               const ReplayOptions &options);

/// The curve as a self-contained SVG: log2 of the scale over the steps, with a
/// mark at each run of skipped ones.
[[nodiscard]] std::string scaleCurveSvg(const ReplayResult &result,
                                        std::string_view title);

} // namespace mpc::rt

#endif // MPC_RUNTIME_LOSSSCALE_REPLAY_H
