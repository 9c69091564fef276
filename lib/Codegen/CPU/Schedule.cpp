// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How each kind of kernel runs on a CPU.
#include "lib/Codegen/CPU/Schedule.h"
#include "lib/Codegen/CPU/Chains.h"

#include "lib/Codegen/CPU/AttentionPlan.h"
#include "lib/Codegen/CPU/Emitters.h"
#include "lib/Codegen/CPU/LoopUnits.h"
#include "lib/Codegen/CPU/RowPlan.h"
#include "lib/Codegen/CPU/ScatterPlan.h"
#include "lib/Codegen/CPU/ScheduleContraction.h"
#include "lib/Codegen/CPU/Windows.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

// The most chunks: more than any machine has cores, so that the load balances,
// and few enough that handing them out costs nothing.
static constexpr int64_t kMaxChunks = 256;
// The least scalar iterations that are worth a second chunk.
static constexpr int64_t kLoopGrain = 4096;
// The number of elements of a map that take about as long as handing out ten
// chunks.
static constexpr int64_t kMapGrain = 16384;
static constexpr int64_t kRowGrain = 8192;

static int64_t countChunks(int64_t work, int64_t grain, int64_t units) {
  // An empty kernel has one chunk.
  int64_t most = std::clamp<int64_t>(units, 1, kMaxChunks);
  return std::clamp<int64_t>(work / grain, 1, most);
}

static ScheduleAttrInterface scheduleLoops(FuncOp kernel, const Body &body,
                                           TargetAttr target) {
  int64_t units = countLoopUnits(kernel, body);
  int64_t chunks = 1;
  if (units > 1)
    chunks =
        countChunks(body.statements.front().numIterations(), kLoopGrain, units);
  bool sumsRows = llvm::any_of(body.statements, isRowReduction);
  return LoopsAttr::get(kernel.getContext(), chunks, target.getBf16(),
                        sumsRows ? target.getLanes() : 1);
}

/// Loops with vectors, where there is an axis for them. A line is one unit.
static ScheduleAttrInterface scheduleLanes(FuncOp kernel, const Body &body,
                                           TargetAttr target) {
  std::optional<unsigned> lane = findLaneDim(kernel, body);
  if (!lane)
    return scheduleLoops(kernel, body, target);
  const Statement &statement = body.statements.front();
  int64_t lines = statement.numParallel() / statement.extents[*lane];
  return LanesAttr::get(
      kernel.getContext(),
      countChunks(statement.numIterations(), kRowGrain, lines),
      target.getLanes());
}

/// The time of an element of a map, where 1 is that of a few sums and products.
/// Functions such as the exponential take about four times that.
static int64_t getElementCost(FuncOp kernel) {
  int64_t cost = 1;
  kernel.walk([&](Operation *op) {
    bool isFunction = isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
                      !isa<math::FmaOp>(op);
    cost += isFunction ? 4 : 0;
  });
  return cost;
}

static ScheduleAttrInterface scheduleScatter(FuncOp kernel, const Body &body,
                                             TargetAttr target) {
  ScatterOp scatter = findScatter(kernel, body);
  if (!scatter)
    return scheduleLoops(kernel, body, target);
  ScatterBlocks blocks(scatter, target.getLanes());
  // What is not updated is written all the same.
  auto type = cast<RankedTensorType>(scatter.getResult().getType());
  int64_t work =
      std::max(body.statements.front().numIterations(), type.getNumElements());
  std::optional<int64_t> rows;
  if (!blocks.hasAllRows())
    rows = blocks.rows;
  return ScatterAttr::get(kernel.getContext(),
                          countChunks(work, kLoopGrain, blocks.countUnits()),
                          target.getLanes(), blocks.columns, rows);
}

static ScheduleAttrInterface scheduleMap(FuncOp kernel, const Body &body,
                                         int64_t lanes) {
  int64_t work =
      body.statements.front().numIterations() * getElementCost(kernel);
  int64_t units = countMapUnits(body, lanes);
  return MapAttr::get(kernel.getContext(), countChunks(work, kMapGrain, units),
                      lanes);
}

static ScheduleAttrInterface scheduleRows(FuncOp kernel, const Body &body,
                                          int64_t lanes) {
  Rows rows = getRows(body);
  int64_t work = 0;
  for (const Statement &statement : rows.statements)
    work = std::max(work, statement.numIterations());
  RowPlan plan(std::move(rows), lanes);
  int64_t chunks = countChunks(work, kRowGrain, plan.countUnits());
  if (plan.isColumns)
    return ColumnsAttr::get(kernel.getContext(), chunks, lanes);
  return RowsAttr::get(kernel.getContext(), chunks, lanes);
}

/// The schedule of a kernel that is no contraction.
static ScheduleAttrInterface chooseSchedule(FuncOp kernel, TargetAttr target) {
  Body body = *getBody(kernel);
  int64_t lanes = target.getLanes();
  if (kernel.getKind() == KernelKind::Attention)
    return planAttention(cast<AttentionOpInterface>(body.statements.front().op),
                         target);
  if (target.getNaive())
    return scheduleLoops(kernel, body, target);
  switch (kernel.getKind()) {
  case KernelKind::Map:
    return scheduleMap(kernel, body, lanes);
  case KernelKind::Rows:
    if (hasInOrder(body))
      return scheduleLoops(kernel, body, target);
    [[fallthrough]];
  case KernelKind::Columns:
    return scheduleRows(kernel, body, lanes);
  case KernelKind::Scatter:
    return scheduleScatter(kernel, body, target);
  case KernelKind::Loops:
    return scheduleLanes(kernel, body, target);
  default:
    return scheduleLoops(kernel, body, target);
  }
}

void mpc::cpu::scheduleKernel(FuncOp kernel, ArrayRef<LaunchOp> launches,
                              SymbolTable &symbols, TargetAttr target) {
  for (auto op : kernel.getBody().getOps<linalg::GenericOp>())
    orderWindowLoops(op);
  if (kernel.getKind() == KernelKind::Contraction && !target.getNaive())
    scheduleContraction(kernel, launches, symbols, target);
  else
    kernel.setScheduleAttr(chooseSchedule(kernel, target));
}
