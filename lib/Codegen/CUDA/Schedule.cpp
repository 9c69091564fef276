// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How each kind of kernel runs on a GPU.
#include "lib/Codegen/CUDA/Schedule.h"

#include "lib/Codegen/CUDA/AttentionPlan.h"
#include "lib/Codegen/CUDA/Emitters.h"
#include "lib/Codegen/CUDA/SplitReduction.h"

using namespace mlir;
using namespace mpc::cuda;
using namespace mpc::kernel;

/// Threads of a block: 8 warps hide latencies and leave a thread 128 registers
/// where two blocks share a multiprocessor.
static constexpr int64_t kThreads = 256;
/// The most elements of a row that a warp computes. A longer row has a block
/// for itself.
static constexpr int64_t kWarpRow = 1024;
/// The most elements of a row that a block of kThreads computes, and the
/// threads for a longer one. Of logits, 100 KB a row, so few rows are under way
/// at a time that a second-level cache has them when the next pass reads them.
static constexpr int64_t kBlockRow = 16384, kLongRowThreads = 512;
/// The threads of a block whose warps have sums over runs of rows in shared
/// memory.
static constexpr int64_t kRunThreads = 128;
/// The most elements of a row that a thread has side by side: 16 bytes of bf16.
static constexpr int64_t kRun = 8;
/// The most bytes of sums over runs of rows that a block has in shared memory,
/// and the warps that keep a large GPU busy: 16 on each of its multiprocessors.
static constexpr int64_t kMostRunBytes = 40 * 1024, kBusyWarps = 16 * 128;
/// The number of warps of a block that share 32 columns, and the number of
/// elements that are worth a warp.
static constexpr int64_t kColumnWarps = 8, kColumnGrain = 16;

bool mpc::cuda::sumsRunsOfRows(int64_t runs, int64_t elements, unsigned sums) {
  int64_t warps = elements <= kWarpRow ? 1 : kThreads / 32;
  int64_t threads = elements <= kWarpRow ? kRunThreads : kThreads;
  int64_t each = llvm::divideCeil(elements, 32 * warps);
  return each <= kMostOfRuns && runs * warps >= kBusyWarps &&
         each * threads * sums * int64_t(sizeof(float)) <= kMostRunBytes;
}

static int64_t countBlocks(int64_t units, int64_t each) {
  return std::max<int64_t>(llvm::divideCeil(units, each), 1);
}

/// The schedule with these numbers. Null where they are not valid, as for a
/// tensor for which no grid has enough blocks; the error is reported.
template <typename Schedule, typename... Numbers>
static ScheduleAttrInterface make(FuncOp kernel, Numbers... numbers) {
  return Schedule::getChecked([&] { return kernel.emitOpError(kTooLarge); },
                              kernel.getContext(), numbers...);
}

static ScheduleAttrInterface scheduleLoops(FuncOp kernel, const Body &body) {
  int64_t units = countLoopUnits(kernel, body);
  if (units == 1)
    return make<LoopsAttr>(kernel, int64_t{1}, int64_t{1024});
  return make<LoopsAttr>(kernel, countBlocks(units, kThreads), kThreads);
}

static ScheduleAttrInterface scheduleMap(FuncOp kernel, const Body &body,
                                         bool naive) {
  auto [count, vector] = countMapUnits(body);
  if (naive)
    vector = 1;
  return make<MapAttr>(kernel, countBlocks(count, kThreads * vector), kThreads,
                       vector);
}

/// The number of neighbours that a thread of a row takes: a divisor of the last
/// axis that leaves no thread without any. It fixes the order of sums, so that
/// it must not follow from types, which fusing changes, nor from alignment.
static int64_t chooseRun(const RowCounts &counts, int64_t lanes) {
  int64_t run = kRun;
  while (run > 1 && (counts.last % run != 0 || run * lanes > counts.elements))
    run /= 2;
  return run;
}

/// The reference divides rows the other way round: other threads, another order
/// of sums, and shared memory in place of shuffles.
/// But for rows of runs, whose elements a thread must keep.
static ScheduleAttrInterface scheduleRows(FuncOp kernel, const Body &body,
                                          bool naive) {
  RowCounts counts = countRows(kernel, body);
  if ((counts.elements <= kWarpRow) != (naive && counts.run == 1)) {
    int64_t threads = counts.run == 1 ? kThreads : kRunThreads;
    return make<RowsAttr>(kernel, countBlocks(counts.units, threads / 32),
                          threads, int64_t{32},
                          naive ? int64_t{1} : chooseRun(counts, 32));
  }
  int64_t threads = counts.elements > kBlockRow ? kLongRowThreads : kThreads;
  return make<RowsAttr>(kernel, countBlocks(counts.units, 1), threads, threads,
                        naive ? int64_t{1} : chooseRun(counts, threads));
}

/// In the reference a thread has a column for itself.
static ScheduleAttrInterface scheduleColumns(FuncOp kernel, const Body &body,
                                             bool naive) {
  RowCounts counts = countRows(kernel, body);
  int64_t warps = 1;
  while (!naive && warps < kColumnWarps &&
         counts.elements >= kColumnGrain * warps)
    warps *= 2;
  return make<ColumnsAttr>(kernel, countBlocks(counts.units, 32), 32 * warps);
}

static ScheduleAttrInterface
scheduleContraction(FuncOp kernel, const Body &body, TargetAttr target) {
  Contraction contraction = *matchContraction(body.statements.front());
  if (!target.getNaive())
    for (const MultiplyUnit &unit : target.getMultiplyUnits())
      if (auto products = createTileProducts(unit); products->fits(contraction))
        return products->schedule(contraction);
  return make<DotAttr>(
      kernel, countBlocks(body.statements.front().numParallel(), kThreads),
      kThreads);
}

static ScheduleAttrInterface chooseSchedule(FuncOp kernel, TargetAttr target) {
  Body body = *getBody(kernel);
  if (hasInOrder(body))
    return scheduleLoops(kernel, body);
  switch (kernel.getKind()) {
  case KernelKind::Map:
    return scheduleMap(kernel, body, target.getNaive());
  case KernelKind::Rows:
    return scheduleRows(kernel, body, target.getNaive());
  case KernelKind::Columns:
    return scheduleColumns(kernel, body, target.getNaive());
  case KernelKind::Contraction:
    return scheduleContraction(kernel, body, target);
  case KernelKind::Scatter:
    return scheduleScatter(body);
  case KernelKind::Loops:
    return scheduleLoops(kernel, body);
  case KernelKind::Attention:
    return scheduleAttention(body, target);
  }
  llvm_unreachable("all kinds are above");
}

static LogicalResult schedule(FuncOp kernel, TargetAttr target) {
  ScheduleAttrInterface chosen = chooseSchedule(kernel, target);
  if (!chosen)
    return failure();
  kernel.setScheduleAttr(chosen);
  return success();
}

LogicalResult mpc::cuda::scheduleKernel(FuncOp kernel,
                                        ArrayRef<LaunchOp> launches,
                                        SymbolTable &symbols,
                                        TargetAttr target) {
  FuncOp slices;
  if (llvm::is_contained({KernelKind::Contraction, KernelKind::Columns},
                         kernel.getKind()) &&
      !target.getNaive())
    slices = splitReduction(kernel, launches, symbols);
  if (slices && failed(schedule(slices, target)))
    return failure();
  return schedule(kernel, target);
}
