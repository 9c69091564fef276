// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-find-ranges: states on arguments the integers that they may hold.
#include "passes/NN/Passes.h"

#include "dialects/NN/Annotations.h"
#include "dialects/NN/NNDialect.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::nn {
#define GEN_PASS_DEF_FINDRANGESPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

/// Adds the range of `operand`, where it is an argument of `function`.
static void addRange(func::FuncOp function, OpOperand &operand,
                     IndexRange range) {
  auto argument = dyn_cast<BlockArgument>(operand.get());
  if (!argument || argument.getOwner() != &function.getBody().front())
    return;
  unsigned index = argument.getArgNumber();
  llvm::SetVector<Attribute> ranges;
  if (auto known = function.getArgAttrOfType<ArrayAttr>(index, kRanges))
    ranges.insert_range(known);
  ranges.insert(RangeAttr::get(function.getContext(), range.low, range.high,
                               /*except=*/std::nullopt));
  function.setArgAttr(
      index, kRanges,
      ArrayAttr::get(function.getContext(), ranges.getArrayRef()));
}

namespace {

struct FindRangesPass : mpc::nn::impl::FindRangesPassBase<FindRangesPass> {
  using FindRangesPassBase::FindRangesPassBase;

  void runOnOperation() override {
    getOperation().walk([&](IndexOpInterface op) {
      for (OpOperand &operand : op->getOpOperands())
        if (std::optional<IndexRange> range = op.getIndexRange(operand))
          addRange(getOperation(), operand, *range);
    });
  }
};

} // namespace
