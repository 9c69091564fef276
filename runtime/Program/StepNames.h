// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a step calls its own inputs and outputs: one list for the compiler,
/// which writes steps, and for the runtime, which reads them. All are scalars,
/// and each may be missing.
#ifndef MPC_RUNTIME_PROGRAM_STEPNAMES_H
#define MPC_RUNTIME_PROGRAM_STEPNAMES_H

#include <string_view>

namespace mpc::rt::step {

/// The inputs that are not data: the rate of a step, and, where the step itself
/// chooses, its rate where the step before was skipped.
inline constexpr std::string_view kLearningRate = "lr";
inline constexpr std::string_view kRateAfterSkip = "lr_after_skip";

[[nodiscard]] constexpr bool isRate(std::string_view input) {
  return input == kLearningRate || input == kRateAfterSkip;
}

inline constexpr std::string_view kLoss = "loss";
inline constexpr std::string_view kScale = "scale";
inline constexpr std::string_view kFoundInf = "found_inf";
/// Where it is not what found_inf says.
inline constexpr std::string_view kSkipped = "skipped";
/// Before clipping, unscaled.
inline constexpr std::string_view kGradNorm = "grad_norm";
/// Finite steps since the scale last changed.
inline constexpr std::string_view kGoodSteps = "good_steps";
/// Whether the policy gives up.
inline constexpr std::string_view kScaleError = "scale_error";
/// Gradient elements that have underflowed.
inline constexpr std::string_view kUnderflow = "underflow";
/// Infinities that 16 bits alone make and that what reads them hides.
inline constexpr std::string_view kHiddenInfinities = "hidden_inf";

/// Of entry "measure": how many rows of the batch count, the first ones, i64[].
inline constexpr std::string_view kCountedRows = "measure/rows";
/// Behind a metric's name: what its batches add up to, and what they divide
/// that by. Without a count the sum is the metric.
inline constexpr std::string_view kSumSuffix = "/sum";
inline constexpr std::string_view kCountSuffix = "/count";
/// Metrics of that entry that have a meaning of their own. A perplexity is the
/// exponential of what its sum and its count come to.
inline constexpr std::string_view kAccuracy = "accuracy";
inline constexpr std::string_view kPerplexity = "perplexity";

} // namespace mpc::rt::step

#endif // MPC_RUNTIME_PROGRAM_STEPNAMES_H
