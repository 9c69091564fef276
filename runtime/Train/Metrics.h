// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes the numbers of each optimizer step as CSV, and those of a whole run
/// as JSON.
#ifndef MPC_RUNTIME_TRAIN_METRICS_H
#define MPC_RUNTIME_TRAIN_METRICS_H

#include "runtime/Support/Output.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mpc::rt {

/// One optimizer step. `loss` is from before the update, `lr` and `scale` are
/// those during the step, and `goodSteps` is the policy's counter after it.
struct MetricsRow {
  int64_t step = 0;
  double loss = 0;
  float lr = 0;
  double scale = 1;
  double goodSteps = 0;
  bool skipped = false;
  double gradNorm = 0;
  double stepMs = 0;
  /// The values of the file's further columns; empty for a value that the step
  /// lacks.
  std::vector<std::optional<double>> others = {};
};

inline constexpr std::string_view kMetricsHeader =
    "step,loss,lr,scale,good_steps,skipped,grad_norm,step_ms";

/// The header of a file whose rows have further columns with these names.
[[nodiscard]] std::string metricsHeader(const std::vector<std::string> &others);

/// A line without a line break. Numbers are the shortest decimals that read
/// back to the same value: `lr` as an f32, the others as doubles.
[[nodiscard]] std::string toCsv(const MetricsRow &row);
/// False unless `line` is a whole row.
[[nodiscard]] bool parseCsv(std::string_view line, MetricsRow &row);

/// Appends rows to an output, each at once, so that it can be followed.
class MetricsWriter {
public:
  /// Creates a new file, and replaces an old one.
  static Result<MetricsWriter> create(const std::string &path,
                                      std::string_view header = kMetricsHeader);
  /// Continues a file. Rows of `step` and later are removed, and so is an
  /// incomplete last line. The rows before are kept and added to `kept`. Other
  /// outputs are written from their beginning.
  static Result<MetricsWriter> resume(const std::string &path, int64_t step,
                                      std::vector<MetricsRow> &kept,
                                      std::string_view header = kMetricsHeader);
  Status append(const MetricsRow &row);
  /// Forces all rows to disk. It is called before a checkpoint that contains
  /// their steps.
  Status sync();

private:
  explicit MetricsWriter(OutputStream stream) : stream_(std::move(stream)) {}

  OutputStream stream_;
};

/// Wall seconds of each stage of a compilation, by the stage's name, in order.
using StageSeconds = std::vector<std::pair<std::string, double>>;

/// The results of a run's evaluations.
struct EvaluationSummary {
  struct Best {
    std::string metric;
    double value;
    int64_t step; ///< The number of steps at which it was found.
  };
  int64_t evaluations = 0;
  /// The newest values, by their columns.
  std::vector<std::pair<std::string, double>> values = {};
  std::optional<Best> best = {};
  bool stoppedEarly = false;
};

/// The summary of a run, which `--json` prints.
class RunSummary {
public:
  EvaluationSummary evaluation;
  double compileSeconds = 0;
  StageSeconds compileStages; ///< The stages; empty where nothing was compiled.
  size_t slotBytes = 0; ///< The bytes of the optimizer's slots for weights.

  void add(const MetricsRow &row);
  [[nodiscard]] int64_t skipped() const { return skipped_; }
  /// One line with its line break. Numbers that JSON lacks are the strings
  /// "inf", "-inf" and "nan". The losses of a run without a step are null.
  [[nodiscard]] std::string toJson() const;

private:
  std::vector<double> stepMs_;
  double firstLoss_ = 0;
  double lastLoss_ = 0;
  int64_t skipped_ = 0;
};

/// The q-quantile of `values`, interpolated between neighbours; 0 for no
/// values.
[[nodiscard]] double quantile(std::vector<double> values, double q);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_METRICS_H
