// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reductions for which nn has no op.
#ifndef MPC_LIB_IMPORT_BUILD_REDUCTIONS_H
#define MPC_LIB_IMPORT_BUILD_REDUCTIONS_H

#include "lib/Import/Build/TensorBuilder.h"

namespace mpc::build {

/// m + log(sum(exp(x - m))), where m is the maximum, so that no large number is
/// exponentiated. m is 0 where the maximum is infinite. The axes are removed.
Operand logSumExp(TensorBuilder &b, const Operand &x,
                  llvm::ArrayRef<int64_t> axes);

/// The norm of order `p` over the axes, which are removed: any positive order,
/// 0 (how many are not 0), infinity and minus infinity; empty for others. It
/// has the gradient 0 where it is 0, and for an element that is 0.
std::optional<Operand> norm(TensorBuilder &b, const Operand &x,
                            llvm::ArrayRef<int64_t> axes, double p);

/// The maximum along an axis of 1 to 2^24 elements. The axis is removed. The
/// gradient goes to the first of equal elements.
Operand firstMaximum(TensorBuilder &b, const Operand &x, int64_t axis);

} // namespace mpc::build

#endif // MPC_LIB_IMPORT_BUILD_REDUCTIONS_H
