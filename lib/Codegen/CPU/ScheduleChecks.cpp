// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that a kernel has the operands and shapes for which its schedule was
// made. The verifier of kernel.func calls these checks, so that emitters can
// rely on them.
#include "lib/Codegen/CPU/AttentionPlan.h"
#include "lib/Codegen/CPU/Chains.h"
#include "lib/Codegen/CPU/ContractionPlan.h"
#include "lib/Codegen/CPU/DepthwisePlan.h"
#include "lib/Codegen/CPU/LoopUnits.h"
#include "lib/Codegen/CPU/ScatterPlan.h"
#include "lib/Codegen/CPU/Units.h"
#include "lib/Codegen/CPU/WindowPlan.h"

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;

LogicalResult LoopsAttr::verifyKernel(Operation *kernel) const {
  if (getChunks() == 1)
    return success();
  FailureOr<Body> body = getBody(cast<FuncOp>(kernel));
  if (failed(body))
    return failure();
  if (getChunks() <= countLoopUnits(cast<FuncOp>(kernel), *body))
    return success();
  return kernel->emitOpError("cannot be cut into ") << getChunks() << " chunks";
}

LogicalResult LanesAttr::verifyKernel(Operation *kernel) const {
  FailureOr<Body> body = getBody(cast<FuncOp>(kernel));
  if (failed(body))
    return failure();
  if (findLaneDim(cast<FuncOp>(kernel), *body))
    return success();
  return kernel->emitOpError("has no axis that vectors can go along");
}

LogicalResult ScatterAttr::verifyKernel(Operation *kernel) const {
  FailureOr<Body> body = getBody(cast<FuncOp>(kernel));
  if (failed(body))
    return failure();
  ScatterOp scatter = findScatter(cast<FuncOp>(kernel), *body);
  if (!scatter)
    return kernel->emitOpError("is not one scatter to one destination");
  if (getChunks() <= ScatterBlocks(scatter, *this).countUnits())
    return success();
  return kernel->emitOpError("cannot be cut into ") << getChunks() << " chunks";
}

/// Checks that windows slide over the factor that has the rows, and that tiles
/// are whole images or lines.
static LogicalResult verifyWindows(Operation *kernel,
                                   const Contraction &contraction,
                                   GemmAttr schedule) {
  std::optional<Windows> windows = matchWindows(contraction);
  int64_t depth = getDepth(schedule.getUnit());
  if (!windows || windows->image != schedule.getRows() ||
      !getWindowChains(contraction, *windows, depth))
    return kernel->emitOpError("has no windows on factor ")
           << schedule.getRows();
  int64_t rows = schedule.getTileRows(), line = windows->countLine();
  int64_t unit = std::max<int64_t>(
      rows >= windows->countPositions() ? windows->countPositions() : line, 1);
  int64_t taps =
      contraction.sizes[Contraction::K] / windows->first().tap.extent;
  if (rows % unit != 0 || schedule.getKBlock() % taps != 0)
    return kernel->emitOpError("has tiles of ")
           << rows << " rows and " << schedule.getKBlock()
           << " k, which are not whole lines of " << line
           << " positions and taps of " << taps << " k";
  if (schedule.getChunks() <=
      countWindowTiles(contraction, *windows, schedule) * schedule.getPieces())
    return success();
  return kernel->emitOpError("cannot be cut into ")
         << schedule.getChunks() << " chunks";
}

/// Checks that blocks of k are whole chains, and that a packed factor has
/// exactly the layout that the schedule's numbers state.
LogicalResult GemmAttr::verifyKernel(Operation *kernel) const {
  FailureOr<Body> body = getBody(cast<FuncOp>(kernel));
  if (failed(body))
    return failure();
  Contraction contraction = *matchContraction(body->statements.front());
  if (getUnit() != chooseUnit(contraction, getUnit()))
    return kernel->emitOpError("has factors that ")
           << stringifyUnit(getUnit()) << " does not multiply";
  if (getRowLayout() == RowLayout::InPlace &&
      !canReadInPlace(contraction, getRows(), getMicroRows(), getUnit()))
    return kernel->emitOpError("has rows that cannot be read in place");
  if (getRowLayout() == RowLayout::Windows &&
      failed(verifyWindows(kernel, contraction, *this)))
    return failure();
  int64_t chain = getChainLength(contraction, getUnit());
  if (getKBlock() % chain != 0 &&
      getKBlock() < contraction.sizes[Contraction::K])
    return kernel->emitOpError("has blocks of ")
           << getKBlock() << " k, which are not whole chains of " << chain;
  if (!getPacked())
    return success();
  Type given = contraction.getOperand(*getPacked()).tensor.getType();
  Type packed = getPackedType(contraction, *this, *getPacked());
  if (given == packed)
    return success();
  return kernel->emitOpError("has factor ")
         << *getPacked() << " of type " << given << ", but packed for " << *this
         << " it is " << packed;
}

LogicalResult DepthwiseAttr::verifyKernel(Operation *kernel) const {
  FailureOr<Body> body = getBody(cast<FuncOp>(kernel));
  if (failed(body))
    return failure();
  Contraction contraction = *matchContraction(body->statements.front());
  std::optional<Depthwise> depthwise = matchDepthwise(contraction);
  if (!depthwise)
    return kernel->emitOpError("is not a depthwise contraction");
  ArrayRef<unsigned> tiled =
      contraction.groups[depthwise->tiledGroup(contraction)];
  DepthwiseTile least = getLeastTile(contraction, *depthwise);
  if (getCut() > least.cut || getTile() < 1 ||
      getTile() > contraction.statement.extents[tiled[getCut()]])
    return kernel->emitOpError("has no tile of ")
           << getTile() << " in dimension " << getCut();
  if (getCut() == least.cut && getTile() % least.tile != 0 &&
      getTile() < contraction.statement.extents[tiled[getCut()]])
    return kernel->emitOpError("has a tile of ")
           << getTile() << ", which is not whole chains of " << least.tile;
  if (getChunks() <= countDepthwiseUnits(contraction, *depthwise, *this))
    return success();
  return kernel->emitOpError("cannot be cut into ") << getChunks() << " chunks";
}

LogicalResult AttentionAttr::verifyKernel(Operation *kernel) const {
  FailureOr<Body> body = getBody(cast<FuncOp>(kernel));
  if (failed(body))
    return failure();
  return verifyAttention(
      cast<AttentionOpInterface>(body->statements.front().op), *this);
}

/// Whether `body` copies one tensor, by an index that is linear in the
/// dimensions of batch, of rows or columns, and of k.
static bool isPacking(const Body &body, PackAttr schedule) {
  if (body.statements.size() != 1 || !body.statements.front().generic())
    return false;
  const Statement &statement = body.statements.front();
  return !statement.inputs.empty() && statement.isParallel() &&
         schedule.getBatch() + schedule.getOuter() <= statement.numDims() &&
         getLinear(statement.inputs[0].index, statement.numDims());
}

LogicalResult PackAttr::verifyKernel(Operation *kernel) const {
  auto function = cast<FuncOp>(kernel);
  FailureOr<Body> body = getBody(function);
  if (failed(body))
    return failure();
  if (!isPacking(*body, *this))
    return kernel->emitOpError("is not a packing of one factor");
  int64_t rank = getPanel() == 0 || getDepth() > 1 ? 5 : 4;
  auto result = cast<RankedTensorType>(function.getResultTypes().front());
  if (result.getRank() == rank)
    return success();
  return kernel->emitOpError("packs into ")
         << result << ", but " << *this << " has " << rank << " dimensions";
}
