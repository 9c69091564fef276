// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs a statement by scalar loops.
#ifndef MPC_LIB_CODEGEN_CPU_ITERATIONS_H
#define MPC_LIB_CODEGEN_CPU_ITERATIONS_H

#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Emitter.h"

namespace mpc::cpu {

/// Runs all iterations of `statement` at `outer`, indices of the first
/// dimensions. All tensors that it writes must have memory. `schedule` says in
/// which order sums are added.
void emitIterations(Emitter &emitter, const kernel::Statement &statement,
                    mlir::ValueRange outer, LoopsAttr schedule);

/// Calls `body` for each element of the outputs at `outer`, indices of the
/// first dimensions. The outputs do not depend on reduction dimensions, whose
/// indices are 0.
void emitResults(Emitter &emitter, const kernel::Statement &statement,
                 mlir::ValueRange outer, Emitter::NestBody body);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_ITERATIONS_H
