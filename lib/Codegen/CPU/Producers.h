// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The launches that have computed what a launch reads.
#ifndef MPC_LIB_CODEGEN_CPU_PRODUCERS_H
#define MPC_LIB_CODEGEN_CPU_PRODUCERS_H

#include "dialects/Kernel/KernelDialect.h"

namespace mpc::cpu {

/// The launch that has computed input `argument` of `launch`, maybe seen in
/// another shape between the two; null where there is none.
inline kernel::LaunchOp findProducer(kernel::LaunchOp launch,
                                     unsigned argument) {
  mlir::Value input = launch.getInputs()[argument], source = input;
  while (auto view = source.getDefiningOp<kernel::ViewOp>()) {
    if (view.getOffset() != 0)
      return {};
    source = view.getSource();
  }
  return source.getType() == input.getType()
             ? source.getDefiningOp<kernel::LaunchOp>()
             : kernel::LaunchOp();
}

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_PRODUCERS_H
