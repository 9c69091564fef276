// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Puts the nodes of a file's local functions where they are called.
#ifndef MPC_LIB_IMPORT_ONNX_READ_FUNCTIONINLINER_H
#define MPC_LIB_IMPORT_ONNX_READ_FUNCTIONINLINER_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Replaces every call, also in subgraphs. A node is named "CALL/NODE" then, so
/// that its name says where it is from. Fails where functions call each other
/// in a circle.
llvm::Error inlineFunctions(Model &model);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_READ_FUNCTIONINLINER_H
