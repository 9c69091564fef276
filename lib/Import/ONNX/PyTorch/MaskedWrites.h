// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writing to where a mask is true.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_MASKEDWRITES_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_MASKEDWRITES_H

#include "lib/Import/ONNX/Ops/NodeImporter.h"

namespace mpc::onnx {

/// Gives each ScatterND that is PyTorch's masked_scatter(mask, source) or
/// x[mask] = values the mask and the source as inputs 1 and 2, and marks it;
/// goes by the record of calls.
void restoreMaskedWrites(Graph &graph);

/// Imports such a node: elements where the mask is true come from the source,
/// in order, the others from the data.
llvm::Error emitMaskedWrite(NodeImporter &node);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_MASKEDWRITES_H
