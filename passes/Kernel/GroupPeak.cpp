// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes that joined groups keep alive at the peak of memory.
#include "passes/Kernel/GroupPeak.h"

#include "dialects/Kernel/Peak.h"

using namespace mlir;
using namespace mpc::kernel;

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

/// Whether joining would keep results alive across the peak that are larger
/// than their operands, or that come in addition to them.
bool GroupPeak::spansPeak(unsigned producer, unsigned consumer) const {
  const Group &p = groups_[producer], &c = groups_[consumer];
  if (peak_->isBeforeInBlock(p.statements.front()) ||
      !peak_->isBeforeInBlock(c.statements.back()))
    return false;
  return resultBytes(c) > resultBytes(p) || !isOnlyReader(producer, consumer);
}

/// Whether joining would keep operands waiting for a later value, where the
/// operands take more bytes than the result that would be kept instead.
bool GroupPeak::delays(unsigned producer, unsigned consumer) const {
  const Group &p = groups_[producer];
  if (p.space.kind != GroupSpace::Contraction)
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
  return p.space.kind == GroupSpace::Map && c.space.kind == GroupSpace::Rows &&
         p.space.shape != c.space.shape && !isOnlyReader(producer, consumer);
}

bool GroupPeak::keepsMore(unsigned producer, unsigned consumer) const {
  return spansPeak(producer, consumer) || delays(producer, consumer) ||
         holdsUp(producer, consumer);
}
