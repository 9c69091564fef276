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
