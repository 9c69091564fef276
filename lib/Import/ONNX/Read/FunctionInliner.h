// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Replaces calls of a file's local functions by their nodes.
#ifndef MPC_LIB_IMPORT_ONNX_READ_FUNCTIONINLINER_H
#define MPC_LIB_IMPORT_ONNX_READ_FUNCTIONINLINER_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Replaces every call, also in subgraphs. The nodes are then named
/// "CALL/NODE", so that a name tells the origin. Fails where functions call
/// each other in a cycle.
llvm::Error inlineFunctions(Model &model);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_READ_FUNCTIONINLINER_H
