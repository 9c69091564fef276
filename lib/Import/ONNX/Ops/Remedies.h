// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Remedies for ops that are not imported.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_REMEDIES_H
#define MPC_LIB_IMPORT_ONNX_OPS_REMEDIES_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// The end of the sentence that says that `node` is not supported. `similar`
/// names ops that may have been meant.
std::string remedyFor(const Node &node, llvm::StringRef similar = "");

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_REMEDIES_H
