// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-opt: runs passes over IR, with every flag of the stock mlir-opt.
#include "lib/Driver/Dialects.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/AMP/Passes.h"
#include "passes/Kernel/Passes.h"
#include "passes/NN/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mpc::registerDialects(registry);
  mlir::registerTransformsPasses();
  mpc::amp::registerMpcAMPPasses();
  mpc::kernel::registerMpcKernelPasses();
  mpc::nn::registerMpcNNPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "mpc: mixed-precision training step compiler\n", registry));
}
