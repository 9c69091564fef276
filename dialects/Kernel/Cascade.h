// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The order in which long sums that are no contractions are added up, on every
/// target: a cascade. What ends in one element, or in one lane's partial sum,
/// is cut into chains of about 16; each is added up from zero on, in order. As
/// long as there are more than some, their sums are cut into chains again, and
/// at last they are added in order.
///
/// The rounding error of a chain grows with the root of its length, so that of
/// a cascade hardly grows: docs/rationale/gemm.md.
#ifndef MPC_DIALECTS_KERNEL_CASCADE_H
#define MPC_DIALECTS_KERNEL_CASCADE_H

#include "dialects/Kernel/Classify.h"

namespace mpc::kernel {

/// A chain as indices of one of several nested loops, with all iterations of
/// the loops within it.
struct Chains {
  unsigned dim;  ///< Which loop, the outermost is 0.
  int64_t count; ///< How many of its indices. The last chain may have fewer.
};

/// The chains of a sum over loops of `extents`, outermost first: those of
/// elements, then those of the sums of these chains, and so on. Each is a
/// number of whole ones before it, the last of a loop perhaps less. Empty where
/// the sum is short.
llvm::SmallVector<Chains> getCascade(llvm::ArrayRef<int64_t> extents);

/// Whether a reduction is cut into chains if it is long: it adds up or
/// multiplies f32, and nobody asked for index order.
bool hasChains(const Statement &statement);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_CASCADE_H
