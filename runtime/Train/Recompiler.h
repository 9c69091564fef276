// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A training step compiled a second time, with every tensor looked at; and a
/// third time, with some nodes in fp32.
#ifndef MPC_RUNTIME_TRAIN_RECOMPILER_H
#define MPC_RUNTIME_TRAIN_RECOMPILER_H

#include "runtime/Runner/Runner.h"
#include "runtime/Train/NanReport.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mpc::rt {

/// What is made of a training step.
enum class StepForm : uint8_t {
  Step,
  Probe, ///< Its entries yield the largest magnitude of each ProbeSite.
};

/// Compiles the step of a training again, with these nodes in fp32 too. A
/// compiler makes one beside the program, and needs nothing of the run.
using Recompile = std::function<Result<std::shared_ptr<const Program>>(
    StepForm, const std::vector<std::string> &keptFp32)>;

class Recompiler {
public:
  Recompiler(Recompile recompile, RunnerOptions options)
      : recompile_(std::move(recompile)), options_(options) {}

  /// See NanProbe. The first call compiles.
  Result<std::optional<NanFinding>> find(const ProbeRequest &step);
  /// A runner of the step with these nodes in fp32, its state not yet set.
  Result<std::unique_ptr<Runner>>
  keepFp32(const std::vector<std::string> &nodes);

private:
  Result<std::unique_ptr<Runner>> compile(StepForm form);
  /// A probe with the state that the step is to begin with.
  Status prepare(const ProbeRequest &step);

  Recompile recompile_;
  RunnerOptions options_;
  std::vector<std::string> keptFp32_; ///< By keepFp32().
  std::unique_ptr<Runner> probe_;     ///< Null until it is asked for.
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_RECOMPILER_H
