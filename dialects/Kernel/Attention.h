// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What kernel.attention and its gradient compute with: extents, places of
/// operands in memory, and which query sees which key.
#ifndef MPC_DIALECTS_KERNEL_ATTENTION_H
#define MPC_DIALECTS_KERNEL_ATTENTION_H

#include "dialects/Kernel/Body.h"

namespace mpc::kernel {

/// The extents of an attention.
struct AttentionSizes {
  int64_t batch, heads, groups, queries, keys;
  int64_t depth; ///< Of a query and a key.
  int64_t width; ///< Of a value.

  /// Heads that read the same keys and values.
  int64_t getShared() const { return heads / groups; }
};

AttentionSizes getSizes(AttentionOpInterface op);

/// The map of an operand, from the op's dimensions to the tensor's indices.
mlir::AffineMap getMap(AttentionOpInterface op, mlir::OpOperand &operand);
void setMap(AttentionOpInterface op, mlir::OpOperand &operand,
            mlir::AffineMap map);

/// Whether the op can read `operand` by its map: each index is a sum of
/// constants and products that stays inside of the tensor, and keys of a mask
/// are neighbours, or all the same.
bool canRead(AttentionOpInterface op, mlir::OpOperand &operand);

/// The flat position of an operand's element, over the dimensions of its map.
Linear getPlace(AttentionOpInterface op, mlir::OpOperand &operand);

/// The operations of `op` that round a float in its products, with those pairs
/// of a query and a key alone that see each other.
uint64_t countFlops(AttentionOpInterface op);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_ATTENTION_H
