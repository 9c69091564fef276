// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which groups of ops one kernel can run.
#include "passes/Kernel/GroupStages.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mpc::kernel;

/// A row kernel of fewer rows has too little work to share among threads...
static constexpr int64_t kMinRows = 8;
/// ...unless its whole space is small.
static constexpr int64_t kSmallSpace = 1 << 15;

BlockStatements::BlockStatements(Block &block) {
  for (auto op : block.getOps<linalg::GenericOp>())
    statements_.try_emplace(op, getStatement(op));
}

std::optional<Stages>
BlockStatements::stagesOf(ArrayRef<Operation *> ops) const {
  SmallVector<const Statement *> list;
  for (Operation *op : ops)
    if (auto it = statements_.find(op); it != statements_.end())
      list.push_back(&it->second);
  return getStages(list);
}

/// (d0, ..., dn-1) -> (d0, ..., dk-1)
static bool isLeading(AffineMap map) {
  for (auto [index, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || dim.getPosition() != index)
      return false;
  }
  return true;
}

static bool reducesOverLast(linalg::GenericOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  return std::is_partitioned(iterators.begin(), iterators.end(),
                             [](utils::IteratorType iterator) {
                               return iterator == utils::IteratorType::parallel;
                             });
}

static bool writesInOrder(linalg::GenericOp op) {
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    return isLeading(map) && map.getNumResults() == op.getNumParallelLoops();
  });
}

bool mpc::kernel::isJoinable(linalg::GenericOp op) {
  return reducesOverLast(op) && writesInOrder(op) && !readsByIndex(op);
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

/// Whether rows have too little work to share among threads.
static bool hasFewRows(const Stages &stages) {
  return computeProduct(stages.getOuter()) < kMinRows &&
         computeProduct(stages.extents) > kSmallSpace;
}

StringRef mpc::kernel::tryJoin(const Group &producer, const Group &consumer,
                               const BlockStatements &statements,
                               Group &joined) {
  if (!producer.stages || !consumer.stages)
    return "one of the two is not joined with others";
  joined.statements = joinStatements(producer, consumer);
  joined.stages = statements.stagesOf(joined.statements);
  if (!joined.stages)
    return "the two run over no common space";
  switch (joined.getKind()) {
  case KernelKind::Map:
  case KernelKind::Contraction:
    return "";
  case KernelKind::Rows:
  case KernelKind::Columns:
    return hasFewRows(*joined.stages) ? "one kernel would have too few rows"
                                      : "";
  default:
    return "no schedule runs the stages of the two";
  }
}
