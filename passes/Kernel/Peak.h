// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where a program keeps most.
#ifndef MPC_PASSES_KERNEL_PEAK_H
#define MPC_PASSES_KERNEL_PEAK_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace mpc::kernel {

/// Bytes of a tensor of static shape; 0 of any other value.
int64_t bytesOf(mlir::Value value);

/// The op of `block` at which most bytes are live, if every result had memory
/// of its own of as many bytes as `weigh` says; null of a block without any.
mlir::Operation *findPeak(mlir::Block &block,
                          llvm::function_ref<int64_t(mlir::Value)> weigh);

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_PEAK_H
