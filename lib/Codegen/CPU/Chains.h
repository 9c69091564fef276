// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The order in which long sums are added up. What ends in one element, in the
/// order of the reduction loops, is cut into chains: each is added up from zero
/// on, in order, and then their sums are. All schedules and the scalar loops
/// keep to it, so that they have the same bits.
///
/// The rounding error of one chain grows with the root of its length. That of
/// chains grows with the root of a chain's length and of how often it goes into
/// the whole: docs/rationale/gemm.md.
#ifndef MPC_LIB_CODEGEN_CPU_CHAINS_H
#define MPC_LIB_CODEGEN_CPU_CHAINS_H

#include "dialects/Kernel/Contraction.h"
#include <optional>

namespace mpc::cpu {

/// A chain as indices of one of several nested loops, with all iterations of
/// the loops within it.
struct Chains {
  unsigned dim;  ///< Which loop, the outermost is 0.
  int64_t count; ///< How many of its indices. The last chain may have fewer.
};

/// The chains of a sum over loops of `extents`, outermost first. None of them
/// ends within a loop that another one has begun; short sums are one chain.
Chains getChains(llvm::ArrayRef<int64_t> extents);
/// Whether that is one chain.
bool isOneChain(llvm::ArrayRef<int64_t> extents);

/// Whether a reduction is cut into chains if it is long: it adds up or
/// multiplies f32, and nobody asked for index order.
bool hasChains(const kernel::Statement &statement);

/// How many iterations of its reduction loops a chain of `statement` has, which
/// is a contraction or another long sum; none if its elements are combined one
/// after another from the first value on. Neighbouring loops count as one.
std::optional<int64_t> getChainLength(const kernel::Statement &statement);

/// How many k a chain of `contraction` has, the last one perhaps less. It
/// follows from loops and extents alone, whatever the operands' layout.
///
/// K is one loop; but where each batch is a matrix times a vector, as in
/// depthwise convolutions, its dimensions are, so that tiles hold whole chains.
int64_t getChainLength(const kernel::Contraction &contraction);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_CHAINS_H
