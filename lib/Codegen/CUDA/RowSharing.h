// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How the threads of a block share the units of #cuda.rows and #cuda.columns,
/// which are rows or columns.
#ifndef MPC_LIB_CODEGEN_CUDA_ROWSHARING_H
#define MPC_LIB_CODEGEN_CUDA_ROWSHARING_H

#include "lib/Codegen/CUDA/KernelText.h"

#include <cstdint>
#include <string>

namespace mpc::cuda {

/// How the threads of a block divide units and elements.
struct Sharing {
  std::string unit; ///< The number of this thread's unit.
  /// The condition in front of the code of a unit that exists; empty where all
  /// do.
  std::string guard;
  std::string active; ///< The condition of loops and stores; empty for none.
  std::string first;  ///< This thread's first element.
  int64_t step;       ///< The distance of this thread's elements.
  int64_t threads;    ///< Of a block.
  /// The condition that is true for the one thread of a unit that stores.
  std::string leader;
  /// The format of the call that combines a unit's partial results. Its
  /// arguments are the value, the memory and the operation.
  std::string reduce;
  /// The number of elements of shared memory that the combination needs; 0 for
  /// none.
  int64_t partials;
  std::string sync; ///< The statement that orders the threads of a unit.
};

/// Sharing with one warp for each row.
Sharing shareByWarp(KernelText &text, int64_t units, int64_t threads);
/// Sharing with one block for each row.
Sharing shareByBlock(KernelText &text, int64_t threads);
/// Sharing with one lane for each column. Lanes beyond the last column repeat
/// it, and do not store.
Sharing shareColumns(KernelText &text, int64_t units, int64_t threads);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_ROWSHARING_H
