// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums up slabs by role, and the arena at its peak.
#include "runtime/Program/MemoryClasses.h"

#include <algorithm>

namespace mpc::rt {
namespace {

uint64_t &classOf(StateRole role, MemoryClasses &classes) {
  switch (role) {
  case StateRole::Parameter:
    return classes.weights;
  case StateRole::LowPrecision:
    return classes.weightCopies;
  case StateRole::Slot:
  case StateRole::Average:
    return classes.moments;
  case StateRole::Gradient:
  case StateRole::Buffer:
  case StateRole::LossScale:
  case StateRole::Optimizer:
  case StateRole::Hyperparameters:
  case StateRole::Setting:
  case StateRole::Pending:
    break;
  }
  return classes.otherState;
}

/// The role of a slab, which all its tensors share. A slab without tensors is
/// other state.
StateRole roleOf(const Program &program, size_t slab) {
  auto found = std::find_if(
      program.state.begin(), program.state.end(),
      [&](const StateTensor &tensor) { return tensor.slab == slab; });
  return found == program.state.end() ? StateRole::Buffer : found->role;
}

} // namespace

MemoryClasses classifyMemory(const Program &program, const Entry &entry,
                             const ArenaMap &map) {
  MemoryClasses classes;
  for (size_t i = 0; i < program.slabs.size(); ++i)
    classOf(roleOf(program, i), classes) += program.slabs[i].bytes;
  classes.activations = map.waitingBytes;
  classes.operands = map.lowerBound - map.waitingBytes;
  // A file states the arena's size, and a launch may reach beyond it.
  classes.gaps = std::max(entry.arenaBytes, map.lowerBound) - map.lowerBound;
  for (const Launch &launch : entry.launches)
    classes.scratch = std::max(classes.scratch, launch.command->scratchBytes());
  return classes;
}

} // namespace mpc::rt
