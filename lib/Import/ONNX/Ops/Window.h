// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How a window slides over spatial axes, from the attributes that
/// convolutions and pools share.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_WINDOW_H
#define MPC_LIB_IMPORT_ONNX_OPS_WINDOW_H

#include "lib/Import/Build/Windows.h"
#include "lib/Import/ONNX/Ops/NodeImporter.h"

namespace mpc::onnx {

/// Reads strides, dilations, pads, auto_pad and ceil_mode.
llvm::Expected<Window> readWindow(NodeImporter &node,
                                  llvm::ArrayRef<int64_t> input,
                                  llvm::ArrayRef<int64_t> kernel);

/// Reads the same of a transposed convolution, and what it adds.
llvm::Expected<TransposedWindow>
readTransposedWindow(NodeImporter &node, llvm::ArrayRef<int64_t> input,
                     llvm::ArrayRef<int64_t> kernel);

/// The window of a node that pools, from its kernel_shape too.
llvm::Expected<Window> readPool(NodeImporter &node);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_WINDOW_H
