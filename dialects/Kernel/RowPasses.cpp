// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass over a row in which each statement runs.
#include "dialects/Kernel/Rows.h"

using namespace mlir;
using namespace mpc::kernel;

/// Whether `statement` reads an input that may lie where `result` is written.
static bool readsMemoryOf(const Statement &statement, FuncOp kernel,
                          unsigned result) {
  return llvm::any_of(statement.inputs, [&](const Access &input) {
    auto argument = dyn_cast<BlockArgument>(input.tensor);
    return argument && kernel.mayAlias(argument.getArgNumber(), result);
  });
}

// A destination may lie in the memory of an input that is read, in program
// order, no later than the destination is written. Passes must keep that order.
static int getLeastWriteLevel(const Rows &rows, ArrayRef<int> levels,
                              unsigned number) {
  int least = -1;
  auto kernel = cast<FuncOp>(rows.statements[number].op->getParentOp());
  for (Value value : rows.statements[number].op->getResults())
    for (OpOperand &use : value.getUses()) {
      if (!isa<ReturnOp>(use.getOwner()))
        continue;
      for (unsigned earlier = 0; earlier < number; ++earlier)
        if (readsMemoryOf(rows.statements[earlier], kernel,
                          use.getOperandNumber()))
          least = std::max(least, levels[earlier] +
                                      (rows.kinds[earlier] == StageKind::Row &&
                                       rows.kinds[number] != StageKind::Row));
    }
  return least;
}

/// The pass of each statement; a Row statement follows its pass.
RowPasses mpc::kernel::getPasses(const Rows &rows) {
  RowPasses passes;
  SmallVector<int> &levels = passes.levels;
  Body body{rows.statements};
  for (auto [number, statement] : llvm::enumerate(rows.statements)) {
    bool isRow = rows.kinds[number] == StageKind::Row;
    int level = isRow ? -1 : 0;
    auto need = [&](const Access &access, bool atRow) {
      std::optional<Producer> producer = getProducer(access.tensor, body);
      if (!producer)
        return;
      bool fromRow = rows.kinds[producer->statement] != StageKind::Map;
      level =
          std::max(level, levels[producer->statement] + (fromRow && !atRow));
    };
    for (const Access &input : statement.inputs)
      need(input, isRow);
    // The first value of a sum is added after its pass, or, where lanes are
    // columns, before the pass begins.
    for (const Access &output : statement.outputs)
      need(output, isRow);
    level = std::max(level, getLeastWriteLevel(rows, levels, number));
    levels.push_back(level);
    passes.count = std::max(passes.count, level + 1);
  }
  return passes;
}
