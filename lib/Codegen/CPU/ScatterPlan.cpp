// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a scatter is cut.
#include "lib/Codegen/CPU/ScatterPlan.h"

#include "lib/Codegen/CPU/Storage.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

/// Blocks are halved while there are fewer units: each block reads all indices
/// again, and few processors have more cores that would wait.
static constexpr int64_t kWantedScatterUnits = 8;
/// The elements of a block of rows: f32 of them stay in a core's second cache
/// from the first value to the last update.
static constexpr int64_t kBlockElements = 1 << 16;
/// The elements that are as much work as to look at an index.
static constexpr int64_t kElementsOfIndex = 8;

ScatterSpace mpc::cpu::spaceOf(ScatterOp scatter) {
  ArrayRef<int64_t> updates =
      cast<RankedTensorType>(scatter.getUpdates().getType()).getShape();
  auto init = cast<RankedTensorType>(scatter.getInit().getType());
  return {updates[0], updates[1], updates[2], init.getDimSize(1)};
}

/// The most blocks of rows that are worth it that each reads all indices.
static int64_t mostRowBlocks(const ScatterSpace &space) {
  int64_t elements = (space.count + space.size) * space.inner;
  return elements / (kElementsOfIndex * std::max<int64_t>(space.count, 1));
}

ScatterBlocks::ScatterBlocks(ScatterOp scatter, int64_t lanes)
    : space(spaceOf(scatter)) {
  int64_t wanted = llvm::divideCeil(space.size * space.inner, kBlockElements);
  int64_t blocks = std::clamp<int64_t>(
      wanted, 1, std::max<int64_t>(mostRowBlocks(space), 1));
  rows = std::max<int64_t>(llvm::divideCeil(space.size, blocks), 1);
  int64_t least = std::min(std::max<int64_t>(space.inner, 1), lanes);
  columns = llvm::alignTo(std::max<int64_t>(space.inner, 1), least);
  while (columns > least && countUnits() < kWantedScatterUnits)
    columns = llvm::alignTo(llvm::divideCeil(columns, 2), least);
}

ScatterBlocks::ScatterBlocks(ScatterOp scatter, ScatterAttr schedule)
    : space(spaceOf(scatter)),
      rows(schedule.getRows().value_or(std::max<int64_t>(space.size, 1))),
      columns(schedule.getBlock()) {}

SmallVector<int64_t, 3> ScatterBlocks::unitExtents() const {
  int64_t ofRows = llvm::divideCeil(space.size, rows);
  int64_t ofColumns = llvm::divideCeil(space.inner, columns);
  return {space.outer, std::max<int64_t>(ofRows, 1), ofColumns};
}

int64_t ScatterBlocks::countUnits() const {
  return computeProduct(unitExtents());
}

ScatterOp mpc::cpu::findScatter(FuncOp kernel, const Body &body) {
  if (body.statements.size() != 1 || kernel.getNumResults() != 1)
    return {};
  auto scatter = dyn_cast<ScatterOp>(body.statements.front().op);
  if (!scatter || Storage(kernel, body).getPlace(0, 0).destination != 0)
    return {};
  return scatter;
}
