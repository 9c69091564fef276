// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Restores facts that PyTorch's exporter loses, by the record that it writes
/// beside the graph.
///
/// This folder is frozen: faults are fixed, and no rows are added. Facts that
/// are not restored here can be read from PyTorch's own exported program.
///
/// Nodes get forms and settings of Ops/Forms.h, so that no emitter of an op
/// needs to know who wrote the file or from which call a node comes.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_RECOVERY_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_RECOVERY_H

#include "lib/Import/Model.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Messages for the user.
struct Recovered {
  std::vector<std::string> warnings;
  /// Warnings that matter where gradients are computed, and where the model is
  /// trained.
  std::vector<std::string> gradientWarnings, trainingWarnings;
};

/// Rewrites the graph of `model`.
llvm::Expected<Recovered> recoverPyTorch(Model &model,
                                         const ModelOptions &options);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_RECOVERY_H
