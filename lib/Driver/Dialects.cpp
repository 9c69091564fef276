// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers dialects and their external models.
#include "lib/Driver/Dialects.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/Kernel/KernelDialect.h"
#include "dialects/NN/NNDialect.h"
#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/TargetInterface.h"
#include "lib/Codegen/CUDA/CUDADialect.h"
#include "lib/Codegen/CUDA/TargetInterface.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

void mpc::registerDialects(DialectRegistry &registry) {
  registry.insert<mpc::amp::AMPDialect, mpc::cpu::CPUDialect,
                  mpc::cuda::CUDADialect, mpc::kernel::KernelDialect,
                  mpc::nn::NNDialect>();
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect,
                  linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                  ub::UBDialect, vector::VectorDialect>();
  func::registerInlinerExtension(registry);
  cpu::registerTargetInterface(registry);
  cuda::registerTargetInterface(registry);
}
