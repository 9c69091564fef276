// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How good a model is on all samples of a file, beside its training.
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
  /// Of `data` the order and the last batch are chosen here, and of several
  /// entries the first that its samples fit, with batches of its size where
  /// there is one. The first dimension of what it
  /// does not share is the batch, as in a training. Bind it to a runner of the
  /// program before it runs.
  static Result<std::unique_ptr<FileEvaluation>> open(const Program &program,
                                                      DataOptions data);

  /// "loss", "accuracy": no two alike.
  [[nodiscard]] const std::vector<std::string> &metrics() const {
    return sums_.names();
  }
  [[nodiscard]] int64_t numSamples() const { return loader_.numSamples(); }
  [[nodiscard]] int64_t batchSize() const { return loader_.batchSize(); }
  /// Samples that fill no batch, where some metric goes by whole batches; those
  /// metrics are `byBatch`.
  [[nodiscard]] int64_t numLeftOut() const;
  [[nodiscard]] std::vector<std::string> byBatch() const {
    return sums_.byBatch();
  }

  /// What is to be said of them; empty where there are none.
  [[nodiscard]] std::string describeLeftOut() const;

  /// Goes on with this runner, which must outlive its runs.
  Status bind(Runner &runner);
  /// The values of metrics(). The runner's state stays as it is.
  Result<std::vector<double>> run();

private:
  explicit FileEvaluation(DataLoader loader) : loader_(std::move(loader)) {}

  DataLoader loader_;
  TensorShapes shapes_; ///< Of a batch.
  std::unique_ptr<EntryCall> call_;
  MetricSums sums_;
  int64_t rows_ = 0; ///< What the entry is told.
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_FILEEVALUATION_H
