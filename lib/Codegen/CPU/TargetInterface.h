// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The interface of #cpu.target to pipelines.
#ifndef MPC_LIB_CODEGEN_CPU_TARGETINTERFACE_H
#define MPC_LIB_CODEGEN_CPU_TARGETINTERFACE_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mpc::cpu {

/// Lets `#cpu.target` implement the kernel dialect's interface of targets.
void registerTargetInterface(mlir::DialectRegistry &registry);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_TARGETINTERFACE_H
