// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The micro-kernel of contractions: a block of results in registers.
#ifndef MPC_LIB_CODEGEN_CPU_MICROKERNEL_H
#define MPC_LIB_CODEGEN_CPU_MICROKERNEL_H

#include "lib/Codegen/CPU/Emitter.h"

namespace mpc::cpu {

/// The micro-kernel of a module: rows x columns results in registers, `lanes`
/// columns in a vector.
struct MicroKernel {
  int64_t rows, columns, lanes;
  bool fused;
};
/// An operand of a call of the micro-kernel: a flat f32 memref of any size and
/// a position.
struct MicroOperand {
  mlir::Value buffer, offset;
};
/// Calls the micro-kernel, and adds it to the module if it is missing: `result`
/// (rows x columns) = `init` + `a` (rows `rowStride` apart, k contiguous) times
/// `b` (k x columns). Each element is one chain over ascending `k`.
void emitMicroKernelCall(Emitter &emitter, const MicroKernel &shape,
                         mlir::Value k, MicroOperand a, mlir::Value rowStride,
                         MicroOperand b, MicroOperand init,
                         MicroOperand result);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_MICROKERNEL_H
