// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads the activation functions of recurrent layers from attributes.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_RECURRENTACTIVATIONS_H
#define MPC_LIB_IMPORT_ONNX_OPS_RECURRENTACTIVATIONS_H

#include "lib/Import/Build/RecurrentActivations.h"
#include "lib/Import/ONNX/Ops/NodeImporter.h"

namespace mpc::onnx {

/// The activations by a layer's attributes, or `defaults`: one list for each
/// direction, one after the other.
llvm::Expected<llvm::SmallVector<RecurrentActivation>>
readActivations(NodeImporter &node, llvm::ArrayRef<llvm::StringRef> defaults,
                int64_t directions);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_RECURRENTACTIVATIONS_H
