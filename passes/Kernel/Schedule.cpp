// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-schedule: fixes how every kernel runs.
#include "passes/Kernel/Passes.h"

#include "dialects/Kernel/KernelDialect.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc::kernel;

namespace {

struct SchedulePass : mpc::kernel::impl::SchedulePassBase<SchedulePass> {
  using SchedulePassBase::SchedulePassBase;

  void runOnOperation() override {
    for (FuncOp kernel : getOperation().getOps<FuncOp>())
      if (!kernel.getSchedule())
        kernel.setScheduleAttr(LoopsAttr::get(&getContext(), /*chunks=*/1));
  }
};

} // namespace
