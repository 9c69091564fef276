// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who reads whom among groups, and whether a path leads around two of them.
#include "passes/Kernel/GroupGraph.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mpc::kernel;

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

GroupGraph::GroupGraph(ArrayRef<Group> groups) {
  for (auto [number, group] : llvm::enumerate(groups))
    for (Operation *statement : group.statements)
      groupOf_[statement] = number;
  partOf_ = groupOf_;
  collectReads(groups);
  collectEdges(groups);
}

void GroupGraph::collectReads(ArrayRef<Group> groups) {
  for (const Group &group : groups)
    for (Operation *statement : group.statements)
      for (Value value : usedTensors(statement)) {
        llvm::SetVector<Operation *> sources;
        collectSources(value, groupOf_, sources);
        for (Operation *source : sources)
          reads_[statement].push_back(
              {source, source == value.getDefiningOp()});
      }
}

void GroupGraph::collectEdges(ArrayRef<Group> groups) {
  for (auto [part, group] : llvm::enumerate(groups)) {
    parts_.push_back({static_cast<unsigned>(part)});
    groupOfPart_.push_back(part);
    rank_.push_back(part);
    edgesOfPart_.emplace_back();
    for (Operation *statement : group.statements)
      for (const Read &read : readsOf(statement))
        edgesOfPart_.back().push_back(
            {groupOf_.lookup(read.source), read.isDirect});
  }
}

void GroupGraph::visitEdges(
    unsigned group, llvm::function_ref<void(const Edge &)> visit) const {
  for (unsigned part : parts_[group])
    llvm::for_each(edgesOfPart_[part], visit);
}

bool GroupGraph::pathOutside(unsigned producer, unsigned consumer) const {
  llvm::BitVector seen(parts_.size());
  SmallVector<unsigned> work;
  auto enter = [&](unsigned group) {
    visitEdges(group, [&](const Edge &edge) {
      unsigned next = groupOfPart_[edge.part];
      if (rank_[next] < rank_[producer])
        return;
      // The read would be inside of the joined kernel.
      if (group == consumer && edge.isDirect && next == producer)
        return;
      if (next == group || seen.test(next))
        return;
      seen.set(next);
      work.push_back(next);
    });
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

bool GroupGraph::reads(unsigned reader, unsigned source) const {
  llvm::BitVector seen(parts_.size());
  SmallVector<unsigned> work = {reader};
  while (!work.empty()) {
    unsigned group = work.pop_back_val();
    if (group == source)
      return true;
    visitEdges(group, [&](const Edge &edge) {
      unsigned next = groupOfPart_[edge.part];
      if (seen.test(next) || rank_[next] < rank_[source])
        return;
      seen.set(next);
      work.push_back(next);
    });
  }
  return false;
}

/// Lowers the rank of `group`, and of all groups that it reads directly or
/// through others, to at most `rank`.
void GroupGraph::lowerRank(unsigned group, unsigned rank) {
  SmallVector<unsigned> work = {group};
  while (!work.empty()) {
    unsigned next = work.pop_back_val();
    if (rank_[next] <= rank)
      continue;
    rank_[next] = rank;
    visitEdges(next, [&](const Edge &edge) {
      work.push_back(groupOfPart_[edge.part]);
    });
  }
}

void GroupGraph::join(unsigned producer, unsigned consumer,
                      ArrayRef<Operation *> moved) {
  for (Operation *statement : moved)
    groupOf_[statement] = consumer;
  lowerRank(consumer, rank_[producer]);
  for (unsigned part : parts_[producer])
    groupOfPart_[part] = consumer;
  llvm::append_range(parts_[consumer], parts_[producer]);
  parts_[producer].clear();
}

void GroupGraph::move(ArrayRef<Operation *> moved, unsigned source,
                      unsigned reader) {
  llvm::SmallSetVector<unsigned, 8> parts;
  for (Operation *statement : moved) {
    groupOf_[statement] = reader;
    parts.insert(partOf_.lookup(statement));
  }
  // What the parts read comes before the source, and that before the reader, so
  // that its rank remains right.
  for (unsigned part : parts) {
    groupOfPart_[part] = reader;
    llvm::erase(parts_[source], part);
    parts_[reader].push_back(part);
  }
  // Others that read the parts now read the reader.
  for (unsigned group = 0; group < parts_.size(); ++group)
    visitEdges(group, [&](const Edge &edge) {
      if (group != reader && groupOfPart_[edge.part] == reader)
        lowerRank(reader, rank_[group]);
    });
}
