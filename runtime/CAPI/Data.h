// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What data and evaluations of the C ABI are, and places in data.
#ifndef MPC_RUNTIME_CAPI_DATA_H
#define MPC_RUNTIME_CAPI_DATA_H

#include "mpc-c/Data.h"
#include "runtime/CAPI/Handles.h"
#include "runtime/Program/Program.h"
#include "runtime/Train/Data.h"
#include "runtime/Train/FileEvaluation.h"

#include <atomic>
#include <memory>
#include <vector>

namespace mpc::rt {

/// Data, as its handle has it.
struct OpenData {
  explicit OpenData(DataLoader opened) : loader(std::move(opened)) {
    describeBatch();
  }

  /// Sets what the tensors of the batch at hand are.
  void describeBatch() {
    tensors.resize(loader.numInputs());
    for (size_t i = 0; i < tensors.size(); ++i)
      tensors[i] = loader.inputOf(i, loader.rows());
  }

  DataLoader loader;
  std::vector<TensorDesc> tensors;
  std::atomic_flag isInUse = {};
};

/// An evaluation over files, as its handle has it.
struct OpenEvaluation {
  std::shared_ptr<const Program> program;
  std::unique_ptr<FileEvaluation> files;
  std::vector<double> values; ///< Of the last run; none before one.
  bool isTold = false;        ///< What is left out.
  std::atomic_flag isInUse = {};
};

template <>
struct HandleTraits<MpcData> {
  using Object = OpenData;
  static constexpr HandleKind kKind = HandleKind::Data;
  static constexpr const char *kName = "data set";
};
template <>
struct HandleTraits<MpcEvaluation> {
  using Object = OpenEvaluation;
  static constexpr HandleKind kKind = HandleKind::Evaluation;
  static constexpr const char *kName = "file evaluation";
};

/// Where a caller stands; of NULL, nowhere.
Result<LoaderState> loaderState(const MpcDataPosition *given);
[[nodiscard]] MpcDataPosition dataPosition(const LoaderState &state);

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_DATA_H
