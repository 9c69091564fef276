// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Random bits by Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel
/// Random Numbers: As Easy as 1, 2, 3", 2011), as arithmetic on integers.
#ifndef MPC_DIALECTS_KERNEL_PHILOX_H
#define MPC_DIALECTS_KERNEL_PHILOX_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <array>

namespace mpc::kernel {

/// Four words of i32, or of vectors of i32.
using PhiloxWords = std::array<mlir::Value, 4>;

/// The block whose counter is `counter`, under `key`. All words have one type.
PhiloxWords buildPhilox(mlir::ImplicitLocOpBuilder &builder,
                        PhiloxWords counter, std::array<mlir::Value, 2> key);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_PHILOX_H
