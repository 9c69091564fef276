// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Files of samples for mpc_compiler._runtime.
#ifndef MPC_LIB_PYTHON_DATA_H
#define MPC_LIB_PYTHON_DATA_H

#include "lib/Python/Runtime.h"
#include "mpc/Data.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace mpc::python {

class Data {
public:
  static Data open(const Program &program,
                   const std::vector<std::string> &files,
                   const mpc::DataOptions &options);
  static Data openTensors(const std::vector<std::string> &files,
                          int64_t batchSize,
                          const std::vector<std::string> &names,
                          const mpc::DataOptions &options);

  [[nodiscard]] MpcDataInfo info() const;
  [[nodiscard]] std::vector<TensorInfo> tensors() const;
  void next();
  /// The shape of a tensor of the current batch.
  [[nodiscard]] std::vector<int64_t> shape(size_t index) const;
  /// Copies a tensor of the current batch.
  void read(size_t index, nb::ndarray<nb::ro> target, bool isBF16);
  [[nodiscard]] Position position() const;
  void setPosition(const Position &position);

private:
  explicit Data(mpc::Data data) : data_(std::move(data)) {}

  mpc::Data data_;
};

class Evaluation {
public:
  Evaluation(const Program &program, const std::vector<std::string> &files,
             const std::vector<std::string> &shared);

  [[nodiscard]] MpcEvaluationInfo info() const;
  void run(Runner &runner);
  /// The name and value of each metric, and whether it is a mean over whole
  /// batches only.
  [[nodiscard]] std::vector<std::tuple<std::string, double, bool>>
  metrics() const;

private:
  mpc::Evaluation evaluation_;
};

void addData(nb::module_ &m);

} // namespace mpc::python

#endif // MPC_LIB_PYTHON_DATA_H
