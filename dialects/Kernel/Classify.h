// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The kind of a kernel's body. It follows from maps, iterators and shapes
/// alone, and is the same for every device.
#ifndef MPC_DIALECTS_KERNEL_CLASSIFY_H
#define MPC_DIALECTS_KERNEL_CLASSIFY_H

#include "dialects/Kernel/Body.h"

namespace mpc::kernel {

/// Whether all statements are parallel over one index space, and each reads
/// only those elements of earlier statements that its own iteration wrote. One
/// loop can then run them all, keeping values in registers.
bool isMap(FuncOp kernel, const Body &body);

/// The role of a statement in a kernel whose reductions all go over the same
/// dimensions.
enum class Role {
  Map,    ///< One value for each element of the whole space.
  Reduce, ///< One value for each row, from all elements of the row.
  Row,    ///< One value for each row, from other values of the row.
};

/// A DAG of maps and reductions over one space: softmax, normalization, sums
/// over any axes. Dimensions are reordered: the `numOuter` parallel ones come
/// first, then those reduced over. `Row` statements have all dimensions too.
struct Rows {
  std::vector<Statement> statements;
  llvm::SmallVector<Role> roles;
  unsigned numOuter = 0;
  /// For each reduced dimension, whether the dimension before it in the
  /// original order is reduced too; and whether the last dimension of all is.
  llvm::SmallVector<bool> followsReduced;
  bool lastIsReduced = false;
  /// Whether vectors run along an axis that is kept. They do where the last
  /// axis is kept, or where a row has too few elements. This follows from shape
  /// and axes alone, since it fixes the order of sums.
  bool byColumns = false;
};

/// Reads a body as Rows, if it has that form: every reduction combines by one
/// associative op, and ends before its value is used.
std::optional<Rows> getRows(FuncOp kernel, const Body &body);

/// The op in the region of a reduction that combines a value into output
/// `output`; null if it is not one associative op.
mlir::Operation *getCombiner(const Statement &statement, unsigned output);

/// The statement and its output that computed `value`; empty for arguments and
/// the like.
struct Producer {
  unsigned statement;
  unsigned output;
};
std::optional<Producer> getProducer(mlir::Value value, const Body &body);

/// Whether a statement computes every returned value and leaves nothing to
/// initialise: it writes all elements, or the others keep the destination's
/// values.
bool writesDestinations(FuncOp kernel, const Body &body);

/// Whether regions read at computed places only tensors that the kernel does
/// not write.
bool extractsInputsOnly(FuncOp kernel, const Body &body);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_CLASSIFY_H
