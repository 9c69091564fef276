// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nn-find-ranges: states on arguments the integers that they may hold.
#include "passes/NN/Passes.h"

#include "dialects/NN/NNDialect.h"
#include "dialects/NN/Ranges.h"

namespace mpc::nn {
#define GEN_PASS_DEF_FINDRANGESPASS
#include "passes/NN/Passes.h.inc"
} // namespace mpc::nn

using namespace mlir;
using namespace mpc;
using namespace mpc::nn;

namespace {

struct FindRangesPass : mpc::nn::impl::FindRangesPassBase<FindRangesPass> {
  using FindRangesPassBase::FindRangesPassBase;

  void runOnOperation() override {
    getOperation().walk([&](IndexOpInterface op) {
      for (OpOperand &operand : op->getOpOperands())
        if (std::optional<IndexRange> range = op.getIndexRange(operand))
          addRange(operand.get(), range->low, range->high);
    });
  }
};

} // namespace
