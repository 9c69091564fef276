// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What all elements up to each one along an axis come to.
#ifndef MPC_LIB_IMPORT_BUILD_CUMULATIVE_H
#define MPC_LIB_IMPORT_BUILD_CUMULATIVE_H

#include "lib/Import/Build/Sorting.h"

namespace mpc::build {

/// The greatest number so far, or the least, and the last place of such a one.
/// From a NaN on it is NaN.
Ordered cumulativeExtreme(TensorBuilder &b, const Operand &input, int64_t axis,
                          bool isLeast);
/// log(sum(exp(x))) of floats.
Operand cumulativeLogSumExp(TensorBuilder &b, const Operand &x, int64_t axis);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_CUMULATIVE_H
