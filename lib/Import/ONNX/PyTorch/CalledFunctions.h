// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions of PyTorch that the exporter writes as formulas which are not
/// what they are everywhere: they overflow, or have no slope where the function
/// has one.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_CALLEDFUNCTIONS_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_CALLEDFUNCTIONS_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Puts one node in the place of those of such a call, which has the call's
/// arguments as inputs and the function's form; goes by the record of calls.
void restoreCalledFunctions(Graph &graph);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_CALLEDFUNCTIONS_H
