// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The `detach()`s of PyTorch, which are identities to the exporter's
/// optimizer.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_DETACHEDVALUES_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_DETACHEDVALUES_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Puts the Identity back of each `detach()` that calls read and that the
/// optimizer has removed. Gives a warning of each of which it is not known what
/// it was of, or what read it.
std::vector<std::string> restoreDetached(Graph &graph);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_DETACHEDVALUES_H
