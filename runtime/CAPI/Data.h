// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Data and evaluations of the C ABI, and positions in data.
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

/// The object of a handle of data.
struct OpenData {
  explicit OpenData(DataLoader opened) : loader(std::move(opened)) {
    describeBatch();
  }

  /// Describes the tensors of the current batch.
  void describeBatch() {
    tensors.resize(loader.numInputs());
    for (size_t i = 0; i < tensors.size(); ++i)
      tensors[i] = loader.inputOf(i, loader.rows());
  }

  DataLoader loader;
  std::vector<TensorDesc> tensors;
  std::atomic_flag isInUse = {};
};

/// The object of a handle of an evaluation over files.
struct OpenEvaluation {
  std::shared_ptr<const Program> program;
  std::unique_ptr<FileEvaluation> files;
  std::vector<double> values; ///< The values of the last run; empty before one.
  bool isTold = false; ///< Whether the note on left out samples was given.
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

/// The position that a caller passes; an empty one for NULL.
Result<LoaderState> loaderState(const MpcDataPosition *given);
[[nodiscard]] MpcDataPosition dataPosition(const LoaderState &state);

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_DATA_H
