// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-fuse: groups structured ops that run in one kernel.
#include "passes/Kernel/Passes.h"

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/Kernel/Peak.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Kernel/FoldReads.h"
#include "passes/Kernel/FoldWidenings.h"
#include "passes/Kernel/Groups.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_FUSEPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc::kernel;

/// The results of `statements` that other ops use.
static SmallVector<Value> getOutputs(ArrayRef<Operation *> statements) {
  auto isInside = [&](Operation *user) {
    return llvm::any_of(statements, [&](Operation *statement) {
      return statement->isAncestor(user);
    });
  };
  SmallVector<Value> outputs;
  for (Operation *op : statements)
    for (Value result : op->getResults())
      if (!llvm::all_of(result.getUsers(), isInside))
        outputs.push_back(result);
  return outputs;
}

/// Moves `statements` into a group before `end`.
static GroupOp createGroup(ArrayRef<Operation *> statements, Operation *end) {
  OpBuilder builder(end);
  SmallVector<Location> locs;
  for (Operation *op : statements)
    locs.push_back(op->getLoc());
  Location loc = builder.getFusedLoc(locs);
  SmallVector<Value> outputs = getOutputs(statements);
  auto group = GroupOp::create(builder, loc, TypeRange(ValueRange(outputs)));
  builder.createBlock(&group.getBody());
  auto terminator = ReturnOp::create(builder, loc, outputs);
  for (Operation *op : statements)
    op->moveBefore(terminator);
  for (auto [output, result] : llvm::zip(outputs, group.getResults()))
    output.replaceUsesWithIf(result, [&](OpOperand &use) {
      return !group->isProperAncestor(use.getOwner());
    });
  return group;
}

namespace {

/// The statements of each group, with a copy of each op for every further group
/// that computes it.
SmallVector<SmallVector<Operation *>> copyRepeated(const Groups &groups) {
  SmallVector<SmallVector<Operation *>> lists;
  DenseSet<Operation *> taken;
  for (ArrayRef<Operation *> statements : groups.inOrder()) {
    SmallVector<Operation *> list;
    for (Operation *op : statements) {
      if (taken.insert(op).second) {
        list.push_back(op);
        continue;
      }
      Operation *again = OpBuilder(op).clone(*op);
      op->replaceUsesWithIf(again, [&](OpOperand &use) {
        return llvm::is_contained(statements, use.getOwner());
      });
      list.push_back(again);
    }
    lists.push_back(std::move(list));
  }
  return lists;
}

/// Moves `op` before `end`, after the ops that it uses and that are not placed
/// yet.
void place(Operation *op, Operation *end, DenseSet<Operation *> &placed) {
  if (!placed.insert(op).second)
    return;
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used)
    if (Operation *source = value.getDefiningOp();
        source && source->getBlock() == end->getBlock())
      place(source, end, placed);
  op->moveBefore(end);
}

/// Less is not worth a remark.
constexpr int64_t kLeastExplained = 1 << 20;

void remarkStored(Value value, Operation *reader, StringRef reason) {
  InFlightDiagnostic remark = mlir::emitRemark(value.getLoc());
  remark << bytesOf(value)
         << " bytes are stored for another kernel: " << reason;
  remark.attachNote(reader->getLoc()) << "which reads them here";
}

struct FusePass : mpc::kernel::impl::FusePassBase<FusePass> {
  using FusePassBase::FusePassBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      fuseBlock(block);
  }

private:
  void fuseBlock(Block &block) {
    TargetAttrInterface target = getTarget(getOperation());
    foldReads(block);
    if (target && target.widensOnLoad())
      foldWidenings(block);
    // Where most memory is live follows from what is joined, and the other way
    // round: what would be joined if memory did not matter shows the place.
    Peak peak = Groups(block, target).getFullest();
    std::optional<int64_t> budget =
        target ? target.getMemoryBudget() : std::nullopt;
    Groups groups(block, target, peak, budget && peak.bytes > *budget);
    groups.explain(kLeastExplained, remarkStored);
    SmallVector<SmallVector<Operation *>> lists = copyRepeated(groups);
    // Groups move to the terminator, in an order that respects uses. Views and
    // constants move along.
    Operation *end = block.getTerminator();
    DenseSet<Operation *> placed = {end};
    SmallVector<Operation *> others;
    for (Operation &op : block.without_terminator())
      if (!isa<DestinationStyleOpInterface>(op))
        others.push_back(&op);
    for (ArrayRef<Operation *> statements : lists) {
      if (statements.size() == withItsFills(statements.back()).size()) {
        for (Operation *op : statements)
          place(op, end, placed);
        continue;
      }
      place(createGroup(statements, end), end, placed);
      ++numGroups;
    }
    for (Operation *op : others)
      place(op, end, placed);
  }
};

} // namespace
