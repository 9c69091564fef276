// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What PyTorch's exporter lost, put back into the graph by the record that it
/// writes beside it.
///
/// This folder is frozen: faults are mended, and no new rows come. What is not
/// recovered here is to be read from PyTorch's own exported program.
///
/// Nodes get forms and settings of Ops/Forms.h, so that no emitter of an op
/// asks who wrote the file or which call a node comes from.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_RECOVERY_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_RECOVERY_H

#include "lib/Import/Model.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// What a user is to know of it.
struct Recovered {
  std::vector<std::string> warnings;
  /// Those that matter where gradients are taken, and where the model trains.
  std::vector<std::string> gradientWarnings, trainingWarnings;
};

/// Rewrites the graph of `model`.
llvm::Expected<Recovered> recoverPyTorch(Model &model,
                                         const ModelOptions &options);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_RECOVERY_H
