// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// y[mask] = f(a[mask], b[mask]), which the exporter writes with lists of the
/// mask's places. The length of the lists depends on the data.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_MASKEDEXPRESSIONS_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_MASKEDEXPRESSIONS_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Computes the written values for all elements, in place of those that the
/// mask selects, and writes them by a selection. Elements outside of the mask
/// are computed from ones, and have no gradient. Writes are recognized by the
/// record of calls.
void restoreMaskedExpressions(Graph &graph);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_MASKEDEXPRESSIONS_H
