// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions that nn has no op for, by formulas that neither overflow nor lose
/// digits nor have a gradient of NaN. Of floats of one type and shape.
#ifndef MPC_LIB_IMPORT_BUILD_FUNCTIONS_H
#define MPC_LIB_IMPORT_BUILD_FUNCTIONS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// sin(pi x) / (pi x), which is 1 at 0.
Operand sinc(TensorBuilder &b, const Operand &x);
Operand atan2(TensorBuilder &b, const Operand &y, const Operand &x);
/// Of complex numbers, which are pairs along the last axis.
Operand angle(TensorBuilder &b, const Operand &z);
/// log(exp(x) + exp(y)), and the same to base 2.
Operand logAddExp(TensorBuilder &b, const Operand &x, const Operand &y);
Operand logAddExp2(TensorBuilder &b, const Operand &x, const Operand &y);
Operand logSigmoid(TensorBuilder &b, const Operand &x);
/// x log(y), which is 0 where x is.
Operand xLogY(TensorBuilder &b, const Operand &x, const Operand &y);
/// Of numbers of any type: where the rest of a division is not 0 and not of the
/// divisor's sign; and the rest of a division that rounds down, which is.
Operand hasOtherSign(TensorBuilder &b, const Operand &rest,
                     const Operand &divisor);
Operand flooredRest(TensorBuilder &b, const Operand &x, const Operand &divisor);
/// exp(x^2) (1 - erf(x)).
Operand erfcx(TensorBuilder &b, const Operand &x);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_FUNCTIONS_H
