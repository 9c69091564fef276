// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How a window slides over spatial axes, from the attributes that
/// convolutions and pools share.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_WINDOW_H
#define MPC_LIB_IMPORT_ONNX_OPS_WINDOW_H

#include "lib/Import/ONNX/Ops/NodeImporter.h"

namespace mpc::onnx {

/// One number for each spatial axis. The windows that `output` counts lie
/// within the input padded by `low` and `high`.
struct Window {
  llvm::SmallVector<int64_t> kernel;
  llvm::SmallVector<int64_t> strides;
  llvm::SmallVector<int64_t> dilations;
  llvm::SmallVector<int64_t> low;
  llvm::SmallVector<int64_t> high;
  /// What `high` was before ceil_mode made it larger.
  llvm::SmallVector<int64_t> givenHigh;
  Shape output;
};

/// A window that slides by one over `input`, without pads.
Window slidingWindow(llvm::ArrayRef<int64_t> input,
                     llvm::ArrayRef<int64_t> kernel);

/// Reads strides, dilations, pads, auto_pad and ceil_mode.
llvm::Expected<Window> readWindow(NodeImporter &node,
                                  llvm::ArrayRef<int64_t> input,
                                  llvm::ArrayRef<int64_t> kernel);

/// A transposed convolution as a pad (`low`, `high`, `interior` of all axes)
/// and a convolution of stride 1.
struct TransposedWindow {
  llvm::SmallVector<int64_t> low;
  llvm::SmallVector<int64_t> high;
  llvm::SmallVector<int64_t> interior;
  Window conv;
};

llvm::Expected<TransposedWindow>
readTransposedWindow(NodeImporter &node, llvm::ArrayRef<int64_t> input,
                     llvm::ArrayRef<int64_t> kernel);

/// The window of a node that pools, from its kernel_shape too.
llvm::Expected<Window> readPool(NodeImporter &node);

/// The sum over each window of [batch, channels, spatial..], which is padded.
Operand sumOverWindows(TensorBuilder &b, const Operand &padded,
                       const Window &window);

Operand buildConv(TensorBuilder &b, const Operand &input, const Operand &weight,
                  const Operand *bias, const Window &window, int64_t groups);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_WINDOW_H
