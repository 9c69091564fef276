// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reports the first tensor of a step that became inf or NaN: the question, the
/// finding, and the report.
#ifndef MPC_RUNTIME_TRAIN_NANREPORT_H
#define MPC_RUNTIME_TRAIN_NANREPORT_H

#include "runtime/Program/ProbeSite.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// A tensor of a step and its largest absolute value; NaN where it has a NaN.
struct ProbedTensor : ProbeSite {
  double largest = 0;
};

/// The first tensor of a step, in program order, that is not finite.
struct NanFinding {
  ProbedTensor first;
  size_t site = 0; ///< The number of its site.
  /// The rank on whose batch it was found, and the number of that batch in the
  /// step; empty for a process alone.
  std::optional<uint32_t> rank = {};
  std::optional<int64_t> batch = {};
  /// The largest value among its op's operands; empty where the op reads no
  /// tensor.
  std::optional<double> largestInput;
  /// The first parameter gradient that is not finite.
  std::optional<ProbedTensor> parameter;
  /// The nodes that fp32 could help: those that made a 16-bit tensor which is
  /// not finite, or those to which the first such gradient belongs.
  std::vector<std::string> guilty;
};

/// A request to run an entry of a step again and examine every tensor.
struct ProbeRequest {
  std::string_view entry = "step";
  /// The state before the step; empty to continue with the state that the
  /// request before this one left.
  std::vector<TensorView> state;
  /// The scale in place of the state's, which a skipped step has changed.
  std::optional<double> scale;
  /// The batch of an input, by name; also "lr".
  std::function<const void *(std::string_view)> input;
};

/// Runs a probe. Empty where every tensor that the step uses is finite.
using NanProbe =
    std::function<Result<std::optional<NanFinding>>(const ProbeRequest &)>;

/// The step that a report is about.
struct NanStep {
  int64_t step = 0;
  bool skipped = false;
  double loss = 0;
  double scale = 1;
  float lr = 0;
};

/// "gradient of node 'fc2' (nn.matmul), f16[4x3], largest inf".
[[nodiscard]] std::string describe(const ProbedTensor &tensor);
/// One sentence about the finding.
[[nodiscard]] std::string describe(const std::optional<NanFinding> &finding);
/// One line of JSON with its line break. Numbers that JSON lacks are strings.
[[nodiscard]] std::string toJson(const NanStep &step,
                                 const std::optional<NanFinding> &finding);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_NANREPORT_H
