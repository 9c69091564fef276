// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Evaluates a model on all samples of a file, beside its training.
#ifndef MPC_RUNTIME_TRAIN_FILEEVALUATION_H
#define MPC_RUNTIME_TRAIN_FILEEVALUATION_H

#include "runtime/Runner/MetricSums.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Data.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mpc::rt {

/// Runs Program::measureEntry() over a file.
class FileEvaluation {
public:
  /// Opens the files of `data`. The order and the treatment of the last batch
  /// are chosen here. Of several entries it takes the first that the samples
  /// fit, with batches of the given size if there is one. The first dimension
  /// of a tensor that is not shared is the batch, as in a training. Bind it to
  /// a runner of the program before it runs.
  static Result<std::unique_ptr<FileEvaluation>> open(const Program &program,
                                                      DataOptions data);

  /// The metrics: "loss", "accuracy". All are different.
  [[nodiscard]] const std::vector<std::string> &metrics() const {
    return sums_.names();
  }
  [[nodiscard]] int64_t numSamples() const { return loader_.numSamples(); }
  [[nodiscard]] int64_t batchSize() const { return loader_.batchSize(); }
  /// The number of samples that fill no batch, where some metrics are means
  /// over whole batches; and those metrics, in `byBatch`.
  [[nodiscard]] int64_t numLeftOut() const;
  [[nodiscard]] std::vector<std::string> byBatch() const {
    return sums_.byBatch();
  }

  /// A sentence on left out samples; empty where there are none.
  [[nodiscard]] std::string describeLeftOut() const;

  /// Binds to this runner, which must outlive the runs.
  Status bind(Runner &runner);
  /// Evaluates all samples and returns the values of metrics(). The runner's
  /// state stays unchanged. Where the runner has ranks, each takes a run of
  /// batches, all must call it, and the values are those of one process.
  Result<std::vector<double>> run();

private:
  explicit FileEvaluation(DataLoader loader) : loader_(std::move(loader)) {}

  using Part = MetricSums::Part;
  /// The parts of the batches from `first` to `last`, one after the other.
  Result<std::vector<Part>> measure(int64_t first, int64_t last);
  /// The parts of all batches, of which each rank measures some.
  Result<std::vector<Part>> measureOnRanks(Ranks &ranks);

  DataLoader loader_;
  TensorShapes shapes_; ///< The shapes of a batch.
  Runner *runner_ = nullptr;
  std::unique_ptr<EntryCall> call_;
  MetricSums sums_;
  /// The number of rows that count, which the entry takes as an input.
  int64_t rows_ = 0;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_FILEEVALUATION_H
