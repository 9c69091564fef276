// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The dialects that the compiler uses, registered in one place.
#ifndef MPC_LIB_DRIVER_DIALECTS_H
#define MPC_LIB_DRIVER_DIALECTS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mpc {

/// Registers the project's dialects, the upstream dialects that its passes
/// produce or that a reader of the IR may use, and the external models of
/// interfaces.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace mpc

#endif // MPC_LIB_DRIVER_DIALECTS_H
