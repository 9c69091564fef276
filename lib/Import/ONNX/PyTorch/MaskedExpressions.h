// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// y[mask] = f(a[mask], b[mask]), which the exporter writes by lists of the
/// mask's places, whose length depends on the data.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_MASKEDEXPRESSIONS_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_MASKEDEXPRESSIONS_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Computes what is written to where a mask is true of all elements, in place
/// of those that the same mask selects, and writes it by a selection. What
/// stands beside the mask is computed of ones, and no gradient comes from
/// there. Goes by the record of calls.
void restoreMaskedExpressions(Graph &graph);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_MASKEDEXPRESSIONS_H
