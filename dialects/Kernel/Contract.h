// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a kernel.func states of its body: how it is found, and proved. The
/// verifier holds every kernel to it, so that others just read it.
#ifndef MPC_DIALECTS_KERNEL_CONTRACT_H
#define MPC_DIALECTS_KERNEL_CONTRACT_H

#include "dialects/Kernel/Body.h"

namespace mpc::kernel {

/// The most special kind that `body`, which is that of `kernel`, is of.
KernelKind kindOf(FuncOp kernel, const Body &body);

/// Whether every element of `input` is read only where, and no later than, that
/// element of `result` is written; statements run one after another, each over
/// its whole space. Then the two may be one memory.
bool canAlias(FuncOp kernel, unsigned input, unsigned result);

/// States on `kernel` what follows from its body: its kind, and for each input
/// which results may lie in its memory.
mlir::LogicalResult stateContract(FuncOp kernel);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_CONTRACT_H
