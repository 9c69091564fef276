// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a scatter is cut.
#include "lib/Codegen/CPU/ScatterPlan.h"

#include "lib/Codegen/CPU/Storage.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

// Blocks are halved while there are fewer units: each block reads all indices
// again, and few processors have more cores that would wait.
static constexpr int64_t kWantedScatterUnits = 8;

ScatterSpace mpc::cpu::spaceOf(ScatterOp scatter) {
  ArrayRef<int64_t> updates =
      cast<RankedTensorType>(scatter.getUpdates().getType()).getShape();
  auto init = cast<RankedTensorType>(scatter.getInit().getType());
  return {updates[0], updates[1], updates[2], init.getDimSize(1)};
}

int64_t mpc::cpu::countScatterUnits(ScatterOp scatter, int64_t block) {
  ScatterSpace space = spaceOf(scatter);
  return space.outer * llvm::divideCeil(space.inner, block);
}

int64_t mpc::cpu::chooseScatterBlock(ScatterOp scatter, int64_t lanes) {
  int64_t inner = spaceOf(scatter).inner;
  int64_t least = inner < lanes ? 1 : lanes;
  int64_t block = llvm::alignTo(std::max<int64_t>(inner, 1), least);
  while (block > least &&
         countScatterUnits(scatter, block) < kWantedScatterUnits)
    block = llvm::alignTo(llvm::divideCeil(block, 2), least);
  return block;
}

ScatterOp mpc::cpu::findScatter(FuncOp kernel, const Body &body) {
  if (body.statements.size() != 1 || kernel.getNumResults() != 1)
    return {};
  auto scatter = dyn_cast<ScatterOp>(body.statements.front().op);
  if (!scatter || Storage(kernel, body).getPlace(0, 0).destination != 0)
    return {};
  return scatter;
}
