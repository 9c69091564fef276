// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The partition of structured ops into kernels.
#include "passes/Kernel/Groups.h"

#include "dialects/Kernel/Contraction.h"
#include "dialects/Kernel/Peak.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

#include <queue>

using namespace mlir;
using namespace mpc::kernel;

/// A row kernel of fewer rows has too little work to share among threads...
static constexpr int64_t kMinRows = 8;
/// ...unless its whole space is small.
static constexpr int64_t kSmallSpace = 1 << 15;
/// The most tensors that a joined group reads. A sum of more, as of the
/// gradients of a value that every later layer of a DenseNet reads, would be a
/// kernel used only once.
static constexpr size_t kMostReads = 16;

/// (d0, ..., dn-1) -> (d0, ..., dk-1)
static bool isLeading(AffineMap map) {
  for (auto [index, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || dim.getPosition() != index)
      return false;
  }
  return true;
}

/// The number of reduction loops, where they come after all parallel loops; -1
/// where the two are mixed.
static int64_t trailingReductions(linalg::GenericOp op) {
  int64_t count = op.getNumReductionLoops();
  auto iterators = op.getIteratorTypesArray();
  for (int64_t i = iterators.size() - count, e = iterators.size(); i < e; ++i)
    if (iterators[i] != utils::IteratorType::reduction)
      return -1;
  return count;
}

static bool writesLeading(linalg::GenericOp op) {
  for (OpOperand &init : op.getDpsInitsMutable())
    if (AffineMap map = op.getMatchingIndexingMap(&init);
        !isLeading(map) || map.getNumResults() != op.getNumParallelLoops())
      return false;
  return true;
}

/// The space of a group of one op.
static Group classify(linalg::GenericOp op) {
  Group group;
  int64_t reductions = trailingReductions(op);
  if (reductions < 0 || !writesLeading(op) || readsByIndex(op))
    return group;
  SmallVector<int64_t> loops = op.getStaticLoopRanges();
  if (reductions == 0) {
    group.space = GroupSpace::Map;
    group.shape = loops;
    return group;
  }
  bool readsWhole = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *in) {
    return op.getMatchingIndexingMap(in).isIdentity();
  });
  // A matrix times a vector reads the matrix whole, as a sum along rows does.
  if (isSumOfProducts(op)) {
    group.space = GroupSpace::Contraction;
    group.shape.assign(loops.begin(), loops.end() - reductions);
  } else if (readsWhole) {
    group.space = GroupSpace::Rows;
    group.shape = loops;
    group.inner = reductions;
  }
  return group;
}

/// The tensors that `op` uses, also inside of its region.
static SmallVector<Value> usedTensors(Operation *op) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  used.insert_range(captured);
  return used.takeVector();
}

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

Groups::Groups(Block &block, Operation *peak) : peak_(peak) {
  collect(block);
  collectReads();
  collectEdges();
  for (Operation &op : block) {
    auto it = groupOf_.find(&op);
    if (it == groupOf_.end())
      continue;
    for (Value operand : usedTensors(&op)) {
      Operation *source = operand.getDefiningOp();
      if (!source || !groupOf_.contains(source))
        continue;
      unsigned producer = groupOf_.lookup(source);
      unsigned consumer = groupOf_.lookup(&op);
      if (producer != consumer && canJoin(producer, consumer))
        join(producer, consumer);
    }
  }
  sort();
}

void Groups::collect(Block &block) {
  for (Operation &op : block) {
    SmallVector<Operation *> statements = withItsFills(&op);
    if (statements.empty())
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    Group group = generic ? classify(generic) : Group();
    group.statements = std::move(statements);
    for (Operation *statement : group.statements)
      groupOf_[statement] = groups_.size();
    groups_.push_back(std::move(group));
  }
}

