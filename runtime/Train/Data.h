// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Batches for a program's inputs from files of tensors.
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
  Shuffle,    ///< A new permutation each epoch, with each sample once.
  Sequential, ///< The file's order, again and again.
};

/// The treatment of samples at the end of an epoch that fill no batch.
enum class LastBatch : uint8_t {
  Drop,    ///< They are left out in this epoch.
  Wrap,    ///< The first samples of the epoch's order fill up their batch.
  Smaller, ///< They are a smaller batch.
};

[[nodiscard]] std::string_view name(SampleOrder order);
[[nodiscard]] std::string_view name(LastBatch lastBatch);

struct DataOptions {
  std::vector<std::string> files; ///< The files, by names as in DataFiles.
  SampleOrder order = SampleOrder::Shuffle;
  uint64_t seed = 0;
  std::vector<InputBound> bounds;
  /// Inputs without a sample axis: every batch has the whole tensor.
  std::vector<std::string> shared = {};
  LastBatch lastBatch = LastBatch::Drop;
  /// The samples of a batch, for a program of several shapes; 0: any.
  int64_t batchSize = 0;
};

/// The position of a loader, which a checkpoint keeps. The counts tell in which
/// data it is a position.
struct LoaderState {
  uint64_t seed = 0;
  int64_t epoch = 0;
  int64_t position = 0; ///< The samples of the epoch that were used.
  int64_t samples = 0;
  int64_t batchSize = 0;
  SampleOrder order = SampleOrder::Shuffle;
  LastBatch lastBatch = LastBatch::Drop;

  bool operator==(const LoaderState &) const = default;
  /// Whether it comes from a checkpoint without a position in any data.
  [[nodiscard]] bool isNone() const { return samples == 0 && batchSize == 0; }
};

/// Reads tensors with the names of the inputs. The first dimension is the
/// sample, except for shared tensors. Samples of several files are one after
/// the other. If all inputs are shared, they are one batch of one sample.
/// Unpacked tensors are read in place, and may be larger than memory.
class DataLoader {
public:
  /// Opens the files. Checks their names, shapes and element types against
  /// `inputs`, whose first dimension is the batch.
  static Result<DataLoader> open(const DataOptions &options,
                                 std::span<const TensorDesc> inputs);
  /// Takes files that are open, instead of those that `options` names.
  static Result<DataLoader> open(DataFiles files, const DataOptions &options,
                                 std::span<const TensorDesc> inputs);

  [[nodiscard]] int64_t numSamples() const { return state_.samples; }
  [[nodiscard]] int64_t batchSize() const { return state_.batchSize; }
  [[nodiscard]] size_t numInputs() const { return inputs_.size(); }
  [[nodiscard]] const TensorDesc &input(size_t input) const {
    return inputs_[input].desc;
  }
  [[nodiscard]] int64_t batchesPerEpoch() const;
  /// The batches left in this epoch.
  [[nodiscard]] int64_t batchesLeft() const;
  /// The samples of the last batch; before the first one, those of a whole
  /// batch.
  [[nodiscard]] int64_t rows() const { return rows_; }
  /// The samples of the smaller batch at the end of an epoch; 0 where there is
  /// none.
  [[nodiscard]] int64_t restRows() const;
  /// The description of an input for a batch of `rows` samples.
  [[nodiscard]] TensorDesc inputOf(size_t input, int64_t rows) const;

  /// Fetches the next batch; fails on a value that an input cannot hold.
  Status next();
  /// Passes over the next batches, which other ranks have.
  void skip(int64_t batches);
  /// The current batch of input number `input`, 64-byte aligned, until next():
  /// rows() samples, in memory for batchSize() of them.
  [[nodiscard]] const void *batch(size_t input) const {
    return inputs_[input].buffer.data();
  }

  [[nodiscard]] const LoaderState &state() const { return state_; }
  /// Continues from `state`; fails if that is a position in other data.
  Status restore(const LoaderState &state);

private:
  struct Input {
    TensorDesc desc;
    std::vector<DataPart> parts;
    HostBuffer buffer;
    int64_t rowElements;
    std::vector<InputBound> bounds;
    bool isShared;
  };

  explicit DataLoader(DataFiles files) : files_(std::move(files)) {}
  Status addInput(const TensorDesc &desc, const DataOptions &options);
  /// The tensors for an input, in types that can be converted to its type.
  Result<std::vector<DataPart>> findSource(const TensorDesc &desc,
                                           bool isShared) const;
  Status checkSamples(const TensorDesc &desc,
                      const std::vector<DataPart> &source);
  static const DataPart &partOf(const Input &input, int64_t sample);
  /// Copies a sample, or all of a shared input, to row `place` of the batch.
  Status fetch(Input &input, int64_t sample, int64_t place);
  void orderSamples();
  void beginEpoch();
  void advance();
  [[nodiscard]] int64_t batchesOf(int64_t samples) const;
  [[nodiscard]] int64_t nextRows() const;
  /// The sample at `place` of this epoch; the first follows after the last.
  [[nodiscard]] int64_t sampleAt(int64_t place) const;
  /// Tells the system to read the next batch during the current step.
  void expectNext() const;

  DataFiles files_;
  std::vector<Input> inputs_;
  /// The order of this epoch; empty if sequential.
  std::vector<int64_t> order_;
  LoaderState state_;
  int64_t rows_ = 0;
  /// Memory for a row whose layout is not that of memory.
  std::vector<std::byte> scratch_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_DATA_H
