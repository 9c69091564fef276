// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions for which nn has no op, by formulas that do not overflow, keep
/// their digits, and have no NaN in their gradient. Operands are floats of one
/// type and shape.
#ifndef MPC_LIB_IMPORT_BUILD_FUNCTIONS_H
#define MPC_LIB_IMPORT_BUILD_FUNCTIONS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// sin(pi x) / (pi x), which is 1 at 0.
Operand sinc(TensorBuilder &b, const Operand &x);
Operand atan2(TensorBuilder &b, const Operand &y, const Operand &x);
/// The angle of complex numbers, which are pairs along the last axis.
Operand angle(TensorBuilder &b, const Operand &z);
/// log(exp(x) + exp(y)), and its form to base 2.
Operand logAddExp(TensorBuilder &b, const Operand &x, const Operand &y);
Operand logAddExp2(TensorBuilder &b, const Operand &x, const Operand &y);
/// Whether `x` has a minus sign, which a zero may have too.
Operand isNegative(TensorBuilder &b, const Operand &x);
/// The magnitude of `x` with the sign of `sign`, which a zero has too.
Operand copySign(TensorBuilder &b, const Operand &x, const Operand &sign);
/// sqrt(x^2 + y^2)
Operand hypot(TensorBuilder &b, const Operand &x, const Operand &y);
/// The greater and the smaller one, for numbers of any type. NaN is passed
/// over where the other is a number.
Operand maxOfNumbers(TensorBuilder &b, const Operand &x, const Operand &y);
Operand minOfNumbers(TensorBuilder &b, const Operand &x, const Operand &y);
Operand logSigmoid(TensorBuilder &b, const Operand &x);
/// x log(y); 0 where x is 0.
Operand xLogY(TensorBuilder &b, const Operand &x, const Operand &y);
/// For numbers of any type: where the remainder of a division is not 0 and its
/// sign differs from the divisor's; and the remainder of a division that rounds
/// down, which has the divisor's sign.
Operand hasOtherSign(TensorBuilder &b, const Operand &rest,
                     const Operand &divisor);
Operand flooredRest(TensorBuilder &b, const Operand &x, const Operand &divisor);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_FUNCTIONS_H
