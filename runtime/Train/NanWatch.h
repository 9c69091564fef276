// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Watches a training for steps that are not finite, runs them again, and
/// reports where that began.
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
  /// Where findings go: empty for nowhere, kTextOnly, or also a file of JSON
  /// lines, "-" for standard output.
  std::string report;
  /// A step that is not finite changes more than the loss scale: the state
  /// before it must be kept, or there is nothing left to run again.
  bool keepState = false;
  /// Of a step; of several the first runs for each batch.
  std::vector<std::string_view> entries = {"step"};
  /// In the place of the first, for a smaller batch.
  std::string_view restEntry = "step";
  int64_t accumulate = 1; ///< Batches of a step.
  bool append = false;    ///< Continue the file.

  static constexpr std::string_view kTextOnly = "stderr";
  /// Each costs a run of the batch.
  static constexpr int64_t kMaxReports = 10;
};

class NanWatch {
public:
  /// `tell` prints a line of kind "note" or "warning".
  using Tell = std::function<void(std::string_view, std::string_view)>;
  using Output = std::function<void(std::string_view)>;

  NanWatch(NanWatchOptions options, const NanProbe &probe, DataLoader &loader,
           std::vector<TensorDesc> dataInputs, Tell tell, Output output)
      : options_(std::move(options)), probe_(&probe), loader_(&loader),
        dataInputs_(std::move(dataInputs)), tell_(std::move(tell)),
        output_(std::move(output)) {}

  /// Creates the report's file.
  Status open();
  /// To be called before each step; `expectsFault` where this one may be asked
  /// for, report or not.
  Status beforeStep(const Runner &runner, bool expectsFault);
  /// What was not finite in the step that has just been done. Remembered until
  /// the next step.
  Result<std::optional<NanFinding>> find(const Runner &runner,
                                         const NanStep &step);
  /// Reports a step that was skipped or has a loss that is not finite, if that
  /// was asked for.
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
