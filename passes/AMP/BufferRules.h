// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Buffers of a training on ranks: a batch says what it adds to a buffer, and
/// all ranks add what the batches of all say, in the order of the batches.
#ifndef MPC_PASSES_AMP_BUFFERRULES_H
#define MPC_PASSES_AMP_BUFFERRULES_H

#include "dialects/NN/NNDialect.h"
#include "passes/AMP/StepWriter.h"

namespace mpc::amp {

class EntryBuilder;

/// Changes the loss of `plan` to yield for each buffer, in place of its next
/// value, what the batch adds to it, and fills in the plan's `rules`. Fails,
/// and names the buffer, where that depends on the buffer itself.
mlir::LogicalResult findBufferRules(StepPlan &plan);

/// The buffers of `plan` after the batches of all ranks, with the bits that one
/// process has after a window of them. `added` has for each buffer what this
/// rank's batches add, one row for each batch.
llvm::SmallVector<mlir::Value> advanceBuffers(EntryBuilder &entry,
                                              mlir::ValueRange added);

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_BUFFERRULES_H
