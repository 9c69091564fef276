// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lowers the memory of emitted kernels to addresses.
#ifndef MPC_LIB_CODEGEN_CPU_ADDRESSES_H
#define MPC_LIB_CODEGEN_CPU_ADDRESSES_H

#include "mlir/Pass/Pass.h"

namespace mpc::cpu {

/// Replaces every memref of emitted kernels by its address. These memrefs are
/// flat and begin at their address. MLIR's own lowering makes a descriptor of
/// five parts of a memref, and again at each use. Such descriptors were half of
/// the code of a network's kernels, which LLVM had to remove.
std::unique_ptr<mlir::Pass> createAddressesPass();

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_ADDRESSES_H
