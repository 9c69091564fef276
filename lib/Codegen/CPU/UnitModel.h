// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a multiply unit computes, in plain scalar code that runs on any CPU.
#ifndef MPC_LIB_CODEGEN_CPU_UNITMODEL_H
#define MPC_LIB_CODEGEN_CPU_UNITMODEL_H

#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Emitter.h"

namespace mpc::cpu {

/// The factors of one k, scalars in the type that the unit multiplies.
struct FactorPair {
  mlir::Value a, b;
};

/// `sum`, a scalar in f32, and the products of one step of `unit`; `factors`
/// are those of its neighbouring k, in order. Which NaN comes out of several is
/// not defined.
mlir::Value emitUnitStep(Emitter &emitter, Unit unit,
                         llvm::ArrayRef<FactorPair> factors, mlir::Value sum);

/// `value`, a scalar or a vector in f32, rounded to the type that `unit`
/// multiplies, as the CPU's instruction for it does: to nearest even, subnormal
/// numbers taken for zero of their sign. Scalars by plain code, vectors by the
/// instruction. Only factors that a kernel makes for itself are rounded so;
/// roundings of the IR are those of `arith.truncf`.
mlir::Value emitUnitRounding(Emitter &emitter, Unit unit, mlir::Value value);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_UNITMODEL_H
