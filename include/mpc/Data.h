// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Samples out of files in C++, over mpc-c/Data.h, which says what each call
/// does.
///
///     auto data = mpc::Data::open(program, {"part-*.npz"}, {.seed = 1});
///     for (size_t i = 0; i < data->info()->numTensors; ++i)
///       runner.bindInput(data->tensor(i)->name, *data->memory(i));
///     data->next();
///     runner.step();
#ifndef MPC_DATA_H
#define MPC_DATA_H

#include "mpc-c/Data.h"
#include "mpc/Runtime.h"

#include <memory>
#include <string>
#include <vector>

namespace mpc {

struct DataOptions {
  uint64_t seed = 0; ///< Of the order of samples.
  bool shuffle = true;
  bool wraps = false;                   ///< Whether last batches are filled up.
  std::vector<std::string> shared = {}; ///< Tensors without a sample axis.
  /// Whether last batches are smaller, in place of both.
  bool smaller = false;
  int64_t batchSize = 0; ///< Of several the program's; 0: the first that fits.
};

namespace detail {

/// Strings as the C ABI takes them; lives as long as they do.
inline std::vector<const char *>
pointers(const std::vector<std::string> &texts) {
  std::vector<const char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(text.c_str());
  return pointers;
}

/// Options of the C ABI, which point into `shared`.
inline MpcDataOptions toC(const DataOptions &given,
                          const std::vector<const char *> &shared) {
  auto options = sized<MpcDataOptions>();
  options.seed = given.seed;
  options.sequential = !given.shuffle;
  options.wraps = given.smaller ? 2 : given.wraps;
  options.batchSize = given.batchSize;
  options.shared = shared.data();
  options.numShared = shared.size();
  return options;
}

} // namespace detail

/// Batches of samples. For one thread at a time.
class Data {
public:
  /// Those that the program's step takes, in its types.
  static Expected<Data> open(const Program &program,
                             const std::vector<std::string> &files,
                             const DataOptions &given = {}) {
    auto paths = detail::pointers(files),
         shared = detail::pointers(given.shared);
    MpcDataOptions options = detail::toC(given, shared);
    return create([&](MpcData **data) {
      return mpcDataOpen(program.get(), paths.data(), paths.size(), &options,
                         data);
    });
  }
  /// Tensors as the files have them: those of these names, or all.
  static Expected<Data> openTensors(const std::vector<std::string> &files,
                                    int64_t batchSize,
                                    const std::vector<std::string> &names = {},
                                    const DataOptions &given = {}) {
    auto paths = detail::pointers(files),
         shared = detail::pointers(given.shared);
    auto wanted = detail::pointers(names);
    MpcDataOptions options = detail::toC(given, shared);
    return create([&](MpcData **data) {
      return mpcDataOpenTensors(paths.data(), paths.size(), wanted.data(),
                                wanted.size(), batchSize, &options, data);
    });
  }

  MpcData *get() const { return data_.get(); }

  Expected<MpcDataInfo> info() const {
    return detail::filled(sized<MpcDataInfo>(), [&](auto *info) {
      return mpcDataGetInfo(get(), info);
    });
  }
  Expected<MpcTensorInfo> tensor(size_t index) const {
    return detail::filled(sized<MpcTensorInfo>(), [&](auto *info) {
      return mpcDataGetTensor(get(), index, info);
    });
  }
  Status next() { return Status(mpcDataNext(get())); }
  /// Lies where it is for all batches, as long as this lives.
  Expected<Tensor> memory(size_t index) const {
    DLTensor memory = {};
    if (Status status(mpcDataGetMemory(get(), index, &memory)); !status.ok())
      return Expected<Tensor>(std::move(status));
    return Expected<Tensor>(
        Tensor(memory.data, memory.dtype,
               std::vector<int64_t>(memory.shape, memory.shape + memory.ndim)));
  }
  Expected<MpcDataPosition> position() const {
    return detail::filled(sized<MpcDataPosition>(), [&](auto *position) {
      return mpcDataGetPosition(get(), position);
    });
  }
  Status setPosition(const MpcDataPosition &position) {
    return Status(mpcDataSetPosition(get(), &position));
  }

private:
  explicit Data(MpcData *data) : data_(data) {}

  template <typename Open>
  static Expected<Data> create(Open open) {
    MpcData *data = nullptr;
    if (Status status(open(&data)); !status.ok())
      return Expected<Data>(std::move(status));
    return Expected<Data>(Data(data));
  }

  std::unique_ptr<MpcData, detail::Destroy<mpcDataDestroy>> data_;
};

/// A number of an evaluation.
struct Metric {
  std::string name;
  double value;
  bool isByBatch; ///< Of whole batches only.
};

/// Samples that a model is evaluated on. For one thread at a time.
class Evaluation {
public:
  static Expected<Evaluation>
  open(const Program &program, const std::vector<std::string> &files,
       const std::vector<std::string> &shared = {}) {
    auto paths = detail::pointers(files), names = detail::pointers(shared);
    MpcDataOptions options = detail::toC({}, names);
    MpcEvaluation *evaluation = nullptr;
    Status status(mpcEvaluationOpen(program.get(), paths.data(), paths.size(),
                                    &options, &evaluation));
    if (!status.ok())
      return Expected<Evaluation>(std::move(status));
    return Expected<Evaluation>(Evaluation(evaluation));
  }

  MpcEvaluation *get() const { return evaluation_.get(); }

  Expected<MpcEvaluationInfo> info() const {
    return detail::filled(sized<MpcEvaluationInfo>(), [&](auto *info) {
      return mpcEvaluationGetInfo(get(), info);
    });
  }
  Status run(Runner &runner) {
    return Status(mpcEvaluationRun(get(), runner.get()));
  }
  /// Of the last run.
  Expected<Metric> metric(size_t index) const {
    const char *name = nullptr;
    double value = 0;
    int isByBatch = 0;
    Status status(
        mpcEvaluationGetMetric(get(), index, &name, &value, &isByBatch));
    if (!status.ok())
      return Expected<Metric>(std::move(status));
    return Expected<Metric>(Metric{name, value, isByBatch != 0});
  }

private:
  explicit Evaluation(MpcEvaluation *evaluation) : evaluation_(evaluation) {}

  std::unique_ptr<MpcEvaluation, detail::Destroy<mpcEvaluationDestroy>>
      evaluation_;
};

} // namespace mpc

#endif // MPC_DATA_H
