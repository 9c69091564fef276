// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The numbers of each optimizer step as CSV, and those of a whole run as JSON.
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
/// those in force during it, `goodSteps` is the policy's counter after it.
struct MetricsRow {
  int64_t step = 0;
  double loss = 0;
  float lr = 0;
  double scale = 1;
  double goodSteps = 0;
  bool skipped = false;
  double gradNorm = 0;
  double stepMs = 0;
  /// In the further columns of the file; what a step has none of is empty
  /// there.
  std::vector<std::optional<double>> others = {};
};

inline constexpr std::string_view kMetricsHeader =
    "step,loss,lr,scale,good_steps,skipped,grad_norm,step_ms";

/// The header of a file whose rows have `others` of these names.
[[nodiscard]] std::string metricsHeader(const std::vector<std::string> &others);

/// A line without its end. Numbers are the shortest decimals that read back to
/// the same value: `lr` as an f32, the others as doubles too.
[[nodiscard]] std::string toCsv(const MetricsRow &row);
/// False unless `line` is a whole row.
[[nodiscard]] bool parseCsv(std::string_view line, MetricsRow &row);

/// Appends rows to an output, each at once, so that it can be followed.
class MetricsWriter {
public:
  /// A new file, in place of any old one.
  static Result<MetricsWriter> create(const std::string &path,
                                      std::string_view header = kMetricsHeader);
  /// Continues a file, where it is one: rows of `step` and later are cut, as is
  /// a torn last line; the rows before are kept and put into `kept`.
  static Result<MetricsWriter> resume(const std::string &path, int64_t step,
                                      std::vector<MetricsRow> &kept,
                                      std::string_view header = kMetricsHeader);
  Status append(const MetricsRow &row);
  /// Forces all rows to disk; called before a checkpoint says that their
  /// steps are done.
  Status sync();

private:
  explicit MetricsWriter(OutputStream stream) : stream_(std::move(stream)) {}

  OutputStream stream_;
};

/// Wall seconds of each stage of a compilation, by the stage's name, in order.
using StageSeconds = std::vector<std::pair<std::string, double>>;

/// What the evaluations of a run have come to.
struct EvaluationSummary {
  struct Best {
    std::string metric;
    double value;
    int64_t step; ///< Steps done when it was found.
  };
  int64_t evaluations = 0;
  /// Of the newest, by their columns.
  std::vector<std::pair<std::string, double>> values = {};
  std::optional<Best> best = {};
  bool stoppedEarly = false;
};

/// What `--json` prints about a run.
class RunSummary {
public:
  EvaluationSummary evaluation;
  double compileSeconds = 0;
  StageSeconds compileStages; ///< Empty where nothing was compiled.
  size_t slotBytes = 0;       ///< Of what the optimizer keeps of each weight.

  void add(const MetricsRow &row);
  [[nodiscard]] int64_t skipped() const { return skipped_; }
  /// One line with its end. Numbers that JSON lacks are the strings "inf",
  /// "-inf" and "nan"; a run without a step has null losses.
  [[nodiscard]] std::string toJson() const;

private:
  std::vector<double> stepMs_;
  double firstLoss_ = 0;
  double lastLoss_ = 0;
  int64_t skipped_ = 0;
};

/// The q-quantile of `values`, between neighbours by proportion; 0 for none.
[[nodiscard]] double quantile(std::vector<double> values, double q);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_METRICS_H
