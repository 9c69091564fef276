// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The multiply units of CPUs: what each of them is, and which contractions run
/// on them. The unit is part of what a contraction computes, so that it follows
/// from the contraction and the target alone, for every schedule.
///
/// `vdpbf16ps` (Unit::AVX512BF16) adds a pair of products to a sum s in f32.
/// The factors are a[0], a[1] and b[0], b[1] in bf16:
///
///     s = fma(a[0], b[0], fma(a[1], b[1], s))
///
/// The upper element of the pair comes first. Each fma rounds once, to nearest
/// even. Subnormal factors, sums and results are zero of their sign. Whether a
/// result is subnormal is decided on the result that is rounded to 24 bits with
/// an exponent of any size. Found equal on a Zen 4 in 1.9e8 cases; what Intel
/// documents (Intrinsics Guide, _mm512_dpbf16_ps) leaves the last rule open.
#ifndef MPC_LIB_CODEGEN_CPU_UNITS_H
#define MPC_LIB_CODEGEN_CPU_UNITS_H

#include "dialects/Kernel/Contraction.h"
#include "lib/Codegen/CPU/CPUDialect.h"

namespace mpc::cpu {

/// The numbers of `unit` for vectors of `lanes` f32.
kernel::MultiplyUnit describeUnit(Unit unit, int64_t lanes);

/// The number of neighbouring k that one step of `unit` multiplies. A chain
/// whose length is no multiple of it ends with zeros.
int64_t getDepth(Unit unit);

/// The unit for `contraction` on a CPU that multiplies bf16 by `bf16`. That one
/// needs two factors that were bf16 before the region widened them, and one
/// rounding of each product and sum. A depthwise contraction has vectors of
/// channels, and so no neighbours in k.
Unit chooseUnit(const kernel::Contraction &contraction, Unit bf16);

/// The value of factor `operand` in the type that `unit` multiplies.
mlir::Value getFactor(const kernel::Contraction &contraction, unsigned operand,
                      Unit unit);

/// That type: f32 or bf16.
mlir::FloatType getFactorType(mlir::MLIRContext *context, Unit unit);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_UNITS_H
