// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Batches for a program's inputs out of a safetensors file.
#ifndef MPC_RUNTIME_TRAIN_DATA_H
#define MPC_RUNTIME_TRAIN_DATA_H

#include "runtime/Device/CPU/Memory.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mpc::rt {

enum class SampleOrder : uint8_t {
  Shuffle,    ///< A new permutation each epoch; no sample twice in one.
  Sequential, ///< As in the file, again and again.
};

struct DataOptions {
  std::string path;
  SampleOrder order = SampleOrder::Shuffle;
  uint64_t seed = 0;
  std::vector<InputBound> bounds;
  /// Inputs without a sample axis: every batch has the whole tensor.
  std::vector<std::string> shared = {};
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

  bool operator==(const LoaderState &) const = default;
};

/// Reads tensors named as the inputs; the first dimension is the sample, but of
/// those that are shared. Samples that fill no batch at the end of an epoch are
/// dropped. Where all are shared, they are one batch of one sample.
class DataLoader {
public:
  /// Checks names, shapes and element types of the file against `inputs`,
  /// whose first dimension is the batch.
  static Result<DataLoader> open(const DataOptions &options,
                                 std::span<const TensorDesc> inputs);

  [[nodiscard]] int64_t numSamples() const { return state_.samples; }
  [[nodiscard]] int64_t batchSize() const { return state_.batchSize; }
  [[nodiscard]] int64_t batchesPerEpoch() const {
    return state_.samples / state_.batchSize;
  }

  /// Fetches the next batch; fails on a value that an input cannot hold.
  Status next();
  /// The fetched batch of input number `input`, 64-byte aligned, until next().
  [[nodiscard]] const void *batch(size_t input) const {
    return inputs_[input].buffer.data();
  }

  [[nodiscard]] const LoaderState &state() const { return state_; }
  /// Continues where `state` stood; fails if it is a place in other data.
  Status restore(const LoaderState &state);

private:
  struct Input {
    const TensorView *source;
    TensorDesc desc;
    HostBuffer buffer;
    int64_t rowElements;
    InputBound bound;
    bool hasBound;
    bool isShared;
  };

  explicit DataLoader(SafetensorsFile file) : file_(std::move(file)) {}
  Status addInput(const TensorDesc &desc, const DataOptions &options);
  /// The tensor for an input, of a type that it can be converted from.
  Result<const TensorView *> findSource(const TensorDesc &desc,
                                        bool isShared) const;
  Status checkSamples(const TensorDesc &desc, const TensorView &source);
  /// Fetches row `row` of the source to row `place` of the batch.
  Status fetchRow(Input &input, int64_t row, int64_t place);
  Status checkRow(const Input &input, int64_t sample, int64_t row) const;
  void orderSamples();

  SafetensorsFile file_;
  std::vector<Input> inputs_;
  std::vector<int64_t> order_; ///< Of this epoch; empty when sequential.
  LoaderState state_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_DATA_H
