// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Restores PyTorch's `detach()`, which the exporter's optimizer removes as an
/// identity.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_DETACHEDVALUES_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_DETACHEDVALUES_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Restores the Identity of each `detach()` that calls read and that the
/// optimizer has removed. Returns a warning for each whose operand or readers
/// are not known.
std::vector<std::string> restoreDetached(Graph &graph);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_DETACHEDVALUES_H
