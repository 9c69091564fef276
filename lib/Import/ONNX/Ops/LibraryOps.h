// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Imports nodes whose op a library defines.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_LIBRARYOPS_H
#define MPC_LIB_IMPORT_ONNX_OPS_LIBRARYOPS_H

#include "lib/Import/ONNX/Ops/NodeImporter.h"
#include "lib/Import/OpLibrary.h"

namespace mpc::onnx {

/// Replaces the node by the body of the function in `functions` that takes its
/// inputs and attributes.
llvm::Error importLibraryOp(NodeImporter &node,
                            llvm::ArrayRef<LibraryFunction> functions);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_LIBRARYOPS_H
