// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What kind of body a kernel has: read off maps, iterators and shapes alone,
/// the same for every device.
#ifndef MPC_DIALECTS_KERNEL_CLASSIFY_H
#define MPC_DIALECTS_KERNEL_CLASSIFY_H

#include "dialects/Kernel/Body.h"

namespace mpc::kernel {

/// All statements are parallel over one index space, and each reads of earlier
/// ones only the element that its own iteration wrote: one loop can do them
/// all, keeping values in registers.
bool isMap(FuncOp kernel, const Body &body);

/// What a statement does in a kernel whose reductions all go over the same
/// dimensions.
enum class Role {
  Map,    ///< One value an element of the whole space.
  Reduce, ///< One value a row, from all elements of the row.
  Row,    ///< One value a row, from other values of the row.
};

/// A DAG of maps and reductions over one space: softmax, normalization, sums
/// over any axes. Dimensions are reordered: the `numOuter` parallel ones
/// first, then those reduced over; `Row` statements have them all too.
struct Rows {
  std::vector<Statement> statements;
  llvm::SmallVector<Role> roles;
  unsigned numOuter = 0;
  /// For each dimension reduced over, whether the one before it in the
  /// original order is reduced over too; and whether the last one of all is.
  llvm::SmallVector<bool> followsReduced;
  bool lastIsReduced = false;
  /// Whether vectors go along an axis that is kept: the last axis is, or a row
  /// has too few elements. A function of shape and axes alone, since it fixes
  /// the order of sums.
  bool byColumns = false;
};

/// Reads a body as Rows, if it is that: every reduction combines by one
/// associative op, and ends before its value is used.
std::optional<Rows> getRows(FuncOp kernel, const Body &body);

/// The op in the region of a reduction that combines a value into output
/// `output`; null if it is not one associative op.
mlir::Operation *getCombiner(const Statement &statement, unsigned output);

/// The output of a statement that `value` is; none for arguments and the like.
struct Producer {
  unsigned statement;
  unsigned output;
};
std::optional<Producer> getProducer(mlir::Value value, const Body &body);

/// Whether every returned value is computed by a statement that leaves nothing
/// to initialise: it writes all elements, or the others stay as its
/// destination holds them.
bool writesDestinations(FuncOp kernel, const Body &body);

/// Whether regions read at computed places only what the kernel does not write.
bool extractsInputsOnly(FuncOp kernel, const Body &body);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_CLASSIFY_H
