// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What one kernel can run: a list of stages over a common outer space. Fusing,
/// the contract of kernel.func, and the emitters of rows ask this one
/// description; the kind of a kernel is a name for a common list.
#ifndef MPC_DIALECTS_KERNEL_STAGES_H
#define MPC_DIALECTS_KERNEL_STAGES_H

#include "dialects/Kernel/Body.h"

namespace mpc::kernel {

/// What a stage computes at each point of the outer space. Where nothing is
/// reduced over, all dimensions are outer ones.
enum class StageKind {
  Map,         ///< A value for each of the point's elements.
  Row,         ///< One value, from other single values of the point.
  Reduction,   ///< One value, from all of the point's elements.
  Partial,     ///< A value for each element from a run of neighbouring points.
  Contraction, ///< Sums of products, over dimensions of its own.
};

/// A statement in the space of its list.
struct Stage {
  StageKind kind;
  /// Its dimensions are those of the space, outer ones first. Those of a
  /// contraction's sums come after them.
  Statement statement;
  /// The dimension of the space, or one after them, for each of its own. A
  /// Partial has both the runs and the points of one for the last outer one.
  llvm::SmallVector<unsigned> dims;
};

/// Statements over a common outer space, in order. Each reads of an earlier
/// one's values only those of the same point, and a Map, a Reduction or a
/// Partial only the same element or a single value. None reads a Partial's.
/// Reads at computed places are not looked at: the contract of kernel.func
/// allows them of its inputs alone.
struct Stages {
  std::vector<Stage> list;
  /// The extents of the space: the outer dimensions, then those reduced over.
  llvm::SmallVector<int64_t> extents;
  unsigned numOuter = 0;
  /// The points of a run, along the last outer dimension: those whose elements
  /// a Partial combines, in order. 1 where there is none.
  int64_t run = 1;
  /// For each inner dimension, whether the dimension before it in the loops of
  /// the first reduction is reduced too; and whether the last one of all is.
  llvm::SmallVector<bool> followsReduced;
  bool lastIsReduced = false;

  /// The extents of the outer dimensions.
  llvm::ArrayRef<int64_t> getOuter() const {
    return llvm::ArrayRef(extents).take_front(numOuter);
  }
  bool has(StageKind kind) const;
  /// Whether vectors run along an outer dimension. They do where the last
  /// dimension is an outer one, or where a point has too few elements. This
  /// follows from shape and axes alone, since it fixes the order of sums.
  bool goesByColumns() const;
};

/// Reads `statements`, in order, as stages; empty where they have no common
/// outer space. What none of them computes is memory.
std::optional<Stages> getStages(llvm::ArrayRef<const Statement *> statements);
std::optional<Stages> getStages(const Body &body);

/// The kind of a kernel of these stages: Contraction for a contraction and maps
/// of its result or beside it, Map for maps alone, and Rows or Columns for
/// lists with a reduction; only Rows have partials. Loops where no other
/// schedule runs the list.
KernelKind getKind(const Stages &stages);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_STAGES_H
