// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reductions that nn has no op for.
#ifndef MPC_LIB_IMPORT_BUILD_REDUCTIONS_H
#define MPC_LIB_IMPORT_BUILD_REDUCTIONS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// m + log(sum(exp(x - m))), where m is the maximum: no exponential of a large
/// number. Of an infinite maximum there is no distance, and m is 0. The axes go
/// away.
Operand logSumExp(TensorBuilder &b, const Operand &x,
                  llvm::ArrayRef<int64_t> axes);

/// The maximum along an axis of 1 to 2^24 elements, which goes away; its
/// gradient goes to the first of equal elements.
Operand firstMaximum(TensorBuilder &b, const Operand &x, int64_t axis);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_REDUCTIONS_H
