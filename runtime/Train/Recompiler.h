// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compiles a training step a second time, as a probe of every tensor, and a
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

/// The form in which a training step is compiled again.
enum class StepForm : uint8_t {
  Step,
  /// A probe: its entries yield the largest magnitude of each ProbeSite.
  Probe,
};

/// Compiles the step of a training again, with these nodes in fp32 too. The
/// compiler makes this function beside the program. It needs nothing of the
/// run.
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
  /// Creates a probe with the state with which the step begins.
  Status prepare(const ProbeRequest &step);

  Recompile recompile_;
  RunnerOptions options_;
  std::vector<std::string> keptFp32_; ///< The nodes that keepFp32() was given.
  std::unique_ptr<Runner> probe_;     ///< The probe; null before its first use.
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_RECOMPILER_H
