// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives wider copies of a tensor to the kernels that read them.
#include "passes/Kernel/RepeatWidenings.h"

#include "passes/Kernel/FoldWidenings.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mpc::kernel;

namespace {

/// A wider copy of a tensor that one group computes.
class CopyRepeater {
public:
  CopyRepeater(MutableArrayRef<Group> groups, const GroupGraph &graph,
               const GroupJoiner &joiner, unsigned source, Operation *copy)
      : groups_(groups), graph_(graph), joiner_(joiner), source_(source),
        copy_(copy) {}

  void run();

private:
  /// Who uses the copy beside its own group.
  struct Readers {
    llvm::SetVector<unsigned> groups;
    bool hasOwn = false; ///< Whether its own group does, too.
  };

  std::optional<Readers> findReaders() const;
  std::optional<Group> withCopy(const Group &reader) const;
  std::optional<Group> withoutCopy(const Group &source) const;

  MutableArrayRef<Group> groups_;
  const GroupGraph &graph_;
  const GroupJoiner &joiner_;
  unsigned source_;
  Operation *copy_;
};

} // namespace

/// Empty where something that is in no group reads the copy, or a copy that is
/// wider still, which may be of several groups itself.
std::optional<CopyRepeater::Readers> CopyRepeater::findReaders() const {
  Readers readers;
  for (Operation *user : copy_->getUsers()) {
    std::optional<unsigned> group = graph_.groupOf(user);
    if (!group || isWidening(user))
      return std::nullopt;
    if (*group == source_)
      readers.hasOwn = true;
    else
      readers.groups.insert(*group);
  }
  return readers;
}

/// `reader` with the copy as a statement of its own; empty where that would be
/// no kernel, or one of another kind.
std::optional<Group> CopyRepeater::withCopy(const Group &reader) const {
  Group joined;
  SmallVector<Operation *> alone = {copy_};
  if (!joiner_.tryJoin({alone, joiner_.stagesOf(alone)}, reader, joined)
           .empty() ||
      joined.getKind() != reader.getKind())
    return std::nullopt;
  return joined;
}

std::optional<Group> CopyRepeater::withoutCopy(const Group &source) const {
  Group rest;
  for (Operation *statement : source.statements)
    if (statement != copy_)
      rest.statements.push_back(statement);
  if (rest.statements.empty())
    return rest;
  rest.stages = joiner_.stagesOf(rest.statements);
  if (!rest.stages || rest.getKind() != source.getKind())
    return std::nullopt;
  return rest;
}

void CopyRepeater::run() {
  std::optional<Readers> readers = findReaders();
  if (!readers || readers->groups.empty())
    return;
  SmallVector<Group> joined;
  for (unsigned reader : readers->groups) {
    std::optional<Group> group = withCopy(groups_[reader]);
    if (!group)
      return;
    joined.push_back(std::move(*group));
  }
  if (!readers->hasOwn) {
    std::optional<Group> rest = withoutCopy(groups_[source_]);
    if (!rest)
      return;
    groups_[source_] = std::move(*rest);
  }
  for (auto [reader, group] : llvm::zip(readers->groups, joined))
    groups_[reader] = std::move(group);
}

void mpc::kernel::repeatWidenings(MutableArrayRef<Group> groups,
                                  const GroupGraph &graph,
                                  const GroupJoiner &joiner) {
  for (unsigned source = 0; source < groups.size(); ++source)
    for (Operation *statement :
         SmallVector<Operation *>(groups[source].statements))
      if (graph.groupOf(statement) == source && isWidening(statement))
        CopyRepeater(groups, graph, joiner, source, statement).run();
}
