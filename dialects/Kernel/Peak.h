// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The place in a program at which most memory is live.
#ifndef MPC_DIALECTS_KERNEL_PEAK_H
#define MPC_DIALECTS_KERNEL_PEAK_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace mpc::kernel {

/// Bytes of a tensor of static shape; 0 for any other value.
int64_t bytesOf(mlir::Value value);

/// Whether a block returns `value`, so that it lies in memory of the caller's:
/// the state and the outputs of an entry.
bool isReturned(mlir::Value value);

/// The op at which most bytes are live.
struct Peak {
  mlir::Operation *op = nullptr; ///< Null for a block without tensors.
  int64_t bytes = 0;             ///< The bytes that are live at `op`.
};

/// The op of `block` at which most bytes are live, if every result had memory
/// of its own and `weigh` gave its bytes.
Peak findPeak(mlir::Block &block,
              llvm::function_ref<int64_t(mlir::Value)> weigh);

/// The op of the peak where the peak exceeds the memory that the target of the
/// module around `block` may use, or where no target is known; else null.
mlir::Operation *findExcess(mlir::Block &block,
                            llvm::function_ref<int64_t(mlir::Value)> weigh);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_PEAK_H
