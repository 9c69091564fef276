// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The contract of a kernel.func: what it states about its body, how that is
/// found, and how it is proved. The verifier checks every kernel, so that other
/// code can rely on it.
#ifndef MPC_DIALECTS_KERNEL_CONTRACT_H
#define MPC_DIALECTS_KERNEL_CONTRACT_H

#include "dialects/Kernel/Body.h"

namespace mpc::kernel {

/// The most special kind that fits `body`, which is the body of `kernel`.
KernelKind kindOf(FuncOp kernel, const Body &body);

/// Whether every element of `input` is read only at the place of the same
/// element of `result`, and before it is written. Statements run one after
/// another, each over its whole space. The two may then share memory.
bool canAlias(FuncOp kernel, unsigned input, unsigned result);

/// States on `kernel` the facts that follow from its body: its kind, and for
/// each input which results may lie in its memory.
mlir::LogicalResult stateContract(FuncOp kernel);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_CONTRACT_H