/// The space of two groups together; Other where they cannot be joined.
static Group combine(const Group &producer, const Group &consumer) {
  Group result;
  ArrayRef<int64_t> p = producer.shape, c = consumer.shape;
  auto rowsOf = [](const Group &g) {
    return ArrayRef<int64_t>(g.shape).drop_back(g.inner);
  };
  using Space = GroupSpace;
  auto set = [&](Space space, ArrayRef<int64_t> shape, int64_t inner) {
    result.space = space;
    result.shape.assign(shape.begin(), shape.end());
    result.inner = inner;
  };
  if (producer.space == Space::Map && consumer.space == Space::Map && p == c)
    set(Space::Map, p, 0);
  else if (producer.space == Space::Contraction &&
           consumer.space == Space::Map && p == c)
    set(Space::Contraction, p, 0);
  else if (producer.space == Space::Rows && consumer.space == Space::Rows &&
           p == c && producer.inner == consumer.inner)
    set(Space::Rows, p, producer.inner);
  else if (producer.space == Space::Rows && consumer.space == Space::Map &&
           (p == c || rowsOf(producer) == c))
    set(Space::Rows, p, producer.inner);
  else if (producer.space == Space::Map && consumer.space == Space::Rows &&
           (p == c || p == rowsOf(consumer)))
    set(Space::Rows, c, consumer.inner);
  if (result.space == Space::Rows) {
    int64_t rows =
        computeProduct(ArrayRef<int64_t>(result.shape).drop_back(result.inner));
    if (rows < kMinRows && computeProduct(result.shape) > kSmallSpace)
      result.space = Space::Other;
  }
  return result;
}

bool Groups::readsAligned(const Group &producer, const Group &consumer,
                          const Group &joined) const {
  DenseSet<Operation *> made(producer.statements.begin(),
                             producer.statements.end());
  auto rank = static_cast<unsigned>(joined.shape.size());
  for (Operation *statement : consumer.statements) {
    auto op = dyn_cast<linalg::GenericOp>(statement);
    if (!op)
      continue;
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *source = operand.get().getDefiningOp();
      if (!source || !made.contains(source))
        continue;
      // Another op updates the value in place, which is more than a read.
      if (!op.isDpsInput(&operand))
        return false;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (!isLeading(map))
        return false;
      // A value over the whole space is read element by element. A value of
      // each row is read by the same row.
      unsigned results = map.getNumResults();
      if (results != rank && results != rank - joined.inner)
        return false;
      if (results == rank && op.getNumLoops() != rank)
        return false;
    }
  }
  return true;
}

/// The structured ops from which `value` is made, through views and packs.
static void collectSources(Value value,
                           const DenseMap<Operation *, unsigned> &groups,
                           llvm::SetVector<Operation *> &sources) {
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Operation *source = work.pop_back_val().getDefiningOp();
    if (!source)
      continue;
    if (groups.contains(source))
      sources.insert(source);
    else // Views, packs and constants belong to no group.
      llvm::append_range(work, source->getOperands());
  }
}

void Groups::collectReads() {
  for (const Group &group : groups_)
    for (Operation *statement : group.statements)
      for (Value value : usedTensors(statement)) {
        llvm::SetVector<Operation *> sources;
        collectSources(value, groupOf_, sources);
        for (Operation *source : sources)
          reads_[statement].push_back(
              {source, source == value.getDefiningOp()});
      }
}

void Groups::collectEdges() {
  for (auto [part, group] : llvm::enumerate(groups_)) {
    parts_.push_back({static_cast<unsigned>(part)});
    groupOfPart_.push_back(part);
    rank_.push_back(part);
    edges_.emplace_back();
    for (Operation *statement : group.statements)
      for (const Read &read : readsOf(statement))
        edges_.back().push_back({groupOf_.lookup(read.source), read.isDirect});
  }
}

/// Whether something would have to run between the two groups: a third group,
/// or a view of a value that a joined kernel has not returned yet.
bool Groups::pathOutside(unsigned producer, unsigned consumer) const {
  llvm::BitVector seen(groups_.size());
  SmallVector<unsigned> work;
  auto enter = [&](unsigned group) {
    for (const Edge &edge : edges_[group]) {
      unsigned next = groupOfPart_[edge.part];
      if (rank_[next] < rank_[producer])
        continue;
      // The read would be inside of the joined kernel.
      if (group == consumer && edge.isDirect && next == producer)
        continue;
      if (next == group || seen.test(next))
        continue;
      seen.set(next);
      work.push_back(next);
    }
  };
  enter(consumer);
  while (!work.empty()) {
    unsigned group = work.pop_back_val();
    if (group == producer)
      return true;
    enter(group);
  }
  return false;
}

/// Whether a statement uses the position of an element, which a map on the
/// result of a contraction does not have.
static bool asksForIndex(const Group &group) {
  return llvm::any_of(group.statements, [](Operation *statement) {
    auto op = dyn_cast<linalg::GenericOp>(statement);
    return op && op.hasIndexSemantics();
  });
}

/// The bytes of the last statement's results.
static int64_t resultBytes(const Group &group) {
  return bytesOf(group.statements.back()->getResult(0));
}

