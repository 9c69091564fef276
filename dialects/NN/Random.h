// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ops that draw random numbers. They have a header of their own, since few
/// files need them.
#ifndef MPC_DIALECTS_NN_RANDOM_H
#define MPC_DIALECTS_NN_RANDOM_H

#include "dialects/NN/NNDialect.h"

#include "dialects/NN/NNRandomInterface.h.inc"

#define GET_OP_CLASSES
#include "dialects/NN/NNRandomOps.h.inc"

namespace mpc::nn {

/// On a function's argument: which input of a draw it is.
inline constexpr llvm::StringLiteral kRandom = "nn.random";
inline constexpr llvm::StringLiteral kRandomParts[] = {"key", "step", "batch"};

/// Checks that key, counters and batch are there together or not at all, and
/// that the numbers that a tensor of `type` takes have places.
llvm::LogicalResult verifyKey(RandomInterface op, mlir::RankedTensorType type);

/// The scalars that a draw follows from, of `key`: key, counters and batch;
/// none where there is no key. They are the key, the counter of the op's stream
/// and the batch.
llvm::SmallVector<mlir::Value>
readKey(mlir::OpBuilder &builder, RandomInterface op, mlir::ValueRange key);

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_RANDOM_H
