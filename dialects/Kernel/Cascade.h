// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The order in which long sums that are no contractions are added up, on every
/// target: a cascade. The summands of one element, or of one lane's partial
/// sum, are cut into chains of about 16. Each chain is added up from zero on,
/// in order. While there are many sums of chains, these are cut into chains
/// again; the last few are added in order.
///
/// The rounding error of a chain grows with the root of its length, and that of
/// a cascade hardly grows: docs/rationale/gemm.md.
#ifndef MPC_DIALECTS_KERNEL_CASCADE_H
#define MPC_DIALECTS_KERNEL_CASCADE_H

#include "dialects/Kernel/Body.h"

namespace mpc::kernel {

/// A chain: a run of indices of one of several nested loops, with all
/// iterations of the loops within it.
struct Chains {
  unsigned dim; ///< The loop, counted from 0 for the outermost.
  /// The number of its indices in a chain. The last chain may have fewer.
  int64_t count;
};

/// The chains of a sum over loops of `extents`, outermost first: the chains of
/// elements, then the chains of the sums of those, and so on. Each chain is a
/// whole number of chains of the level before, except perhaps the last of a
/// loop. Empty where the sum is short.
llvm::SmallVector<Chains> getCascade(llvm::ArrayRef<int64_t> extents);

/// Whether a reduction is cut into chains if it is long: it adds or multiplies
/// f32, and is not marked `kernel.in_order`.
bool hasChains(const Statement &statement);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_CASCADE_H
