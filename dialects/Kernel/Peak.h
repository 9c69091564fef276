// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where a program keeps most.
#ifndef MPC_DIALECTS_KERNEL_PEAK_H
#define MPC_DIALECTS_KERNEL_PEAK_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace mpc::kernel {

/// Bytes of a tensor of static shape; 0 of any other value.
int64_t bytesOf(mlir::Value value);

/// Where most is live.
struct Peak {
  mlir::Operation *op = nullptr; ///< Null of a block without any bytes.
  int64_t bytes = 0;             ///< That are live there.
};

/// The op of `block` at which most bytes are live, if every result had memory
/// of its own of as many bytes as `weigh` says.
Peak findPeak(mlir::Block &block,
              llvm::function_ref<int64_t(mlir::Value)> weigh);

/// The same where it is above what the target of the module around `block` may
/// keep, or where no target is known; else null.
mlir::Operation *findExcess(mlir::Block &block,
                            llvm::function_ref<int64_t(mlir::Value)> weigh);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_PEAK_H
