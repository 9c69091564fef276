// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-plan-memory: gives every tensor a place in one arena.
#include "passes/Kernel/Passes.h"

#include "dialects/Kernel/KernelDialect.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc;
using namespace mpc::kernel;

namespace {
struct PlanMemoryPass : kernel::impl::PlanMemoryPassBase<PlanMemoryPass> {
  using PlanMemoryPassBase::PlanMemoryPassBase;
  void runOnOperation() override {}
};
} // namespace
