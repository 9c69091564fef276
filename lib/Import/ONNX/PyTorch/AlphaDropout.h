// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// PyTorch's alpha_dropout() and feature_alpha_dropout(), which the exporter
/// writes as arithmetic on random numbers.
#ifndef MPC_LIB_IMPORT_ONNX_PYTORCH_ALPHADROPOUT_H
#define MPC_LIB_IMPORT_ONNX_PYTORCH_ALPHADROPOUT_H

#include "lib/Import/ONNX/Read/OnnxModel.h"

namespace mpc::onnx {

/// Replaces the arithmetic by one node, which can be disabled like a Dropout.
/// It is recognized by the record of calls.
void restoreAlphaDropout(Graph &graph);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_PYTORCH_ALPHADROPOUT_H