bool Groups::isOnlyReader(unsigned producer, unsigned consumer) const {
  for (Operation *statement : groups_[producer].statements)
    for (Operation *user : statement->getUsers()) {
      auto it = groupOf_.find(user);
      if (it == groupOf_.end() ||
          (it->second != producer && it->second != consumer))
        return false;
    }
  return true;
}

/// Whether joining would keep results alive across the peak that are larger
/// than their operands, or that come in addition to them.
bool Groups::spansPeak(unsigned producer, unsigned consumer) const {
  const Group &p = groups_[producer], &c = groups_[consumer];
  if (peak_->isBeforeInBlock(p.statements.front()) ||
      !peak_->isBeforeInBlock(c.statements.back()))
    return false;
  return resultBytes(c) > resultBytes(p) || !isOnlyReader(producer, consumer);
}

/// Whether joining would keep operands waiting for a later value, where the
/// operands take more bytes than the result that would be kept instead.
bool Groups::delays(unsigned producer, unsigned consumer) const {
  const Group &p = groups_[producer];
  if (p.space != GroupSpace::Contraction)
    return false;
  Operation *last = p.statements.back();
  int64_t factors = 0;
  for (Operation *statement : p.statements)
    for (const Read &read : readsOf(statement))
      if (groupOf_.lookup(read.source) != producer)
        factors += bytesOf(read.source->getResult(0));
  bool waits =
      llvm::any_of(groups_[consumer].statements, [&](Operation *statement) {
        return llvm::any_of(readsOf(statement), [&](const Read &read) {
          return groupOf_.lookup(read.source) != consumer &&
                 last->isBeforeInBlock(read.source);
        });
      });
  return waits && factors > resultBytes(p);
}

/// Whether joining would make other readers of a small result wait for a larger
/// one.
bool Groups::holdsUp(unsigned producer, unsigned consumer) const {
  const Group &p = groups_[producer], &c = groups_[consumer];
  return p.space == GroupSpace::Map && c.space == GroupSpace::Rows &&
         p.shape != c.shape && !isOnlyReader(producer, consumer);
}

/// Whether joining the two keeps more bytes than it saves.
bool Groups::keepsMore(unsigned producer, unsigned consumer) const {
  return peak_ && (spansPeak(producer, consumer) ||
                   delays(producer, consumer) || holdsUp(producer, consumer));
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

bool Groups::canJoin(unsigned producer, unsigned consumer) const {
  const Group &p = groups_[producer], &c = groups_[consumer];
  if (keepsMore(producer, consumer))
    return false;
  Group joined = combine(p, c);
  if (joined.space == GroupSpace::Contraction && asksForIndex(c))
    return false;
  return joined.space != GroupSpace::Other && readsAligned(p, c, joined) &&
         !readsTooMuch(p, c) && !pathOutside(producer, consumer);
}

/// Lowers the rank of `group`, and of all groups that it reads directly or
/// through others, to at most `rank`.
void Groups::lowerRank(unsigned group, unsigned rank) {
  SmallVector<unsigned> work = {group};
  while (!work.empty()) {
    unsigned next = work.pop_back_val();
    if (rank_[next] <= rank)
      continue;
    rank_[next] = rank;
    for (const Edge &edge : edges_[next])
      work.push_back(groupOfPart_[edge.part]);
  }
}

void Groups::join(unsigned producer, unsigned consumer) {
  Group &p = groups_[producer], &c = groups_[consumer];
  Group joined = combine(p, c);
  c.space = joined.space;
  c.shape = joined.shape;
  c.inner = joined.inner;
  // A contraction comes first. Other operands of the map on its result do not
  // read it, and it does not read them.
  SmallVector<Operation *> statements;
  if (joined.space == GroupSpace::Contraction)
    llvm::append_range(statements,
                       llvm::concat<Operation *>(p.statements, c.statements));
  else
    std::merge(
        p.statements.begin(), p.statements.end(), c.statements.begin(),
        c.statements.end(), std::back_inserter(statements),
        [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  c.statements = std::move(statements);
  for (Operation *statement : p.statements)
    groupOf_[statement] = consumer;
  p.statements.clear();
  lowerRank(consumer, rank_[producer]);
  for (unsigned part : parts_[producer])
    groupOfPart_[part] = consumer;
  llvm::append_range(parts_[consumer], parts_[producer]);
  llvm::append_range(edges_[consumer], edges_[producer]);
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
      for (const Read &read : readsOf(statement))
        producers.insert(groupOf_.lookup(read.source));
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
