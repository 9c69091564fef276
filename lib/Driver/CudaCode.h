// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The code of a program for a GPU.
#ifndef MPC_LIB_DRIVER_CUDACODE_H
#define MPC_LIB_DRIVER_CUDACODE_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"

namespace mpc {

/// Gives `program`, whose launches name kernels, the modules with the texts
/// that `module` has for them, and the launches their grids. Where NVRTC is
/// found and knows sm_`arch` the modules have machine code too; where it is
/// not, the program warns of that.
rt::Status addCudaCode(mlir::ModuleOp module, int arch, rt::Program &program);

} // namespace mpc

#endif // MPC_LIB_DRIVER_CUDACODE_H
