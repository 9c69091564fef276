// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory of emitted kernels as addresses.
#ifndef MPC_LIB_CODEGEN_CPU_ADDRESSES_H
#define MPC_LIB_CODEGEN_CPU_ADDRESSES_H

#include "mlir/Pass/Pass.h"

namespace mpc::cpu {

/// Makes every memref of emitted kernels, which are flat and begin at their
/// address, that address. MLIR's own lowering makes a descriptor of five parts
/// of a memref, and again wherever it is used: half of all that a network's
/// kernels were, for LLVM to take apart.
std::unique_ptr<mlir::Pass> createAddressesPass();

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_ADDRESSES_H
