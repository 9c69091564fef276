// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions that PyTorch's exporter writes as formulas which differ from the
/// functions for some arguments: they overflow, or lack a slope that the
/// function has.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_CALLEDFUNCTIONS_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_CALLEDFUNCTIONS_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Replaces the nodes of such a call by one node with the call's arguments as
/// inputs and the function's form. Calls are found by their record.
void restoreCalledFunctions(Graph &graph);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_CALLEDFUNCTIONS_H
