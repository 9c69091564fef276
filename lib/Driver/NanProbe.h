// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A training step compiled a second time, with every tensor looked at; and a
/// third time, with some nodes in fp32.
#ifndef MPC_LIB_DRIVER_NANPROBE_H
#define MPC_LIB_DRIVER_NANPROBE_H

#include "lib/Driver/Request.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Train/NanReport.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mpc {

/// A training, as it was before its step was compiled.
class Recompiler {
public:
  /// `request` is that of the step, whose model has been read.
  Recompiler(CompileRequest request, rt::RunnerOptions runnerOptions);

  /// See rt::NanProbe. The first call compiles.
  rt::Result<std::optional<rt::NanFinding>> find(const rt::ProbeRequest &step);
  /// The step with these nodes in fp32, beside what the recipe keeps so.
  rt::Result<std::unique_ptr<rt::Runner>>
  keepFp32(const std::vector<std::string> &nodes);

private:
  rt::Result<std::unique_ptr<rt::Runner>> compile(ProgramKind kind);
  /// A probe with the state that the step is to begin with.
  rt::Status prepare(const rt::ProbeRequest &step);

  CompileRequest request_; ///< With the nodes of keepFp32().
  rt::RunnerOptions runnerOptions_;
  std::unique_ptr<rt::Runner> probe_; ///< Its entries have sites.
};

} // namespace mpc

#endif // MPC_LIB_DRIVER_NANPROBE_H
