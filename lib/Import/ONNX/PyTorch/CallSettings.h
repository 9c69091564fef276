// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Settings of an op that its call has and its node lacks.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_CALLSETTINGS_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_CALLSETTINGS_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Gives nodes, also those of subgraphs, two kinds of settings: those of their
/// calls, and those by which PyTorch's definition of an op differs from ONNX's.
/// The latter are given to nodes with calls, or, with `isOfPyTorch`, to all.
void restoreSettings(Graph &graph, bool isOfPyTorch);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_CALLSETTINGS_H
