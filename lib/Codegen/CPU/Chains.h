// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The order in which long sums are added up. What ends in one element, in the
/// order of the reduction loops, is cut into chains: each is added up from zero
/// on, in order, and then their sums are: those of a contraction in order,
/// others as a cascade. All schedules and the scalar loops keep to it, so that
/// they have the same bits.
///
/// The rounding error of one chain grows with the root of its length. That of
/// chains grows with the root of a chain's length and of how often it goes into
/// the whole: docs/rationale/gemm.md.
#ifndef MPC_LIB_CODEGEN_CPU_CHAINS_H
#define MPC_LIB_CODEGEN_CPU_CHAINS_H

#include "dialects/Kernel/Cascade.h"
#include "dialects/Kernel/Contraction.h"

namespace mpc::cpu {

using kernel::Chains;

/// The chains of a contraction over loops of `extents`, outermost first. None
/// of them ends within a loop that another one has begun; short sums are one
/// chain.
Chains getChains(llvm::ArrayRef<int64_t> extents);

/// A sum as some loops over all its elements, in order, and its chains.
struct LongSum {
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<Chains> cuts; ///< Of elements first, as getCascade() has.
};

/// The reduction loops of `statement`, neighbours as one, and how they are cut.
/// No cuts if its elements are combined one after another from the first value
/// on.
LongSum getLongSum(const kernel::Statement &statement);

/// How many k a chain of `contraction` has, the last one perhaps less. It
/// follows from loops and extents alone, whatever the operands' layout.
///
/// K is one loop; but where each batch is a matrix times a vector, as in
/// depthwise convolutions, its dimensions are, so that tiles hold whole chains.
int64_t getChainLength(const kernel::Contraction &contraction);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_CHAINS_H
