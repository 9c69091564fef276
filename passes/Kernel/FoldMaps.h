// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Computing elements inside of the sums that read them.
#ifndef MPC_PASSES_KERNEL_FOLDMAPS_H
#define MPC_PASSES_KERNEL_FOLDMAPS_H

#include "mlir/IR/Block.h"

namespace mpc::kernel {

/// Lets reductions that are a kernel of their own, as sums over all axes but
/// the channels, compute the elements that they read where that moves fewer
/// bytes than to store and to read them: a product is not stored to be summed.
void foldMaps(mlir::Block &block);

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_FOLDMAPS_H
