// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The interface of #cuda.target to pipelines.
#ifndef MPC_LIB_CODEGEN_CUDA_TARGETINTERFACE_H
#define MPC_LIB_CODEGEN_CUDA_TARGETINTERFACE_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mpc::cuda {

/// Lets `#cuda.target` implement the kernel dialect's interface of targets.
void registerTargetInterface(mlir::DialectRegistry &registry);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_TARGETINTERFACE_H
