// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-schedule: fixes how every kernel runs.
#include "passes/Kernel/Passes.h"

#include "dialects/Kernel/Classify.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/Rows.h"
#include "passes/Kernel/ScheduleContraction.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc::kernel;

// More chunks than any machine has cores, so that they balance; few enough
// that handing them out costs nothing.
static constexpr int64_t maxChunks = 256;
// Work below this many scalar iterations is not worth a second chunk.
static constexpr int64_t loopGrain = 4096;
// Elements of a map that take about as long as handing out ten chunks.
static constexpr int64_t mapGrain = 16384;
static constexpr int64_t rowGrain = 8192;

static int64_t countIterations(const Statement &statement) {
  auto scatter = dyn_cast<ScatterOp>(statement.op);
  if (!scatter)
    return statement.numIterations();
  return cast<RankedTensorType>(scatter.getUpdates().getType())
      .getNumElements();
}

static int64_t countChunks(int64_t work, int64_t grain, int64_t units) {
  return std::clamp<int64_t>(work / grain, 1, std::min(units, maxChunks));
}

static Attribute scheduleLoops(FuncOp kernel, const Body &body) {
  int64_t units = mpc::cpu::countLoopUnits(kernel, body);
  int64_t chunks = 1;
  if (units > 1) {
    int64_t work = countIterations(body.statements.front());
    chunks =
        std::clamp<int64_t>(work / loopGrain, 1, std::min(units, maxChunks));
  }
  return LoopsAttr::get(kernel.getContext(), chunks);
}

static Attribute scheduleMap(FuncOp kernel, const Body &body, int64_t lanes) {
  int64_t work = countIterations(body.statements.front());
  int64_t units = mpc::cpu::countMapUnits(body, lanes);
  return MapAttr::get(kernel.getContext(), countChunks(work, mapGrain, units),
                      lanes);
}

static Attribute scheduleRows(FuncOp kernel, Rows rows, int64_t lanes) {
  int64_t work = 0;
  for (const Statement &statement : rows.statements)
    work = std::max(work, statement.numIterations());
  unsigned inner = rows.statements.front().numDims() - rows.numOuter;
  mpc::cpu::RowPlan plan(std::move(rows), lanes);
  int64_t chunks = countChunks(work, rowGrain, plan.countUnits());
  if (plan.isColumns)
    return ColumnsAttr::get(kernel.getContext(), chunks, lanes);
  return RowsAttr::get(kernel.getContext(), chunks, inner, lanes);
}

namespace {

struct SchedulePass : mpc::kernel::impl::SchedulePassBase<SchedulePass> {
  using SchedulePassBase::SchedulePassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::MapVector<StringAttr, SmallVector<LaunchOp>> launches;
    getOperation().walk([&](LaunchOp launch) {
      launches[launch.getKernelAttr().getAttr()].push_back(launch);
    });
    for (FuncOp kernel :
         llvm::make_early_inc_range(getOperation().getOps<FuncOp>())) {
      if (kernel.getSchedule())
        continue;
      if (!naive &&
          scheduleContraction(kernel, launches.lookup(kernel.getSymNameAttr()),
                              symbols, lanes))
        continue;
      FailureOr<Body> body = getBody(kernel);
      if (failed(body))
        return signalPassFailure();
      kernel.setScheduleAttr(chooseSchedule(kernel, *body));
    }
  }

private:
  Attribute chooseSchedule(FuncOp kernel, const Body &body) {
    if (!naive && isMap(kernel, body))
      return scheduleMap(kernel, body, lanes);
    if (!naive)
      if (std::optional<Rows> rows = getRows(kernel, body))
        return scheduleRows(kernel, std::move(*rows), lanes);
    return scheduleLoops(kernel, body);
  }
};

} // namespace
