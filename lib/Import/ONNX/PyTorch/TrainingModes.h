// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds normalizations that were in eval() while their model was in train().
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_TRAININGMODES_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_TRAININGMODES_H

#include "lib/Import/ONNX/PyTorch/NameChoice.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

struct TrainingModes {
  std::vector<std::string> warnings;
  /// Warnings that matter where the model is trained.
  std::vector<std::string> trainingWarnings;
};

/// Marks the batch normalizations that stay frozen in training, since the
/// exporter writes no training_mode. These are the ones that `choice` names. If
/// the record shows that the model was in train(), those that it shows in
/// eval() are marked too. If all are in eval() and nothing shows the model's
/// mode, they train, and a warning says so.
TrainingModes restoreTrainingModes(Graph &graph, NameChoice &choice);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_TRAININGMODES_H
