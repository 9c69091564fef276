// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sums the outputs of an evaluation over many batches.
#ifndef MPC_RUNTIME_RUNNER_METRICSUMS_H
#define MPC_RUNTIME_RUNNER_METRICSUMS_H

#include "runtime/Runner/EntryCall.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mpc::rt {

/// The sums of Program::measureEntry(). The names and shapes of its outputs
/// decide: NAME/sum with NAME/count, a value for each row of a batch, or one
/// value for the batch, which is averaged over whole batches only.
class MetricSums {
public:
  MetricSums() = default;
  /// `batchSize` is the number of rows in a batch.
  MetricSums(const Entry &entry, int64_t batchSize);

  /// The names of the metrics: "loss", "accuracy". All are different.
  [[nodiscard]] const std::vector<std::string> &names() const { return names_; }
  /// The metrics that are averaged over whole batches.
  [[nodiscard]] std::vector<std::string> byBatch() const;
  /// Whether some metrics count all samples, also those of an incomplete last
  /// batch.
  [[nodiscard]] bool countsAllSamples() const {
    return byBatch().size() < names_.size();
  }

  /// What one batch adds to each metric's sum, and to what divides it.
  struct Part {
    double sum = 0, divisor = 0;
  };
  /// The parts of the last run of `call`, in the order of names(). The first
  /// `rows` of its batch count.
  [[nodiscard]] std::vector<Part> partsOf(const EntryCall &call,
                                          int64_t rows) const;

  void reset();
  /// Adds the parts of one batch. The order of the batches decides how sums
  /// are rounded.
  void add(std::span<const Part> parts);
  /// The values in the order of names(); NaN where nothing counted.
  [[nodiscard]] std::vector<double> values() const;

private:
  enum class Kind : uint8_t {
    Sum,      ///< From NAME/sum.
    Quotient, ///< From NAME/sum and NAME/count.
    PerRow,   ///< The mean over the samples.
    PerBatch  ///< The mean over the whole batches.
  };
  struct Metric {
    Kind kind;
    std::string output, count; ///< The names of the entry's outputs.
    Part total = {};
  };

  [[nodiscard]] Part partOf(const Metric &metric, const EntryCall &call,
                            int64_t rows) const;

  int64_t batchSize_ = 0;
  std::vector<std::string> names_;
  std::vector<Metric> metrics_; ///< The metrics in the order of names_.
};

/// Whether an evaluation takes the number of rows that count as an input.
[[nodiscard]] bool takesRows(const Entry &entry);

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_METRICSUMS_H
