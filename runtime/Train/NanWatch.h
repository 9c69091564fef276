// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Watches a training for steps that are not finite, runs them again, and
/// reports where the fault began.
#ifndef MPC_RUNTIME_TRAIN_NANWATCH_H
#define MPC_RUNTIME_TRAIN_NANWATCH_H

#include "runtime/Runner/Runner.h"
#include "runtime/Support/Output.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Data.h"
#include "runtime/Train/NanReport.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

struct NanWatchOptions {
  /// The destination of findings: empty for none, kTextOnly, or also a file of
  /// JSON lines, "-" for standard output.
  std::string report;
  /// Whether a step that is not finite changes more than the loss scale. The
  /// state before each step must then be kept, so that the step can run again.
  bool keepState = false;
  /// The entries of a step. If there are several, the first runs on each batch.
  std::vector<std::string_view> entries = {"step"};
  /// The entry in place of the first for a smaller batch.
  std::string_view restEntry = "step";
  int64_t accumulate = 1; ///< The batches of a step, of this rank.
  /// The batches of a step that belong to ranks before this one, and behind it.
  int64_t batchesBefore = 0, batchesBehind = 0;
  bool append = false; ///< Whether to continue the file.

  static constexpr std::string_view kTextOnly = "stderr";
  /// The most reports. Each costs a run of the batch.
  static constexpr int64_t kMaxReports = 10;
};

class NanWatch {
public:
  /// Prints a line of kind "note" or "warning".
  using Tell = std::function<void(std::string_view, std::string_view)>;
  using Output = std::function<void(std::string_view)>;

  NanWatch(NanWatchOptions options, const NanProbe &probe, DataLoader &loader,
           std::vector<TensorDesc> dataInputs, Tell tell, Output output)
      : options_(std::move(options)), probe_(&probe), loader_(&loader),
        dataInputs_(std::move(dataInputs)), tell_(std::move(tell)),
        output_(std::move(output)) {}

  /// Creates the report's file.
  Status open();
  /// Call it before each step. `expectsFault` says that find() may be called
  /// for this step even without a report.
  Status beforeStep(const Runner &runner, bool expectsFault);
  /// The first tensor that was not finite in the step that has just ended. The
  /// result is kept until the next step.
  Result<std::optional<NanFinding>> find(const Runner &runner,
                                         const NanStep &step);
  /// Reports a step that was skipped or whose loss is not finite, if reports
  /// are wanted.
  Status report(const Runner &runner, const NanStep &step);
  /// "; the first tensor ...", empty where steps cannot be run again.
  std::string cause(const Runner &runner, const NanStep &step);

private:
  Status keep(const Runner &runner);
  [[nodiscard]] std::string_view batchEntry() const;
  Result<std::optional<NanFinding>> probe(ProbeRequest request);
  Status write(const std::string &line);

  NanWatchOptions options_;
  const NanProbe *probe_;
  DataLoader *loader_;
  std::vector<TensorDesc> dataInputs_;
  Tell tell_;
  Output output_;
  std::optional<OutputStream> file_;
  LoaderState before_;
  struct Kept {
    TensorDesc desc;
    std::vector<std::byte> bytes;
  };
  std::vector<Kept> kept_;
  std::optional<std::optional<NanFinding>> found_;
  int64_t reports_ = 0;
  bool reportedApplied_ = false;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_NANWATCH_H
