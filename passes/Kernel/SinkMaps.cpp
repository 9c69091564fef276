// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves maps to the kernels that alone read them.
#include "passes/Kernel/SinkMaps.h"

#include "dialects/Interfaces/Precision.h"
#include "dialects/Kernel/Peak.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mpc::kernel;

static int64_t sumBytes(ArrayRef<Value> values) {
  int64_t bytes = 0;
  for (Value value : values)
    bytes += bytesOf(value);
  return bytes;
}

/// The results of `statements` that something else uses.
static SmallVector<Value> tensorsWritten(ArrayRef<Operation *> statements) {
  SmallVector<Value> written;
  for (Operation *statement : statements)
    for (Value result : statement->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !llvm::is_contained(statements, user);
          }))
        written.push_back(result);
  return written;
}

namespace {

/// What two kernels cost that run one after the other.
struct Traffic {
  int64_t moved = 0; ///< The bytes that both read and write.
  int64_t kept = 0;  ///< The bytes that are in memory when the second one runs.
};

/// One group, and another one that reads it.
class MapSinker {
public:
  MapSinker(MutableArrayRef<Group> groups, GroupGraph &graph,
            const GroupJoiner &joiner, unsigned source, unsigned reader,
            bool forLibrary)
      : groups_(groups), graph_(graph), joiner_(joiner), source_(source),
        reader_(reader), forLibrary_(forLibrary) {}

  void run();

private:
  /// Both groups after a move.
  struct Split {
    Group source, reader;
    SmallVector<Operation *> moved;
  };

  bool mayRead(Operation *user, ArrayRef<Operation *> movable) const;
  bool isFirstReader(Operation *statement, ArrayRef<Operation *> movable) const;
  SmallVector<Operation *> findMovable() const;
  std::optional<Split> split(ArrayRef<Operation *> moved) const;

  MutableArrayRef<Group> groups_;
  GroupGraph &graph_;
  const GroupJoiner &joiner_;
  unsigned source_, reader_;
  bool forLibrary_; ///< Whether a library computes the source without the maps.
};

} // namespace

static Traffic countTraffic(const Group &source, const Group &reader) {
  SmallVector<Value> read = tensorsRead(reader.statements);
  SmallVector<Value> written = tensorsWritten(source.statements);
  Traffic traffic;
  traffic.moved = sumBytes(read) + sumBytes(written) +
                  sumBytes(tensorsRead(source.statements)) +
                  sumBytes(tensorsWritten(reader.statements));
  llvm::SetVector<Value> kept(written.begin(), written.end());
  kept.insert_range(read);
  traffic.kept = sumBytes(kept.takeVector());
  return traffic;
}

/// The op of the block of `op`, or the one around it in that block, that `user`
/// is or is in: a region may read a tensor.
static Operation *outermost(Operation *user, Operation *op) {
  return op->getBlock()->findAncestorOpInBlock(*user);
}

/// Whether `user` can read a map that is in the reader and not in the source.
bool MapSinker::mayRead(Operation *user, ArrayRef<Operation *> movable) const {
  std::optional<unsigned> group = graph_.groupOf(user);
  if (group == reader_ || llvm::is_contained(movable, user))
    return true;
  if (!forLibrary_)
    return false;
  if (group)
    return !graph_.reads(reader_, *group);
  // Views belong to no group. The reader must read the map itself.
  return llvm::all_of(user->getUsers(), [&](Operation *other) {
    Operation *next = outermost(other, user);
    return graph_.groupOf(next) != reader_ && mayRead(next, movable);
  });
}

/// Whether the reader is the first one of `statement`, and others come later.
bool MapSinker::isFirstReader(Operation *statement,
                              ArrayRef<Operation *> movable) const {
  Operation *first = nullptr;
  for (Operation *user : statement->getUsers()) {
    Operation *next = outermost(user, statement);
    if (!first || next->isBeforeInBlock(first))
      first = next;
  }
  return first && (graph_.groupOf(first) == reader_ ||
                   llvm::is_contained(movable, first));
}

