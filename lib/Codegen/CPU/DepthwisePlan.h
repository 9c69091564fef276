// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The tiles and the schedule of a depthwise contraction.
#ifndef MPC_LIB_CODEGEN_CPU_DEPTHWISEPLAN_H
#define MPC_LIB_CODEGEN_CPU_DEPTHWISEPLAN_H

#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/DepthwiseLayout.h"

namespace mpc::cpu {

/// The least tile: an index of the last tiled dimension, or a whole chain.
/// Tiles that are cut in the same dimension are multiples of it, except the
/// last.
DepthwiseTile getLeastTile(const kernel::Contraction &contraction,
                           const Depthwise &depthwise);

/// The schedule for vectors of up to `lanes` f32.
DepthwiseAttr planDepthwise(const kernel::Contraction &contraction,
                            const Depthwise &depthwise, int64_t lanes);

/// The number of independent pieces into which it can be cut.
int64_t countDepthwiseUnits(const kernel::Contraction &contraction,
                            const Depthwise &depthwise, DepthwiseAttr schedule);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_DEPTHWISEPLAN_H
