// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes that joined groups keep alive at the peak of memory.
#include "passes/Kernel/GroupPeak.h"

#include "dialects/Kernel/Peak.h"

using namespace mlir;
using namespace mpc::kernel;

/// Calls `visit` for each op of `value`'s block that reads it, itself or by an
/// op that is no statement of a group, as a view.
static void visitReaders(Value value,
                         llvm::function_ref<bool(Operation *)> isStatement,
                         llvm::function_ref<void(Operation *)> visit) {
  Block *block = value.getParentBlock();
  for (Operation *user : value.getUsers()) {
    Operation *reader = block->findAncestorOpInBlock(*user);
    if (isStatement(reader))
      visit(reader);
    else
      for (Value view : reader->getResults())
        visitReaders(view, isStatement, visit);
  }
}

/// The last statement of group number `time` in front of the next group: by a
/// map that was joined to it a group may end far behind in the program.
static Operation *getEnd(ArrayRef<ArrayRef<Operation *>> order, size_t time,
                         GroupKey key) {
  if (time + 1 == order.size())
    return order[time].back();
  Operation *next = key(order[time + 1]);
  for (Operation *statement : llvm::reverse(order[time]))
    if (statement->isBeforeInBlock(next))
      return statement;
  return key(order[time]);
}

Peak mpc::kernel::findFullest(ArrayRef<ArrayRef<Operation *>> order,
                              GroupKey key) {
  DenseMap<Operation *, size_t> times; ///< The last group of each.
  DenseSet<Operation *> repeated;      ///< By each group that reads them.
  for (auto [time, statements] : llvm::enumerate(order))
    for (Operation *statement : statements) {
      if (times.contains(statement))
        repeated.insert(statement);
      times[statement] = time;
    }
  auto isStatement = [&](Operation *op) { return times.contains(op); };
  SmallVector<int64_t> freed(order.size(), 0);
  int64_t live = 0;
  Peak fullest;
  for (auto [time, statements] : llvm::enumerate(order)) {
    for (Operation *statement : statements) {
      if (repeated.contains(statement))
        continue;
      for (Value result : statement->getResults()) {
        size_t last = time;
        visitReaders(result, isStatement, [&](Operation *reader) {
          last = std::max(last, times.lookup(reader));
        });
        if (last == time || isReturned(result))
          continue;
        live += bytesOf(result);
        freed[last] += bytesOf(result);
      }
    }
    if (live > fullest.bytes)
      fullest = {getEnd(order, time, key), live};
    live -= freed[time];
  }
  return fullest;
}

/// Where memory is not scarce, a further kernel costs more than memory that is
/// less than this part of the peak.
static constexpr int64_t kLeastShare = 1024;

/// The bytes that the last statement's result takes.
static int64_t resultBytes(const Group &group) {
  Value result = group.statements.back()->getResult(0);
  return isReturned(result) ? 0 : bytesOf(result);
}

/// Whether no third group reads the producer.
bool GroupPeak::isOnlyReader(unsigned producer, unsigned consumer) const {
  for (Operation *statement : groups_[producer].statements)
    for (Operation *user : statement->getUsers()) {
      std::optional<unsigned> reader = graph_.groupOf(user);
      if (reader != producer && reader != consumer)
        return false;
    }
  return true;
}

/// The groups behind the peak that read `value`.
llvm::SmallSetVector<unsigned, 4> GroupPeak::laterReaders(Value value) const {
  llvm::SmallSetVector<unsigned, 4> later;
  visitReaders(
      value, [&](Operation *op) { return graph_.groupOf(op).has_value(); },
      [&](Operation *reader) {
        unsigned group = *graph_.groupOf(reader);
        if (peak_.op->isBeforeInBlock(groups_[group].statements.back()))
          later.insert(group);
      });
  return later;
}

/// Whether `group` reads no other group than `source`, so that it can be kept
/// in place of what it reads.
bool GroupPeak::followsFrom(unsigned group, unsigned source) const {
  return llvm::all_of(groups_[group].statements, [&](Operation *statement) {
    return llvm::all_of(
        graph_.readsOf(statement), [&](const GroupGraph::Read &read) {
          std::optional<unsigned> other = graph_.groupOf(read.source);
          return other == group || other == source;
        });
  });
}

/// Whether joining would keep more bytes from before the peak to behind it than
/// what the consumer reads and nobody would have to keep then.
bool GroupPeak::spansPeak(unsigned producer, unsigned consumer) const {
  const Group &p = groups_[producer], &c = groups_[consumer];
  if (peak_.op->isBeforeInBlock(p.statements.front()) ||
      !peak_.op->isBeforeInBlock(c.statements.back()))
    return false;
  int64_t kept = resultBytes(c), dropped = 0;
  if (!isScarce_ && kept * kLeastShare < peak_.bytes)
    return false;
  // What the consumer reads need no longer be kept if each further reader can
  // be kept in its place as well.
  llvm::SmallSetVector<unsigned, 4> others;
  for (Operation *statement : p.statements)
    for (Value result : statement->getResults()) {
      llvm::SmallSetVector<unsigned, 4> readers = laterReaders(result);
      if (!readers.remove(consumer) ||
          !llvm::all_of(readers, [&](unsigned reader) {
            return reader == producer || followsFrom(reader, producer);
          }))
        continue;
      dropped += bytesOf(result);
      others.insert_range(readers);
    }
  for (unsigned other : others)
    kept += other == producer ? 0 : resultBytes(groups_[other]);
  return kept > dropped;
}

/// Whether joining would keep operands waiting for a later value, where the
/// operands take more bytes than the result that would be kept instead.
bool GroupPeak::delays(unsigned producer, unsigned consumer) const {
  const Group &p = groups_[producer];
  if (p.getKind() != KernelKind::Contraction)
    return false;
  Operation *last = p.statements.back();
  int64_t factors = 0;
  for (Operation *statement : p.statements)
    for (const GroupGraph::Read &read : graph_.readsOf(statement))
      if (graph_.groupOf(read.source) != producer)
        factors += bytesOf(read.source->getResult(0));
  bool waits =
      llvm::any_of(groups_[consumer].statements, [&](Operation *statement) {
        return llvm::any_of(graph_.readsOf(statement),
                            [&](const GroupGraph::Read &read) {
                              return graph_.groupOf(read.source) != consumer &&
                                     last->isBeforeInBlock(read.source);
                            });
      });
  return waits && factors > resultBytes(p);
}

/// Whether joining would make other readers of a small result wait for a larger
/// one.
bool GroupPeak::holdsUp(unsigned producer, unsigned consumer) const {
  const Group &p = groups_[producer], &c = groups_[consumer];
  return p.getKind() == KernelKind::Map && c.stages &&
         c.stages->has(StageKind::Reduction) &&
         p.stages->getOuter() == c.stages->getOuter() &&
         !isOnlyReader(producer, consumer);
}

bool GroupPeak::keepsMore(unsigned producer, unsigned consumer) const {
  return spansPeak(producer, consumer) ||
         (isScarce_ &&
          (delays(producer, consumer) || holdsUp(producer, consumer)));
}
