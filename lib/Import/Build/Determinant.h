// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Determinants of square matrices.
#ifndef MPC_LIB_IMPORT_BUILD_DETERMINANT_H
#define MPC_LIB_IMPORT_BUILD_DETERMINANT_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// The determinant over the last two axes of `input`, floats. Each row takes
/// some fifteen ops.
Operand determinant(TensorBuilder &b, const Operand &input);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_DETERMINANT_H
