// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which normalizations were in eval() while their model was in train().
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_TRAININGMODES_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_TRAININGMODES_H

#include "lib/Import/ONNX/PyTorch/NameChoice.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

struct TrainingModes {
  std::vector<std::string> warnings;
  /// What matters where the model is trained.
  std::vector<std::string> trainingWarnings;
};

/// The exporter writes no training_mode. Marks the batch normalizations that
/// stay frozen in training: those that `choice` names, and those that the
/// record has in eval() where it shows that the model was in train(). Where all
/// are in eval() and nothing shows which mode the model was in, they train, and
/// a warning says so.
TrainingModes restoreTrainingModes(Graph &graph, NameChoice &choice);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_TRAININGMODES_H
