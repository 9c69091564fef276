// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Nodes whose op a library defines.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_LIBRARYOPS_H
#define MPC_LIB_IMPORT_ONNX_OPS_LIBRARYOPS_H

#include "lib/Import/ONNX/Ops/NodeImporter.h"
#include "lib/Import/OpLibrary.h"

namespace mpc::onnx {

/// Puts the body of the function of `functions` that takes the node's inputs
/// and attributes in the node's place.
llvm::Error importLibraryOp(NodeImporter &node,
                            llvm::ArrayRef<LibraryFunction> functions);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_LIBRARYOPS_H
