// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions beside erf, of floats.
#ifndef MPC_LIB_IMPORT_BUILD_ERRORFUNCTIONS_H
#define MPC_LIB_IMPORT_BUILD_ERRORFUNCTIONS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// exp(x^2) (1 - erf(x)).
Operand erfcx(TensorBuilder &b, const Operand &x);
/// The logarithm of the normal distribution's integral up to `x`.
Operand logNormalIntegral(TensorBuilder &b, const Operand &x);
/// The x for which erf(x) is `y`: infinite at -1 and 1, NaN beyond them.
Operand erfInverse(TensorBuilder &b, const Operand &y);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_ERRORFUNCTIONS_H
