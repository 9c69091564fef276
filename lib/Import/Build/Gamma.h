// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The gamma function's logarithm and its derivative, of floats.
#ifndef MPC_LIB_IMPORT_BUILD_GAMMA_H
#define MPC_LIB_IMPORT_BUILD_GAMMA_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// The logarithm of the gamma function's magnitude.
Operand logGamma(TensorBuilder &b, const Operand &x);
/// Its derivative. Minus infinity at 0, NaN at the negative integers.
Operand digamma(TensorBuilder &b, const Operand &x);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_GAMMA_H
