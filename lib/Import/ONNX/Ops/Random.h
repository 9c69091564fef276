// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The rules of ops that draw random numbers.
#ifndef MPC_LIB_IMPORT_ONNX_OPS_RANDOM_H
#define MPC_LIB_IMPORT_ONNX_OPS_RANDOM_H

#include "lib/Import/ONNX/Ops/NodeImporter.h"

namespace mpc::onnx {

llvm::ArrayRef<OpRule> randomRules();

/// A stream that no op before draws from: they are counted in order.
int32_t takeStream(TensorBuilder &b);

/// `input` with elements set to 0 by chance in training.
Operand dropout(TensorBuilder &b, const Operand &input, double ratio,
                int32_t stream);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_OPS_RANDOM_H
