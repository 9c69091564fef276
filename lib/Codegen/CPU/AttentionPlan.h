// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Chooses the blocks of attention for CPUs. They are a part of what its bits
/// are: they follow from sizes, element type and target, whatever the threads.
#ifndef MPC_LIB_CODEGEN_CPU_ATTENTIONPLAN_H
#define MPC_LIB_CODEGEN_CPU_ATTENTIONPLAN_H

#include "dialects/Kernel/Attention.h"
#include "lib/Codegen/CPU/CPUDialect.h"

namespace mpc::cpu {

/// The schedule of `op`.
AttentionAttr planAttention(kernel::AttentionOpInterface op, TargetAttr target);

/// Checks that `op` has elements that the unit multiplies, and chunks as the
/// schedule says.
llvm::LogicalResult verifyAttention(kernel::AttentionOpInterface op,
                                    AttentionAttr schedule);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_ATTENTIONPLAN_H
