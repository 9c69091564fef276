// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What ran under torch.no_grad(), told apart from what ran under
/// torch.autocast().
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_UNTRACKEDPARTS_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_UNTRACKEDPARTS_H

#include "lib/Import/ONNX/PyTorch/NameChoice.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

struct UntrackedParts {
  std::vector<std::string> warnings;
  /// What matters where gradients are taken.
  std::vector<std::string> gradientWarnings;
};

/// Marks the results of what ran under torch.no_grad(), of which the exporter
/// makes functions of its own before it writes their calls, as it does of what
/// ran under torch.autocast(). Where the record does not say which it was,
/// `choice` does, and gradients go through what it does not choose; without
/// it a warning says so.
UntrackedParts restoreNoGrad(Graph &graph, NameChoice &choice);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_UNTRACKEDPARTS_H
