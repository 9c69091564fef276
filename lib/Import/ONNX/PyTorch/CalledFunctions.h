// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions of PyTorch that the exporter writes as formulas which are not
/// what they are everywhere: they overflow, or have no slope where the function
/// has one.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_CALLEDFUNCTIONS_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_CALLEDFUNCTIONS_H

#include "lib/Import/ONNX/Ops/NodeImporter.h"

namespace mpc::onnx {

/// Puts one node in the place of those of such a call, which has the call's
/// arguments as inputs and is marked; goes by the record of calls.
void restoreCalledFunctions(Graph &graph);

/// An embedding_bag() of a padding: table, indices and offsets.
llvm::Error emitEmbeddingBag(NodeImporter &node);

/// How such a node is imported.
const OpRule &ruleOfCalled();

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_CALLEDFUNCTIONS_H
