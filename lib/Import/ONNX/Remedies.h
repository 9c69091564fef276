// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a user can do about an op that is not imported.
#ifndef MPC_LIB_IMPORT_ONNX_REMEDIES_H
#define MPC_LIB_IMPORT_ONNX_REMEDIES_H

#include "lib/Import/ONNX/OnnxModel.h"

namespace mpc::onnx {

/// The end of the sentence that says that `node` is not supported.
llvm::StringRef remedyFor(const Node &node);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_REMEDIES_H
