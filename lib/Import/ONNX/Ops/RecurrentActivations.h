// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The attributes of recurrent layers that say functions.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_RECURRENTACTIVATIONS_H
#define MPC_LIB_IMPORT_ONNX_OPS_RECURRENTACTIVATIONS_H

#include "lib/Import/Build/RecurrentActivations.h"
#include "lib/Import/ONNX/Ops/NodeImporter.h"

namespace mpc::onnx {

/// What a layer's attributes say, `defaults` where they say nothing: one list
/// for each direction, one behind another.
llvm::Expected<llvm::SmallVector<RecurrentActivation>>
readActivations(NodeImporter &node, llvm::ArrayRef<llvm::StringRef> defaults,
                int64_t directions);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_RECURRENTACTIVATIONS_H
