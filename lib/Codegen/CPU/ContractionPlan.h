// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Chooses the blocking of a contraction for CPUs. It depends on shapes and
/// strides alone.
#ifndef MPC_LIB_CODEGEN_CPU_CONTRACTIONPLAN_H
#define MPC_LIB_CODEGEN_CPU_CONTRACTIONPLAN_H

#include "dialects/Kernel/Contraction.h"
#include "lib/Codegen/CPU/CPUDialect.h"

namespace mpc::cpu {

/// The schedule of `contraction` on `unit`, for vectors of `lanes` f32. A
/// factor that is `invariant` is packed whoever reads it: all turns of a loop
/// do.
GemmAttr planContraction(const kernel::Contraction &contraction,
                         const kernel::Epilogue &epilogue, int64_t lanes,
                         Unit unit,
                         std::optional<unsigned> invariant = std::nullopt);

/// The number of elements from one packed panel of `operand`, of `k`, to the
/// next.
int64_t getPanelStride(GemmAttr schedule, unsigned operand, int64_t k);

/// Whether micro-tiles of `microRows` can read factor `operand` where it lies:
/// it has the type that `unit` multiplies, a row has neighbouring k and whole
/// steps of them, and no micro-tile goes beyond the last row.
bool canReadInPlace(const kernel::Contraction &contraction, unsigned operand,
                    int64_t microRows, Unit unit);

/// The type of factor `operand` after packing by `schedule`.
mlir::RankedTensorType getPackedType(const kernel::Contraction &contraction,
                                     GemmAttr schedule, unsigned operand);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_CONTRACTIONPLAN_H
