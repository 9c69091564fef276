// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The amount of arithmetic in a kernel.
#ifndef MPC_DIALECTS_KERNEL_WORK_H
#define MPC_DIALECTS_KERNEL_WORK_H

#include "dialects/Kernel/KernelDialect.h"

namespace mpc::kernel {

/// The arithmetic of one launch of `kernel`, counted in its structured ops.
WorkAttr countWork(FuncOp kernel);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_WORK_H
