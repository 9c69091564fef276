// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The dialects that the compiler uses, registered in one place.
#ifndef MPC_LIB_DRIVER_DIALECTS_H
#define MPC_LIB_DRIVER_DIALECTS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mpc {

/// Registers our dialects, the upstream ones that our passes produce or that a
/// reader of the IR would use, and the interfaces' external models.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace mpc

#endif // MPC_LIB_DRIVER_DIALECTS_H
