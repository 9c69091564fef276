// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Recognizes writes to places where a mask is true.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_MASKEDWRITES_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_MASKEDWRITES_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Gives each ScatterND that is PyTorch's masked_scatter(mask, source) or
/// x[mask] = values the mask and the source as inputs 1 and 2, and a form.
/// Writes are recognized by the record of calls.
void restoreMaskedWrites(Graph &graph);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_MASKEDWRITES_H
