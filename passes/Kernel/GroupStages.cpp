// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which groups of ops one kernel can run.
#include "passes/Kernel/GroupStages.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mpc::kernel;

/// The most tensors that a joined group reads. A sum of more, as of the
/// gradients of a value that every later layer of a DenseNet reads, would be a
/// kernel used only once.
static constexpr size_t kMostReads = 16;
/// The same of one that computes sums over runs of rows, which keeps its place
/// in every tensor from row to row.
static constexpr size_t kMostReadsOfRuns = 8;
/// A kernel of fewer rows has too little work to share among threads...
static constexpr int64_t kMinRows = 8;
/// ...unless its whole space is small.
static constexpr int64_t kSmallSpace = 1 << 15;

SmallVector<Value> mpc::kernel::usedTensors(Operation *op) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  used.insert_range(captured);
  return used.takeVector();
}

/// Whether `value` is memory that is read, and neither a single element nor a
/// destination.
static bool isMemory(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getNumElements() > 1 &&
         !value.getDefiningOp<tensor::EmptyOp>();
}

SmallVector<Value> mpc::kernel::tensorsRead(ArrayRef<Operation *> statements) {
  llvm::SetVector<Value> read;
  for (Operation *statement : statements)
    for (Value value : usedTensors(statement))
      if (isMemory(value) &&
          !llvm::is_contained(statements, value.getDefiningOp()))
        read.insert(value);
  return read.takeVector();
}

GroupJoiner::GroupJoiner(Block &block, TargetAttrInterface target)
    : target_(target) {
  for (auto op : block.getOps<linalg::GenericOp>())
    statements_.try_emplace(op, getStatement(op));
}

std::optional<Stages> GroupJoiner::stagesOf(ArrayRef<Operation *> ops) const {
  SmallVector<const Statement *> list;
  for (Operation *op : ops)
    if (auto it = statements_.find(op); it != statements_.end())
      list.push_back(&it->second);
  return getStages(list);
}

/// Whether `op` writes its results in the order of its loops.
static bool writesInOrder(linalg::GenericOp op) {
  SmallVector<unsigned> loops;
  op.getParallelDims(loops);
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    return llvm::equal(
        map.getResults(), loops, [&](AffineExpr result, unsigned loop) {
          return result == getAffineDimExpr(loop, op.getContext());
        });
  });
}

bool mpc::kernel::isJoinable(linalg::GenericOp op) {
  return writesInOrder(op) && !readsByIndex(op);
}

/// The statements up to a contraction that the group begins with.
static size_t countContraction(const Group &group) {
  const Stage &first = group.stages->list.front();
  if (first.kind != StageKind::Contraction)
    return 0;
  return llvm::find(group.statements, first.statement.op) -
         group.statements.begin() + 1;
}

/// The statements of both groups in the order of the program, but for
/// contractions, which read none of the others and come first.
static SmallVector<Operation *> joinStatements(const Group &producer,
                                               const Group &consumer) {
  SmallVector<Operation *> statements;
  SmallVector<ArrayRef<Operation *>, 2> rests;
  for (const Group *group : {&producer, &consumer}) {
    ArrayRef<Operation *> all = group->statements;
    size_t first = countContraction(*group);
    llvm::append_range(statements, all.take_front(first));
    rests.push_back(all.drop_front(first));
  }
  std::merge(rests[0].begin(), rests[0].end(), rests[1].begin(), rests[1].end(),
             std::back_inserter(statements),
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return statements;
}

/// Whether other ops use only the sums of rows that a group computes.
static bool yieldsSums(const Group &group) {
  auto isInside = [&](Operation *user) {
    return llvm::is_contained(group.statements, user);
  };
  return llvm::all_of(group.stages->list, [&](const Stage &stage) {
    return stage.kind == StageKind::Reduction ||
           llvm::all_of(stage.statement.op->getUsers(), isInside);
  });
}

/// Whether rows have too little work to share among threads or blocks. A sum is
/// computed in as many places as it has rows, whatever is joined to it; what
/// else is used could be computed in more places.
bool GroupJoiner::hasFewRows(const Group &group) const {
  const Stages &stages = *group.stages;
  int64_t rows = computeProduct(stages.getOuter());
  int64_t elements = computeProduct(stages.extents);
  if (elements <= kSmallSpace)
    return false;
  return rows < kMinRows ||
         (target_ && !yieldsSums(group) &&
          !target_.isBusyWith(rows, elements / rows, stages.goesByColumns()));
}

/// Whether the target computes sums over runs of rows beside them.
bool GroupJoiner::sumsRuns(const Stages &stages) const {
  int64_t rows = computeProduct(stages.getOuter());
  int64_t elements = computeProduct(stages.extents) / rows;
  unsigned sums = 0;
  for (const Stage &stage : stages.list)
    if (stage.kind == StageKind::Partial)
      sums += stage.statement.outputs.size();
  return target_ && target_.sumsRunsOfRows(rows / stages.run, elements, sums);
}

StringRef GroupJoiner::tryJoin(const Group &producer, const Group &consumer,
                               Group &joined) const {
  if (!producer.stages || !consumer.stages)
    return "one of the two is not joined with others";
  joined.statements = joinStatements(producer, consumer);
  joined.stages = stagesOf(joined.statements);
  if (!joined.stages)
    return "the two run over no common space";
  if (joined.getKind() == KernelKind::Loops)
    return "no schedule runs the stages of the two";
  if (joined.stages->has(StageKind::Reduction) && hasFewRows(joined))
    return "one kernel would have too few rows";
  if (joined.stages->run > 1 && !sumsRuns(*joined.stages))
    return "one kernel would have too few runs of rows, or too many sums";
  size_t most = joined.stages->run > 1 ? kMostReadsOfRuns : kMostReads;
  if (tensorsRead(joined.statements).size() > most)
    return "one kernel would read too many tensors";
  return "";
}
