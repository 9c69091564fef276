// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Readers of pure data movement read its source instead.
#ifndef MPC_PASSES_KERNEL_FOLDREADS_H
#define MPC_PASSES_KERNEL_FOLDREADS_H

#include "mlir/IR/Block.h"

namespace mpc::kernel {

/// Rewrites every `linalg.generic` of `block` whose operand is made by a
/// broadcast, transpose, slice, reversal, constant or iota, or is a view that
/// only adds or drops axes of extent 1, so that it reads the operand's source
/// through a composed map. Bit-exact: nothing is computed
/// that was not computed before.
void foldReads(mlir::Block &block);

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_FOLDREADS_H
