// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The functions that ONNX's recurrent layers apply to their gates and states.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_RECURRENTACTIVATIONS_H
#define MPC_LIB_IMPORT_ONNX_OPS_RECURRENTACTIVATIONS_H

#include "lib/Import/ONNX/Ops/NodeImporter.h"

namespace mpc::onnx {

struct RecurrentFunction;

/// A function with its settings, and what its argument is clipped to.
struct RecurrentActivation {
  const RecurrentFunction *function;
  double alpha = 0.0, beta = 0.0;
  /// Arguments are within [-clip, clip].
  std::optional<double> clip;

  Operand apply(TensorBuilder &b, Operand x) const;
};

/// What a layer's attributes say, `defaults` where they say nothing: one list
/// for each direction, one behind another.
llvm::Expected<llvm::SmallVector<RecurrentActivation>>
readActivations(NodeImporter &node, llvm::ArrayRef<llvm::StringRef> defaults,
                int64_t directions);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_RECURRENTACTIVATIONS_H
