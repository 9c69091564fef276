// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns kernel.work into the runtime's struct.
#include "lib/Driver/KernelWork.h"

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mpc;

llvm::StringMap<rt::KernelWork> mpc::readWork(ModuleOp module) {
  llvm::StringMap<rt::KernelWork> result;
  for (auto function : module.getOps<func::FuncOp>())
    if (auto work = function->getAttrOfType<kernel::WorkAttr>(
            kernel::KernelDialect::WorkAttrHelper::getNameStr()))
      result[function.getSymName()] = {
          kernel::stringifyKernelKind(work.getKind()).str(), work.getFlops(),
          work.getUnit() ? work.getUnit().str() : std::string()};
  return result;
}
