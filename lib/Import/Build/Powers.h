// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Powers and roots.
#ifndef MPC_LIB_IMPORT_BUILD_POWERS_H
#define MPC_LIB_IMPORT_BUILD_POWERS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// The root of a magnitude, as a sum of squares, with the gradient 0 at 0.
Operand rootOf(TensorBuilder &b, const Operand &x);

/// `base` to the power of `exponent`, which have the same shape and any numeric
/// types. The result has the base's type. `number` is the exponent where it is
/// one known number. With `isFlatAtPole` a negative power has the gradient 0
/// where an element is 0.
Operand power(TensorBuilder &b, const Operand &base, const Operand &exponent,
              std::optional<double> number, bool isFlatAtPole);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_POWERS_H
