// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The partition of structured ops into kernels.
#include "passes/Kernel/Groups.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Kernel/GroupPeak.h"
#include "llvm/ADT/SetVector.h"

#include <queue>

using namespace mlir;
using namespace mpc::kernel;

/// The most tensors that a joined group reads. A sum of more, as of the
/// gradients of a value that every later layer of a DenseNet reads, would be a
/// kernel used only once.
static constexpr size_t kMostReads = 16;

/// The only user of `fill`, whose group the fill joins; null where there are
/// several.
static Operation *getOwner(Operation *op) {
  if (!isa<linalg::FillOp>(op) || !op->hasOneUse())
    return nullptr;
  Operation *user = *op->user_begin();
  bool isStatement = isa<DestinationStyleOpInterface>(user) &&
                     user->getBlock() == op->getBlock();
  return isStatement ? user : nullptr;
}

SmallVector<Operation *> mpc::kernel::withItsFills(Operation *op) {
  if (!isa<DestinationStyleOpInterface>(op) || getOwner(op))
    return {};
  SmallVector<Operation *> statements;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp();
        source && getOwner(source) == op)
      statements.push_back(source);
  statements.push_back(op);
  return statements;
}

/// The groups of single ops.
static SmallVector<Group> collectGroups(Block &block) {
  SmallVector<Group> groups;
  for (Operation &op : block) {
    SmallVector<Operation *> statements = withItsFills(&op);
    if (statements.empty())
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    groups.push_back(
        {generic ? spaceOf(generic) : SharedSpace(), std::move(statements)});
  }
  return groups;
}

Groups::Groups(Block &block, Operation *peak)
    : peak_(peak), groups_(collectGroups(block)), graph_(groups_) {
  for (Operation &op : block)
    if (graph_.groupOf(&op))
      for (Value operand : usedTensors(&op))
        if (Operation *source = operand.getDefiningOp();
            source && graph_.groupOf(source))
          tryJoin(*graph_.groupOf(source), *graph_.groupOf(&op));
  sort();
}

/// Whether `value` is memory that is read, and neither a single element nor a
/// destination.
static bool isMemory(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getNumElements() > 1 &&
         !value.getDefiningOp<tensor::EmptyOp>();
}

/// Whether the two together read more tensors than a kernel should.
static bool readsTooMuch(const Group &producer, const Group &consumer) {
  DenseSet<Value> read;
  auto statements =
      llvm::concat<Operation *const>(producer.statements, consumer.statements);
  for (Operation *statement : statements)
    for (Value value : usedTensors(statement))
      if (isMemory(value))
        read.insert(value);
  for (Operation *statement : statements)
    for (Value result : statement->getResults())
      read.erase(result);
  return read.size() > kMostReads;
}

/// Joins the two groups if one kernel can be both and should be.
void Groups::tryJoin(unsigned producer, unsigned consumer) {
  const Group &p = groups_[producer], &c = groups_[consumer];
  if (producer == consumer ||
      (peak_ &&
       GroupPeak(groups_, graph_, peak_).keepsMore(producer, consumer)))
    return;
  SharedSpace space = joinedSpace(p, c);
  if (space.kind != GroupSpace::Other && !readsTooMuch(p, c) &&
      !graph_.pathOutside(producer, consumer))
    join(producer, consumer, std::move(space));
}

/// The statements of both groups. A contraction comes first: other operands of
/// the map on its result do not read it, and it does not read them.
static SmallVector<Operation *>
joinStatements(const Group &producer, const Group &consumer, GroupSpace kind) {
  const auto &p = producer.statements, &c = consumer.statements;
  SmallVector<Operation *> statements;
  if (kind == GroupSpace::Contraction)
    llvm::append_range(statements, llvm::concat<Operation *const>(p, c));
  else
    std::merge(
        p.begin(), p.end(), c.begin(), c.end(), std::back_inserter(statements),
        [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return statements;
}

void Groups::join(unsigned producer, unsigned consumer, SharedSpace space) {
  Group &p = groups_[producer], &c = groups_[consumer];
  c.statements = joinStatements(p, c, space.kind);
  c.space = std::move(space);
  graph_.join(producer, consumer, p.statements);
  p.statements.clear();
}

/// Kahn's algorithm. Of the ready groups, the one that ends first in the
/// program goes first.
void Groups::sort() {
  unsigned count = groups_.size();
  SmallVector<SmallVector<unsigned>> users(count);
  SmallVector<unsigned> missing(count, 0);
  for (unsigned group = 0; group < count; ++group) {
    llvm::SetVector<unsigned> producers;
    for (Operation *statement : groups_[group].statements)
      for (const GroupGraph::Read &read : graph_.readsOf(statement))
        producers.insert(*graph_.groupOf(read.source));
    producers.remove(group);
    missing[group] = producers.size();
    for (unsigned producer : producers)
      users[producer].push_back(group);
  }
  auto later = [&](unsigned a, unsigned b) {
    return groups_[b].statements.back()->isBeforeInBlock(
        groups_[a].statements.back());
  };
  std::priority_queue<unsigned, std::vector<unsigned>, decltype(later)> ready(
      later);
  for (unsigned group = 0; group < count; ++group)
    if (!groups_[group].statements.empty() && missing[group] == 0)
      ready.push(group);
  while (!ready.empty()) {
    unsigned group = ready.top();
    ready.pop();
    order_.push_back(groups_[group].statements);
    for (unsigned user : users[group])
      if (--missing[user] == 0)
        ready.push(user);
  }
}
