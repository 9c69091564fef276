// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The names of a step's own inputs and outputs: one list for the compiler,
/// which writes steps, and for the runtime, which reads them. All are scalars,
/// and each may be missing.
#ifndef MPC_RUNTIME_PROGRAM_STEPNAMES_H
#define MPC_RUNTIME_PROGRAM_STEPNAMES_H

#include <string_view>

namespace mpc::rt::step {

/// The inputs that are not data: the rate of a step, and, where the step itself
/// chooses, the rate for the case that the step before was skipped.
inline constexpr std::string_view kLearningRate = "lr";
inline constexpr std::string_view kRateAfterSkip = "lr_after_skip";

/// Where several ranks share the batches of a step: the number of a rank's
/// first batch in its window, by which random numbers go; i64[].
inline constexpr std::string_view kFirstBatch = "first_batch";

[[nodiscard]] constexpr bool isRate(std::string_view input) {
  return input == kLearningRate || input == kRateAfterSkip;
}

inline constexpr std::string_view kLoss = "loss";
inline constexpr std::string_view kScale = "scale";
inline constexpr std::string_view kFoundInf = "found_inf";
/// Whether the step was skipped, where found_inf does not decide that.
inline constexpr std::string_view kSkipped = "skipped";
/// The norm of the unscaled gradients before clipping.
inline constexpr std::string_view kGradNorm = "grad_norm";
/// Finite steps since the scale last changed.
inline constexpr std::string_view kGoodSteps = "good_steps";
/// Whether the policy has given up.
inline constexpr std::string_view kScaleError = "scale_error";
/// Gradient elements that have underflowed.
inline constexpr std::string_view kUnderflow = "underflow";
/// The number of infinities that arise in 16 bits but not in f32, and that
/// later ops hide.
inline constexpr std::string_view kHiddenInfinities = "hidden_inf";

/// An input of entry "measure": how many rows of the batch count, from the
/// first on; i64[].
inline constexpr std::string_view kCountedRows = "measure/rows";
/// Whether an input of an entry is data.
[[nodiscard]] constexpr bool isData(std::string_view input) {
  return !isRate(input) && input != kFirstBatch && input != kCountedRows;
}

/// The suffixes of a metric's name for its sum over batches and for the count
/// that divides the sum. Without a count the sum is the metric.
inline constexpr std::string_view kSumSuffix = "/sum";
inline constexpr std::string_view kCountSuffix = "/count";
/// Metrics of that entry with a special meaning. A perplexity is the
/// exponential of the quotient of its sum and its count.
inline constexpr std::string_view kAccuracy = "accuracy";
inline constexpr std::string_view kPerplexity = "perplexity";

} // namespace mpc::rt::step

#endif // MPC_RUNTIME_PROGRAM_STEPNAMES_H
