// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of attention on CPUs.
#include "lib/Codegen/CPU/AttentionPlan.h"

#include "lib/Codegen/CPU/Units.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mpc::cpu;
using namespace mpc::kernel;
using llvm::alignTo;
using llvm::divideCeil;

// Queries of a block: enough for the packed keys to be read from the first
// cache, and few enough for causal attention to leave out half of the blocks.
static constexpr int64_t kQueries = 64;
// Keys of a block. Longer blocks rescale results less often, and sum longer
// chains: in f32 those of 256 keys would lose a bit against PyTorch's.
static constexpr int64_t kKeys = 128, kKeysOfPairs = 256;
// Chunks up to which the queries of a head are cut into pieces.
static constexpr int64_t kEnoughChunks = 64;

static bool isForward(AttentionOpInterface op) {
  return isa<AttentionOp>(op.getOperation());
}

/// The units of work that are independent of each other.
static int64_t countChunks(AttentionOpInterface op, int64_t pieces) {
  AttentionSizes sizes = getSizes(op);
  return isForward(op) ? sizes.batch * sizes.heads * pieces
                       : sizes.batch * sizes.groups;
}

static Unit unitOf(AttentionOpInterface op, Unit bf16) {
  Type element = getElementTypeOrSelf(op.getQueryMutable().get().getType());
  return element.isBF16() ? bf16 : Unit::FMA;
}

AttentionAttr mpc::cpu::planAttention(AttentionOpInterface op,
                                      TargetAttr target) {
  AttentionSizes sizes = getSizes(op);
  int64_t lanes = target.getLanes();
  int64_t rows = lanes == 16 ? 8 : 6, columns = 2 * lanes;
  Unit unit = unitOf(op, target.getBf16());
  int64_t keys = isForward(op) && unit != Unit::FMA ? kKeysOfPairs : kKeys;
  // Keys are columns of scores, and rows of their own gradients.
  auto align = [](int64_t size, int64_t unit) -> int64_t {
    return alignTo(size, unit);
  };
  int64_t block[] = {
      align(std::min(sizes.queries, kQueries), rows),
      align(std::min(sizes.keys, keys), std::lcm(rows, columns))};
  int64_t micro[] = {rows, columns};
  int64_t pieces = 1;
  if (isForward(op))
    pieces = std::clamp<int64_t>(kEnoughChunks / (sizes.batch * sizes.heads), 1,
                                 divideCeil(sizes.queries, block[0]));
  return AttentionAttr::get(op.getContext(), countChunks(op, pieces), lanes,
                            pieces, block, micro, unit, target.getNaive());
}

LogicalResult mpc::cpu::verifyAttention(AttentionOpInterface op,
                                        AttentionAttr schedule) {
  if (schedule.getUnit() != unitOf(op, schedule.getUnit()))
    return op.emitOpError("has elements that ")
           << stringifyUnit(schedule.getUnit()) << " does not multiply";
  if (schedule.getChunks() != countChunks(op, schedule.getPieces()))
    return op.emitOpError("is not ") << schedule.getChunks() << " chunks";
  return success();
}
