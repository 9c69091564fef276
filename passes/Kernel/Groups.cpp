// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The partition of structured ops into kernels.
#include "passes/Kernel/Groups.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Kernel/RepeatWidenings.h"
#include "passes/Kernel/SinkMaps.h"
#include "llvm/ADT/SetVector.h"

#include <queue>

using namespace mlir;
using namespace mpc::kernel;

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
static SmallVector<Group> collectGroups(Block &block,
                                        const GroupJoiner &joiner) {
  SmallVector<Group> groups;
  for (Operation &op : block) {
    SmallVector<Operation *> statements = withItsFills(&op);
    if (statements.empty())
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    groups.push_back({std::move(statements), std::nullopt});
    if (generic && isJoinable(generic))
      groups.back().stages = joiner.stagesOf(&op);
  }
  return groups;
}

Groups::Groups(Block &block, TargetAttrInterface target, Peak peak,
               bool isScarce)
    : peak_(peak), isScarce_(isScarce), joiner_(block, target),
      groups_(collectGroups(block, joiner_)), graph_(groups_) {
  for (Operation &op : block)
    if (graph_.groupOf(&op))
      joinSources(&op);
  sinkMaps(groups_, graph_, joiner_, target && target.hasProductLibrary());
  sort(!target || !target.widensOnLoad());
}

/// Joins the groups that `op` reads to its own. What those groups read is asked
/// again, since they may keep less together than each by itself: a mask keeps
/// less than the wider copy of which it is made.
void Groups::joinSources(Operation *op) {
  llvm::SetVector<Operation *> sources;
  auto addSources = [&](Operation *statement) {
    for (Value operand : usedTensors(statement))
      if (Operation *source = operand.getDefiningOp();
          source && graph_.groupOf(source))
        sources.insert(source);
  };
  addSources(op);
  for (size_t next = 0; next < sources.size(); ++next) {
    unsigned producer = *graph_.groupOf(sources[next]);
    SmallVector<Operation *> statements = groups_[producer].statements;
    if (tryJoin(producer, *graph_.groupOf(op)) && peak_.op)
      llvm::for_each(statements, addSources);
  }
}

bool Groups::keepsMore(unsigned producer, unsigned consumer) const {
  return peak_.op && GroupPeak(groups_, graph_, peak_, isScarce_)
                         .keepsMore(producer, consumer);
}

StringRef Groups::whyApart(unsigned producer, unsigned consumer,
                           Group &joined) const {
  const Group &p = groups_[producer], &c = groups_[consumer];
  if (StringRef reason = joiner_.tryJoin(p, c, joined); !reason.empty())
    return reason;
  if (keepsMore(producer, consumer))
    return "one kernel would keep more where most memory is live";
  if (graph_.pathOutside(producer, consumer))
    return "another kernel comes between them";
  return "";
}

/// Joins the two groups if one kernel can be both and should be. Returns
/// whether it did.
bool Groups::tryJoin(unsigned producer, unsigned consumer) {
  Group joined;
  if (producer == consumer || !whyApart(producer, consumer, joined).empty())
    return false;
  join(producer, consumer, std::move(joined));
  return true;
}

void Groups::explain(
    int64_t minBytes,
    llvm::function_ref<void(Value, Operation *, StringRef)> visit) const {
  for (ArrayRef<Operation *> statements : order_) {
    DenseSet<Value> seen;
    for (Operation *reader : statements) {
      unsigned consumer = *graph_.groupOf(reader);
      for (Value value : usedTensors(reader)) {
        Operation *source = value.getDefiningOp();
        std::optional<unsigned> producer =
            source ? graph_.groupOf(source) : std::nullopt;
        Group joined;
        if (producer && producer != consumer &&
            !llvm::is_contained(statements, source) &&
            bytesOf(value) >= minBytes && seen.insert(value).second)
          visit(value, reader, whyApart(*producer, consumer, joined));
      }
    }
  }
}

void Groups::join(unsigned producer, unsigned consumer, Group joined) {
  groups_[consumer] = std::move(joined);
  graph_.join(producer, consumer, groups_[producer].statements);
  groups_[producer] = Group();
}

/// Kahn's algorithm. Of the ready groups, the one whose key comes first in the
/// program goes first.
SmallVector<unsigned> Groups::sortBy(GroupKey key) const {
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
    return key(groups_[b].statements)
        ->isBeforeInBlock(key(groups_[a].statements));
  };
  std::priority_queue<unsigned, std::vector<unsigned>, decltype(later)> ready(
      later);
  for (unsigned group = 0; group < count; ++group)
    if (!groups_[group].statements.empty() && missing[group] == 0)
      ready.push(group);
  SmallVector<unsigned> order;
  while (!ready.empty()) {
    unsigned group = ready.top();
    ready.pop();
    order.push_back(group);
    for (unsigned user : users[group])
      if (--missing[user] == 0)
        ready.push(user);
  }
  return order;
}

/// The statements of each of `groups` that has any.
SmallVector<ArrayRef<Operation *>>
Groups::statementsOf(ArrayRef<unsigned> groups) const {
  SmallVector<ArrayRef<Operation *>> lists;
  for (unsigned group : groups)
    if (!groups_[group].statements.empty())
      lists.push_back(groups_[group].statements);
  return lists;
}

static Operation *getFirst(ArrayRef<Operation *> statements) {
  return statements.front();
}

static Operation *getLast(ArrayRef<Operation *> statements) {
  return statements.back();
}

/// A group of statements from far apart can stand for its first statement, so
/// that it runs as soon as it is ready, or for its last. Which takes less
/// memory depends on what waits for it.
void Groups::sort(bool repeatsWidenings) {
  SmallVector<unsigned> byFirst = sortBy(getFirst), byLast = sortBy(getLast);
  if (repeatsWidenings)
    repeatWidenings(groups_, graph_, joiner_);
  order_ = statementsOf(byFirst);
  fullest_ = findFullest(order_, getFirst);
  SmallVector<ArrayRef<Operation *>> other = statementsOf(byLast);
  Peak fullest = findFullest(other, getLast);
  if (fullest.bytes >= fullest_.bytes)
    return;
  order_ = std::move(other);
  fullest_ = fullest;
}
