// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The blocks of #cuda.attention: queries and keys of a step, the shared memory
/// that they take, and the parts of rows that are too long for registers.
#ifndef MPC_LIB_CODEGEN_CUDA_ATTENTIONPLAN_H
#define MPC_LIB_CODEGEN_CUDA_ATTENTIONPLAN_H

#include "dialects/Kernel/Attention.h"
#include "lib/Codegen/CUDA/CUDADialect.h"

namespace mpc::cuda {

/// Whether the target computes attention on such elements, f32 and what its
/// Tensor Cores multiply, in rows of at most `longest` of them.
bool hasAttention(TargetAttr target, mlir::Type element, int64_t longest);

/// The schedule; null where there is none, which is reported.
kernel::ScheduleAttrInterface scheduleAttention(const kernel::Body &body,
                                                TargetAttr target);

/// The blocks of a grid, of both kinds of a gradient's.
struct AttentionGrid {
  int64_t keyBlocks = 0; ///< Of a batch and a group of heads; of a gradient.
  int64_t keyParts = 1;
  int64_t queryBlocks = 0; ///< Of a batch and a head.
  int64_t queryParts = 1;

  [[nodiscard]] int64_t countKeys(const kernel::AttentionSizes &sizes) const {
    return sizes.batch * sizes.groups * keyBlocks * keyParts;
  }
  [[nodiscard]] int64_t
  countQueries(const kernel::AttentionSizes &sizes) const {
    return sizes.batch * sizes.heads * queryBlocks * queryParts;
  }
};
AttentionGrid getGrid(kernel::AttentionOpInterface op, int64_t rows,
                      bool isByLoops);

/// The columns of a tile of rows of `columns` elements: mpc_tile_columns of the
/// prelude.
int64_t getTileColumns(int64_t columns);

/// The bytes of dynamic shared memory of a block.
int64_t getSharedBytes(const kernel::Body &body, AttentionAttr schedule);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_ATTENTIONPLAN_H
