// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A training step compiled a second time, with every tensor looked at; and a
/// third time, with some nodes in fp32.
#ifndef MPC_LIB_DRIVER_NANPROBE_H
#define MPC_LIB_DRIVER_NANPROBE_H

#include "lib/Driver/Compile.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Train/NanReport.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mpc {

/// A model with its recipe, as it was before its step was compiled. Its context
/// must outlive this.
class Recompiler {
public:
  Recompiler(const ImportedModel &model, CompileOptions options,
             rt::RunnerOptions runnerOptions);

  /// See rt::NanProbe. The first call compiles.
  rt::Result<std::optional<rt::NanFinding>> find(const rt::ProbeRequest &step);
  /// The step with these nodes in fp32, beside what the recipe keeps so.
  rt::Result<std::unique_ptr<rt::Runner>>
  keepFp32(const std::vector<std::string> &nodes);

private:
  /// The model, with the nodes of `keptFp32` in fp32 too.
  ImportedModel copyModel() const;
  rt::Status compile();
  /// A probe with the state that the step is to begin with.
  rt::Status prepare(const rt::ProbeRequest &step);

  ImportedModel source_;
  CompileOptions options_;
  std::vector<std::string> keptFp32_; ///< By keepFp32().
  rt::RunnerOptions runnerOptions_;
  std::unique_ptr<rt::Runner> probe_; ///< Its entries have sites.
};

} // namespace mpc

#endif // MPC_LIB_DRIVER_NANPROBE_H
