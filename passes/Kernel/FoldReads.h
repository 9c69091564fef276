// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Makes readers of pure data movement read its source.
#ifndef MPC_PASSES_KERNEL_FOLDREADS_H
#define MPC_PASSES_KERNEL_FOLDREADS_H

#include "mlir/IR/Block.h"

namespace mpc::kernel {

/// Rewrites every `linalg.generic` of `block` whose operand is the result of a
/// broadcast, transpose, slice, reversal, constant or iota, or is a view that
/// only adds or drops axes of extent 1. The op then reads the operand's source
/// through a composed map. So do attention and its gradient, which also read
/// through views that split axes. Bit-exact: the same values are computed.
void foldReads(mlir::Block &block);

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_FOLDREADS_H
