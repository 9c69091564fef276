// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Fake quantization: what is quantized and dequantized at once.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_QUANTIZATION_H
#define MPC_LIB_IMPORT_ONNX_OPS_QUANTIZATION_H

#include "lib/Import/ONNX/Ops/NodeImporter.h"

namespace mpc::onnx {

/// Gives each DequantizeLinear of what a QuantizeLinear of the same scale made
/// that one's input, and marks it.
void restoreFakeQuantization(Graph &graph);

/// How such a node is imported.
const OpRule &ruleOfFakeQuantization();

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_QUANTIZATION_H
