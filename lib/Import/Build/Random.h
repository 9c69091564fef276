// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Random numbers, drawn anew in each step.
#ifndef MPC_LIB_IMPORT_BUILD_RANDOM_H
#define MPC_LIB_IMPORT_BUILD_RANDOM_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// A stream that no op before draws from: they are counted in order.
int32_t takeStream(TensorBuilder &b);

/// `input` with elements set to 0 by chance in training.
Operand dropout(TensorBuilder &b, const Operand &input, double ratio,
                int32_t stream);

/// Numbers of [0, 1), of [low, high), and normal ones; of f32, from a stream of
/// their own.
Operand uniform(TensorBuilder &b, llvm::ArrayRef<int64_t> shape);
Operand uniformBetween(TensorBuilder &b, llvm::ArrayRef<int64_t> shape,
                       double low, double high);
Operand normal(TensorBuilder &b, llvm::ArrayRef<int64_t> shape, double mean,
               double deviation);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_RANDOM_H
