// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Distinguishes parts that ran under torch.no_grad() from those that ran under
/// torch.autocast().
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_UNTRACKEDPARTS_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_UNTRACKEDPARTS_H

#include "lib/Import/ONNX/PyTorch/NameChoice.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

struct UntrackedParts {
  std::vector<std::string> warnings;
  /// Warnings that matter where gradients are computed.
  std::vector<std::string> gradientWarnings;
};

/// Marks the results of parts that ran under torch.no_grad(). The exporter
/// makes functions of such parts before it writes their calls, and it does the
/// same for torch.autocast(). Where the record does not tell which of the two a
/// part was, `choice` decides, and gradients pass through parts that it does
/// not choose. If the flag is not given, a warning says so.
UntrackedParts restoreNoGrad(Graph &graph, NameChoice &choice);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_UNTRACKEDPARTS_H
