// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the outputs of an evaluation come to over many batches.
#ifndef MPC_RUNTIME_RUNNER_METRICSUMS_H
#define MPC_RUNTIME_RUNNER_METRICSUMS_H

#include "runtime/Runner/EntryCall.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mpc::rt {

/// Of Program::measureEntry(), whose outputs say what there is to tell:
/// NAME/sum with NAME/count, a value for each row of a batch, or one for all of
/// them, which is averaged over the whole batches alone.
class MetricSums {
public:
  MetricSums() = default;
  /// `batchSize` are the rows of a batch.
  MetricSums(const Entry &entry, int64_t batchSize);

  /// "loss", "accuracy": no two alike.
  [[nodiscard]] const std::vector<std::string> &names() const { return names_; }
  /// The metrics that go by whole batches.
  [[nodiscard]] std::vector<std::string> byBatch() const;
  /// Whether some go by samples, whatever the last batch has of them.
  [[nodiscard]] bool countsAllSamples() const {
    return byBatch().size() < names_.size();
  }

  void reset();
  /// Adds the last run of `call`, of whose batch the first `rows` count.
  void add(const EntryCall &call, int64_t rows);
  /// As names(); NaN where nothing counted.
  [[nodiscard]] std::vector<double> values() const;

private:
  enum class Kind : uint8_t {
    Sum,      ///< Of NAME/sum.
    Quotient, ///< Of NAME/sum and NAME/count.
    PerRow,   ///< The mean over the samples.
    PerBatch  ///< The mean over the whole batches.
  };
  struct Metric {
    Kind kind;
    std::string output, count; ///< Outputs of the entry.
    double sum = 0, divisor = 0;
  };

  void add(Metric &metric, const EntryCall &call, int64_t rows) const;

  int64_t batchSize_ = 0;
  std::vector<std::string> names_;
  std::vector<Metric> metrics_; ///< As names_.
};

/// Whether an evaluation is told how many of its rows count.
[[nodiscard]] bool takesRows(const Entry &entry);

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_METRICSUMS_H
