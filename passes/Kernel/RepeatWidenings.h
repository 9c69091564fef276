// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Gives wider copies of a tensor to the kernels that read them.
#ifndef MPC_PASSES_KERNEL_REPEATWIDENINGS_H
#define MPC_PASSES_KERNEL_REPEATWIDENINGS_H

#include "passes/Kernel/GroupGraph.h"

namespace mpc::kernel {

/// Adds each f32 copy of 16 bits to all groups that read it and can compute it,
/// where the 16 bits are in memory then in place of the copy. An op may be a
/// statement of several groups afterwards; `graph` knows one of them.
void repeatWidenings(llvm::MutableArrayRef<Group> groups,
                     const GroupGraph &graph, const GroupJoiner &joiner);

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_REPEATWIDENINGS_H
