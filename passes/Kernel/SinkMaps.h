// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Moves maps from the kernel that computes what they read to the kernel that
/// reads what they compute.
#ifndef MPC_PASSES_KERNEL_SINKMAPS_H
#define MPC_PASSES_KERNEL_SINKMAPS_H

#include "passes/Kernel/GroupGraph.h"

namespace mpc::kernel {

/// Moves the last maps of a group to the only other group that reads them,
/// where the two kernels then move fewer bytes and keep no more of them. Maps
/// were joined first to what they read. A product that is summed up next, say,
/// is better computed by the kernel of the sum.
///
/// With a `hasLibrary` for contractions (TargetAttrInterface) their maps that
/// read other tensors of the result's size move also where the bytes are the
/// same, as a residual behind a linear layer, which the normalization reads.
/// Later groups may read such a map too.
void sinkMaps(llvm::MutableArrayRef<Group> groups, GroupGraph &graph,
              const GroupJoiner &joiner, bool hasLibrary);

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_SINKMAPS_H
