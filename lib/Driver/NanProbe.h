// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A training step compiled a second time, with every tensor looked at; and a
/// third time, with some nodes in fp32.
#ifndef MPC_LIB_DRIVER_NANPROBE_H
#define MPC_LIB_DRIVER_NANPROBE_H

#include "lib/Driver/TrainingProgram.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Train/NanReport.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mpc {

/// A training, as it was before its step was compiled. The models' context must
/// outlive this.
class Recompiler {
public:
  Recompiler(const TrainingPlan &plan, rt::RunnerOptions runnerOptions);

  /// See rt::NanProbe. The first call compiles.
  rt::Result<std::optional<rt::NanFinding>> find(const rt::ProbeRequest &step);
  /// The step with these nodes in fp32, beside what the recipe keeps so.
  rt::Result<std::unique_ptr<rt::Runner>>
  keepFp32(const std::vector<std::string> &nodes);

private:
  /// A model, with the nodes of `keptFp32` in fp32 too.
  [[nodiscard]] ImportedModel copyModel(const ImportedModel &source) const;
  rt::Status compile();
  /// A probe with the state that the step is to begin with.
  rt::Status prepare(const rt::ProbeRequest &step);

  TrainingPlan plan_;                 ///< Its models and how they are compiled.
  std::vector<std::string> keptFp32_; ///< By keepFp32().
  rt::RunnerOptions runnerOptions_;
  std::unique_ptr<rt::Runner> probe_; ///< Its entries have sites.
};

} // namespace mpc

#endif // MPC_LIB_DRIVER_NANPROBE_H
