// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-mark-entries: marks, by their names, the functions that are run from
// outside.
#include "passes/AMP/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "dialects/NN/FunctionNames.h"

namespace mpc::amp {
#define GEN_PASS_DEF_MARKENTRIESPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc::amp;

/// Whether `function` is one from which entries are made.
static bool isModel(func::FuncOp function) {
  return function.getName() == mpc::nn::kModelFunction ||
         function.getName() == mpc::nn::kLossFunction;
}

namespace {

struct MarkEntriesPass : mpc::amp::impl::MarkEntriesPassBase<MarkEntriesPass> {
  using MarkEntriesPassBase::MarkEntriesPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isDeclaration() &&
          !isModel(function))
        setEntryKind(
            function,
            symbolizeEntryKind(function.getName()).value_or(EntryKind::Other));
  }
};

} // namespace
