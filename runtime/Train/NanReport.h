// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which tensor of a step first went inf or NaN: what is asked, what is found,
/// and how it is told.
#ifndef MPC_RUNTIME_TRAIN_NANREPORT_H
#define MPC_RUNTIME_TRAIN_NANREPORT_H

#include "runtime/Program/ProbeSite.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// A tensor of a step and its largest absolute value; NaN where it holds one.
struct ProbedTensor : ProbeSite {
  double largest = 0;
};

/// The first tensor of a step, in program order, that is not finite.
struct NanFinding {
  ProbedTensor first;
  /// The largest of what its op reads; empty where it reads no tensor.
  std::optional<double> largestInput;
  /// The first parameter gradient that is not finite.
  std::optional<ProbedTensor> parameter;
  /// Nodes that made a 16-bit tensor which is not finite, or which the first
  /// such gradient belongs to: those that fp32 could help.
  std::vector<std::string> guilty;
};

/// An entry of a step to run again, with every tensor looked at.
struct ProbeRequest {
  std::string_view entry = "step";
  /// The state as it was before the step; empty to go on with what the request
  /// before this one has left.
  std::vector<TensorView> state;
  /// In place of the state's: a skipped step has changed that one.
  std::optional<double> scale;
  /// An input's batch, by name; also "lr".
  std::function<const void *(std::string_view)> input;
};

/// Empty where every tensor that the step uses is finite.
using NanProbe =
    std::function<Result<std::optional<NanFinding>>(const ProbeRequest &)>;

/// What a report is about.
struct NanStep {
  int64_t step = 0;
  bool skipped = false;
  double loss = 0;
  double scale = 1;
  float lr = 0;
};

/// "gradient of node 'fc2' (nn.matmul), f16[4x3], largest inf".
[[nodiscard]] std::string describe(const ProbedTensor &tensor);
/// One sentence about what was found.
[[nodiscard]] std::string describe(const std::optional<NanFinding> &finding);
/// One line of JSON with its end. Numbers that JSON lacks are strings.
[[nodiscard]] std::string toJson(const NanStep &step,
                                 const std::optional<NanFinding> &finding);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_NANREPORT_H
