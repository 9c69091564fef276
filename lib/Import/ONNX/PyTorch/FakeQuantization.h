// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Fake quantization: quantizing and dequantizing in one step.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_FAKEQUANTIZATION_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_FAKEQUANTIZATION_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Gives each DequantizeLinear of a QuantizeLinear with the same scale the
/// latter's input, and form::kFakeQuantize.
void restoreFakeQuantization(Graph &graph);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_FAKEQUANTIZATION_H
