// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a call says of one op, and its node does not.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_CALLSETTINGS_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_CALLSETTINGS_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Gives nodes, those of subgraphs too, the settings that their calls have, and
/// those by which PyTorch's definition of an op differs from ONNX's. The latter
/// go to nodes that have calls, or with `isOfPyTorch` to all.
void restoreSettings(Graph &graph, bool isOfPyTorch);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_CALLSETTINGS_H
