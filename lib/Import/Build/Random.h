// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Random numbers, drawn again in each step.
#ifndef MPC_LIB_IMPORT_BUILD_RANDOM_H
#define MPC_LIB_IMPORT_BUILD_RANDOM_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// `input` with random elements set to 0 in training.
Operand dropout(TensorBuilder &b, const Operand &input, double ratio,
                int32_t stream);

/// Numbers in [0, 1), numbers in [low, high), and normal numbers; f32, each
/// from a stream of its own.
Operand uniform(TensorBuilder &b, llvm::ArrayRef<int64_t> shape);
Operand uniformBetween(TensorBuilder &b, llvm::ArrayRef<int64_t> shape,
                       double low, double high);
Operand normal(TensorBuilder &b, llvm::ArrayRef<int64_t> shape, double mean,
               double deviation);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_RANDOM_H
