// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads a window that slides over spatial axes, from the attributes of
/// convolutions and pools.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_WINDOW_H
#define MPC_LIB_IMPORT_ONNX_OPS_WINDOW_H

#include "lib/Import/Build/Windows.h"
#include "lib/Import/ONNX/Ops/NodeImporter.h"

namespace mpc::onnx {

/// Reads strides, dilations, pads, auto_pad and ceil_mode.
llvm::Expected<Window> readWindow(NodeImporter &node,
                                  llvm::ArrayRef<int64_t> input,
                                  llvm::ArrayRef<int64_t> kernel);

/// Reads the attributes of a transposed convolution, which has some more.
llvm::Expected<TransposedWindow>
readTransposedWindow(NodeImporter &node, llvm::ArrayRef<int64_t> input,
                     llvm::ArrayRef<int64_t> kernel);

/// Reads the window of a node that pools, with its kernel_shape.
llvm::Expected<Window> readPool(NodeImporter &node);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_WINDOW_H
