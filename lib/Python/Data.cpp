// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of mpc_compiler._runtime on files of samples. While files are
// read, other threads of Python may run.
#include "lib/Python/Data.h"

#include "lib/Python/Error.h"

#include <cstring>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace mpc::python {

using namespace nb::literals;

namespace {

/// The result, a Status or an Expected, of a call that may take long.
template <typename Call>
auto released(Call call) {
  nb::gil_scoped_release release;
  return call();
}

size_t bytesOf(const DLTensor &tensor) {
  size_t bytes = tensor.dtype.bits / 8;
  for (int32_t i = 0; i < tensor.ndim; ++i)
    bytes *= size_t(tensor.shape[i]);
  return bytes;
}

} // namespace

Data Data::open(const Program &program, const std::vector<std::string> &files,
                const mpc::DataOptions &options) {
  return Data(valueOf(released(
      [&] { return mpc::Data::open(program.get(), files, options); })));
}

Data Data::openTensors(const std::vector<std::string> &files, int64_t batchSize,
                       const std::vector<std::string> &names,
                       const mpc::DataOptions &options) {
  return Data(valueOf(released([&] {
    return mpc::Data::openTensors(files, batchSize, names, options);
  })));
}

MpcDataInfo Data::info() const { return valueOf(data_.info()); }

std::vector<TensorInfo> Data::tensors() const {
  std::vector<TensorInfo> tensors;
  for (size_t i = 0; i < info().numTensors; ++i)
    tensors.push_back(toInfo(valueOf(data_.tensor(i))));
  return tensors;
}

void Data::next() {
  check(released([&] { return data_.next(); }));
}

void Data::read(size_t index, nb::ndarray<nb::ro> target, bool isBF16) {
  mpc::Tensor source = valueOf(data_.memory(index));
  ArrayTensor tensor(std::move(target), isBF16);
  size_t bytes = bytesOf(*source.get());
  if (bytes != bytesOf(*tensor.get()))
    check(mpcErrorCreate(MPC_ERROR_USAGE, "an array of another size"));
  if (bytes > 0)
    std::memcpy(tensor.get()->data, source.get()->data, bytes);
}

std::vector<int64_t> Data::shape(size_t index) const {
  mpc::Tensor memory = valueOf(data_.memory(index));
  const DLTensor &tensor = *memory.get();
  return {tensor.shape, tensor.shape + tensor.ndim};
}

Position Data::position() const {
  return toPosition(valueOf(data_.position()));
}

void Data::setPosition(const Position &position) {
  check(data_.setPosition(toC(position)));
}

Evaluation::Evaluation(const Program &program,
                       const std::vector<std::string> &files,
                       const std::vector<std::string> &shared)
    : evaluation_(valueOf(released([&] {
        return mpc::Evaluation::open(program.get(), files, shared);
      }))) {}

MpcEvaluationInfo Evaluation::info() const {
  return valueOf(evaluation_.info());
}

void Evaluation::run(Runner &runner) {
  check(released([&] { return evaluation_.run(runner.get()); }));
}

std::vector<std::tuple<std::string, double, bool>> Evaluation::metrics() const {
  std::vector<std::tuple<std::string, double, bool>> metrics;
  for (size_t i = 0; i < info().numMetrics; ++i) {
    Metric metric = valueOf(evaluation_.metric(i));
    metrics.emplace_back(metric.name, metric.value, metric.isByBatch);
  }
  return metrics;
}

void addData(nb::module_ &m) {
  nb::class_<Data>(m, "Data", "Batches of samples out of files.")
      .def_static(
          "open",
          [](const Program &program, const std::vector<std::string> &files,
             uint64_t seed, bool shuffle, bool wraps, bool smaller,
             const std::vector<std::string> &shared, int64_t batchSize) {
            return Data::open(
                program, files,
                {seed, shuffle, wraps, shared, smaller, batchSize});
          },
          "program"_a, "files"_a, "seed"_a, "shuffle"_a, "wraps"_a, "smaller"_a,
          "shared"_a, "batch_size"_a)
      .def_static(
          "open_tensors",
          [](const std::vector<std::string> &files, int64_t batchSize,
             const std::vector<std::string> &names, uint64_t seed, bool shuffle,
             bool wraps, bool smaller, const std::vector<std::string> &shared) {
            return Data::openTensors(files, batchSize, names,
                                     {seed, shuffle, wraps, shared, smaller});
          },
          "files"_a, "batch_size"_a, "names"_a, "seed"_a, "shuffle"_a,
          "wraps"_a, "smaller"_a, "shared"_a)
      .def("tensors", &Data::tensors)
      .def_prop_ro("num_samples",
                   [](const Data &data) { return data.info().numSamples; })
      .def_prop_ro("batch_size",
                   [](const Data &data) { return data.info().batchSize; })
      .def_prop_ro("batches_per_epoch",
                   [](const Data &data) { return data.info().batchesPerEpoch; })
      .def_prop_ro("batches_left",
                   [](const Data &data) { return data.info().batchesLeft; })
      .def("next", &Data::next)
      .def("shape", &Data::shape, "index"_a)
      .def(
          "read",
          [](Data &data, size_t index, const Target &array, bool isBF16) {
            data.read(index, nb::ndarray<nb::ro>(array), isBF16);
          },
          "index"_a, "target"_a.noconvert(), "is_bf16"_a = false)
      .def("position", &Data::position)
      .def("set_position", &Data::setPosition, "position"_a);
  nb::class_<Evaluation>(m, "Evaluation", "Samples to evaluate a model on.")
      .def(nb::init<const Program &, const std::vector<std::string> &,
                    const std::vector<std::string> &>(),
           "program"_a, "files"_a, "shared"_a)
      .def_prop_ro("num_samples",
                   [](const Evaluation &e) { return e.info().numSamples; })
      .def_prop_ro("num_left_out",
                   [](const Evaluation &e) { return e.info().numLeftOut; })
      .def("run", &Evaluation::run, "runner"_a)
      .def("metrics", &Evaluation::metrics);
}

} // namespace mpc::python
