// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts of arithmetic in structured bodies.
#include "dialects/Kernel/Work.h"

#include "dialects/Kernel/Attention.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;
using namespace mpc::kernel;

/// Operations of one op of a region: one for each float that is rounded, and
/// two for a product and a sum that are rounded together.
static uint64_t flopsOf(Operation &op) {
  bool counts = isa<arith::ArithFastMathInterface>(op) &&
                !isa<CastOpInterface>(op) &&
                isa<FloatType>(op.getResult(0).getType());
  return counts ? 1 + isa<math::FmaOp>(op) : 0;
}

/// A region runs once for each point of its op's loops.
static uint64_t flopsOf(linalg::LinalgOp op) {
  uint64_t points = 1, each = 0;
  for (int64_t range : op.getStaticLoopRanges())
    points *= static_cast<uint64_t>(range);
  for (Operation &inner : *op.getBlock())
    each += flopsOf(inner);
  return points * each;
}

WorkAttr mpc::kernel::countWork(FuncOp kernel) {
  uint64_t flops = 0;
  kernel.walk([&](linalg::LinalgOp op) { flops += flopsOf(op); });
  kernel.walk([&](AttentionOpInterface op) { flops += countFlops(op); });
  ScheduleAttrInterface schedule = kernel.getScheduleAttr();
  StringRef unit = schedule ? schedule.getUnitName() : StringRef();
  MLIRContext *context = kernel.getContext();
  return WorkAttr::get(context, kernel.getKind(), flops,
                       unit.empty() ? StringAttr()
                                    : StringAttr::get(context, unit));
}
