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
  uint64_t seed = 0; ///< The seed of the order of samples.
  bool shuffle = true;
  /// Whether an incomplete last batch is filled up with samples of the next
  /// epoch.
  bool wraps = false;
  std::vector<std::string> shared = {}; ///< The tensors without a sample axis.
  /// Whether an incomplete last batch stays smaller.
  bool smaller = false;
  /// The batch size, for a program of several; 0: the first that fits.
  int64_t batchSize = 0;
};

namespace detail {

/// Strings as the C ABI takes them; the pointers are valid while the strings
/// live.
inline std::vector<const char *>
pointers(const std::vector<std::string> &texts) {
  std::vector<const char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(text.c_str());
  return pointers;
}

/// Options as the C ABI takes them; they point into `shared`.
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

/// Batches of samples, used by one thread at a time.
class Data {
public:
  /// Opens the tensors that the program's step takes, in its types.
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
  /// Opens tensors in the types that the files have: those of these names, or
  /// all.
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
  /// The memory of a tensor. It has the same address for all batches, as long
  /// as this object lives.
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

/// A metric of an evaluation.
struct Metric {
  std::string name;
  double value;
  bool isByBatch; ///< Whether it is a mean over whole batches only.
};

/// The samples on which a model is evaluated, used by one thread at a time.
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
  /// A metric of the last run.
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
