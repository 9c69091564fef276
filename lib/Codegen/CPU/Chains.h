// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The order in which long sums are added up. The summands of one element, in
/// the order of the reduction loops, are cut into chains. Each chain is added
/// up from zero on, in order. Then the sums of chains are added: those of a
/// contraction in order, others as a cascade. All schedules and the scalar
/// loops keep this order, so that they have the same bits.
///
/// The rounding error of one chain grows with the root of its length. The error
/// of chains grows with the root of a chain's length and of the number of
/// chains: docs/rationale/gemm.md.
#ifndef MPC_LIB_CODEGEN_CPU_CHAINS_H
#define MPC_LIB_CODEGEN_CPU_CHAINS_H

#include "dialects/Kernel/Cascade.h"
#include "dialects/Kernel/Contraction.h"
#include "lib/Codegen/CPU/CPUDialect.h"

namespace mpc::cpu {

using kernel::Chains;

/// The chains of a contraction over loops of `extents`, outermost first. A
/// chain never ends inside of a loop that an earlier chain began. A short sum
/// is one chain.
Chains getChains(llvm::ArrayRef<int64_t> extents);

/// A long sum: loops over all its elements, in order, and its chains.
struct LongSum {
  llvm::SmallVector<int64_t> extents;
  /// The cuts; chains of elements come first, as in getCascade().
  llvm::SmallVector<Chains> cuts;
  /// The number of partial sums. Where there are several, the last loop goes
  /// over lines of `length` elements by as many at a time, of which each is
  /// added to its own sum; what is left of a line comes last.
  int64_t lanes = 1;
  int64_t length = 0;
};

/// Whether `statement` reduces rows, whose elements `#cpu.rows` combines by
/// vectors along the row.
bool isRowReduction(const kernel::Statement &statement);

/// The reduction loops of `statement`, neighbours merged, and their cuts. There
/// are no cuts if the elements are combined one after another, from the first
/// value on. A contraction runs on the unit that it has where bf16 is
/// multiplied by `bf16`, and a row's elements are combined by `lanes`.
LongSum getLongSum(const kernel::Statement &statement, Unit bf16,
                   int64_t lanes);

/// The number of k in a chain of `contraction` on `unit`; the last chain may
/// have fewer. It follows from loops and extents alone, whatever the operands'
/// layout.
///
/// K counts as one loop. Where windows slide over an image, each dimension of K
/// is a loop instead, so that a chain is whole taps, or a part of one; and so
/// it is where each batch is a matrix times a vector, as in depthwise
/// convolutions, on the unit `fma`, so that tiles hold whole chains.
int64_t getChainLength(const kernel::Contraction &contraction, Unit unit);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_CHAINS_H