/// The maps of the source that can be in the reader; the last one first.
SmallVector<Operation *> MapSinker::findMovable() const {
  const Group &source = groups_[source_];
  DenseSet<Operation *> maps;
  for (const Stage &stage : source.stages->list)
    if (stage.kind == StageKind::Map)
      maps.insert(stage.statement.op);
  SmallVector<Operation *> movable;
  for (Operation *statement : llvm::reverse(source.statements)) {
    if ((maps.contains(statement) || isa<linalg::FillOp>(statement)) &&
        isFirstReader(statement, movable) &&
        llvm::all_of(statement->getUsers(), [&](Operation *user) {
          return mayRead(outermost(user, statement), movable);
        }))
      movable.push_back(statement);
  }
  return movable;
}

/// Both groups once `moved`, in reverse order, are in the reader; empty where
/// these would not be kernels.
std::optional<MapSinker::Split>
MapSinker::split(ArrayRef<Operation *> moved) const {
  Split result;
  for (Operation *statement : groups_[source_].statements)
    (llvm::is_contained(moved, statement) ? result.moved
                                          : result.source.statements)
        .push_back(statement);
  if (result.source.statements.empty())
    return std::nullopt;
  result.source.stages = joiner_.stagesOf(result.source.statements);
  Group maps{result.moved, joiner_.stagesOf(result.moved)};
  if (!result.source.stages ||
      !joiner_.tryJoin(maps, groups_[reader_], result.reader).empty())
    return std::nullopt;
  return result;
}

/// Whether a group is a contraction whose maps read nothing else of the size of
/// its sums.
static bool isPlainProduct(const Group &group) {
  const Stage &first = group.stages->list.front();
  if (first.kind != StageKind::Contraction)
    return false;
  auto sizeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  int64_t size = sizeOf(first.statement.op->getResult(0));
  return llvm::all_of(group.stages->list, [&](const Stage &stage) {
    return stage.kind == StageKind::Contraction ||
           llvm::none_of(tensorsRead(stage.statement.op), [&](Value value) {
             return sizeOf(value) >= size &&
                    !llvm::is_contained(group.statements,
                                        value.getDefiningOp());
           });
  });
}

/// Whether the factors of a contraction that the group begins with have 16
/// bits.
static bool has16BitFactors(const Group &group) {
  const Stage &first = group.stages->list.front();
  return first.kind == StageKind::Contraction &&
         llvm::all_of(first.statement.inputs, [](const Access &input) {
           return mpc::isLowPrecision(
               cast<RankedTensorType>(input.tensor.getType()).getElementType());
         });
}

void MapSinker::run() {
  SmallVector<Operation *> movable = findMovable();
  Traffic least = countTraffic(groups_[source_], groups_[reader_]);
  bool wasPlain = isPlainProduct(groups_[source_]);
  std::optional<Split> best;
  for (size_t count = 1; count <= movable.size(); ++count) {
    std::optional<Split> next = split(ArrayRef(movable).take_front(count));
    if (!next)
      continue;
    Traffic traffic = countTraffic(next->source, next->reader);
    bool isFewer = traffic.moved < least.moved && traffic.kept <= least.kept;
    bool becomesPlain = forLibrary_ && !wasPlain &&
                        isPlainProduct(next->source) &&
                        traffic.moved <= least.moved;
    if (!isFewer && !becomesPlain)
      continue;
    wasPlain = isPlainProduct(next->source);
    least = traffic;
    best = std::move(next);
  }
  if (!best)
    return;
  graph_.move(best->moved, source_, reader_);
  groups_[source_] = std::move(best->source);
  groups_[reader_] = std::move(best->reader);
}

void mpc::kernel::sinkMaps(MutableArrayRef<Group> groups, GroupGraph &graph,
                           const GroupJoiner &joiner, bool hasLibrary) {
  for (unsigned source = groups.size(); source-- > 0;) {
    if (!groups[source].stages || groups[source].statements.size() < 2)
      continue;
    llvm::SetVector<unsigned> readers;
    for (Operation *statement : groups[source].statements)
      for (Operation *user : statement->getUsers())
        if (std::optional<unsigned> reader = graph.groupOf(user);
            reader && *reader != source && groups[*reader].stages)
          readers.insert(*reader);
    bool forLibrary = hasLibrary && has16BitFactors(groups[source]);
    for (unsigned reader : readers)
      MapSinker(groups, graph, joiner, source, reader, forLibrary).run();
  }
}
