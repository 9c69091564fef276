// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Batches for a program's inputs out of files of tensors.
#ifndef MPC_RUNTIME_TRAIN_DATA_H
#define MPC_RUNTIME_TRAIN_DATA_H

#include "runtime/Device/CPU/Memory.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/DataFiles.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mpc::rt {

enum class SampleOrder : uint8_t {
  Shuffle,    ///< A new permutation each epoch; no sample twice in one.
  Sequential, ///< As in the file, again and again.
};

/// What becomes of the samples that fill no batch at the end of an epoch.
enum class LastBatch : uint8_t {
  Drop,    ///< They take no part in this epoch.
  Wrap,    ///< The first samples of the epoch's order fill their batch up.
  Smaller, ///< They are a smaller batch.
};

[[nodiscard]] std::string_view name(SampleOrder order);
[[nodiscard]] std::string_view name(LastBatch lastBatch);

struct DataOptions {
  std::vector<std::string> files; ///< As DataFiles names them.
  SampleOrder order = SampleOrder::Shuffle;
  uint64_t seed = 0;
  std::vector<InputBound> bounds;
  /// Inputs without a sample axis: every batch has the whole tensor.
  std::vector<std::string> shared = {};
  LastBatch lastBatch = LastBatch::Drop;
  /// Samples of a batch, where a program has several shapes; 0 where any will
  /// do.
  int64_t batchSize = 0;
};

/// Where a loader stands; a checkpoint keeps it. The counts say which data it
/// is a place in.
struct LoaderState {
  uint64_t seed = 0;
  int64_t epoch = 0;
  int64_t position = 0; ///< Samples of the epoch that are used up.
  int64_t samples = 0;
  int64_t batchSize = 0;
  SampleOrder order = SampleOrder::Shuffle;
  LastBatch lastBatch = LastBatch::Drop;

  bool operator==(const LoaderState &) const = default;
  /// Of a checkpoint that was written without a place in any data.
  [[nodiscard]] bool isNone() const { return samples == 0 && batchSize == 0; }
};

/// Reads tensors named as the inputs; the first dimension is the sample, but of
/// those that are shared. Samples of several files are one behind the other.
/// Where all inputs are shared, they are one batch of one sample. What files
/// hold unpacked is read where it lies, and may be more than memory holds.
class DataLoader {
public:
  /// Checks names, shapes and element types of the files against `inputs`,
  /// whose first dimension is the batch.
  static Result<DataLoader> open(const DataOptions &options,
                                 std::span<const TensorDesc> inputs);
  /// The same of files that are open, instead of those that `options` names.
  static Result<DataLoader> open(DataFiles files, const DataOptions &options,
                                 std::span<const TensorDesc> inputs);

  [[nodiscard]] int64_t numSamples() const { return state_.samples; }
  [[nodiscard]] int64_t batchSize() const { return state_.batchSize; }
  [[nodiscard]] size_t numInputs() const { return inputs_.size(); }
  [[nodiscard]] const TensorDesc &input(size_t input) const {
    return inputs_[input].desc;
  }
  [[nodiscard]] int64_t batchesPerEpoch() const;
  /// Of this epoch.
  [[nodiscard]] int64_t batchesLeft() const;
  /// Samples of the batch that was fetched last; of a whole one before.
  [[nodiscard]] int64_t rows() const { return rows_; }
  /// Samples of the smaller batch that ends an epoch; 0 where none does.
  [[nodiscard]] int64_t restRows() const;
  /// An input as a batch of so many samples has it.
  [[nodiscard]] TensorDesc inputOf(size_t input, int64_t rows) const;

  /// Fetches the next batch; fails on a value that an input cannot hold.
  Status next();
  /// The fetched batch of input number `input`, 64-byte aligned, until next():
  /// rows() samples, behind which lies room up to batchSize().
  [[nodiscard]] const void *batch(size_t input) const {
    return inputs_[input].buffer.data();
  }

  [[nodiscard]] const LoaderState &state() const { return state_; }
  /// Continues where `state` stood; fails if it is a place in other data.
  Status restore(const LoaderState &state);

private:
  struct Input {
    TensorDesc desc;
    std::vector<DataPart> parts;
    HostBuffer buffer;
    int64_t rowElements;
    std::optional<InputBound> bound;
    bool isShared;
  };

  explicit DataLoader(DataFiles files) : files_(std::move(files)) {}
  Status addInput(const TensorDesc &desc, const DataOptions &options);
  /// The tensors for an input, of types that it can be converted from.
  Result<std::vector<DataPart>> findSource(const TensorDesc &desc,
                                           bool isShared) const;
  Status checkSamples(const TensorDesc &desc,
                      const std::vector<DataPart> &source);
  static const DataPart &partOf(const Input &input, int64_t sample);
  /// Fetches a sample, or all of a shared input, to row `place` of the batch.
  Status fetch(Input &input, int64_t sample, int64_t place);
  void orderSamples();
  [[nodiscard]] int64_t batchesOf(int64_t samples) const;
  [[nodiscard]] int64_t nextRows() const;
  /// The sample at `place` of this epoch; behind the last the first follows.
  [[nodiscard]] int64_t sampleAt(int64_t place) const;
  /// Lets the system read the next batch while this one is at work.
  void expectNext() const;

  DataFiles files_;
  std::vector<Input> inputs_;
  std::vector<int64_t> order_; ///< Of this epoch; empty when sequential.
  LoaderState state_;
  int64_t rows_ = 0;
  std::vector<std::byte> scratch_; ///< A row that does not lie as in memory.
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_DATA_H
