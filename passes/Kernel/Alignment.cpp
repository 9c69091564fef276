// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The alignments of kernels' arguments, and copies of views that are not
// aligned enough.
#include "passes/Kernel/Alignment.h"

#include <numeric>

using namespace mlir;
using namespace mpc::kernel;

/// The least number of bytes read through a view for which a copy pays. The
/// gain of wide accesses to fewer bytes is too small.
static constexpr int64_t kCostlyBytes = 1 << 20;

Alignments::Alignments(ModuleOp module)
    : symbols_(module), target_(getTarget(module)) {
  if (target_)
    buffers_ = target_.getBufferAlignment();
  if (buffers_ > 1)
    module.walk([&](LaunchOp launch) {
      ++numLaunches_[launch.getKernelAttr().getAttr()];
    });
  module.walk(
      [&](RepeatOp repeat) { bodies_.insert(repeat.getBodyAttr().getAttr()); });
}

/// The largest power of two that divides the address of `value`.
int64_t Alignments::alignmentOf(Value value,
                                const MemoryPlanner &planner) const {
  Allocation place = planner.place(value);
  // Each launch of a constant has a buffer of its own.
  if (place.buffer.kind == Buffer::Constant)
    return buffers_;
  int64_t offset = place.buffer.kind == Buffer::Arena
                       ? planner.arenaOffset(place)
                       : place.offset;
  int64_t alignment = std::gcd(buffers_, offset);
  func::FuncOp function = planner.function();
  if (!bodies_.contains(function.getSymNameAttr()) ||
      place.buffer.kind == Buffer::Arena)
    return alignment;
  // The entries of a stack follow each other without gaps.
  Type entry = place.buffer.kind == Buffer::Argument
                   ? function.getArgumentTypes()[place.buffer.index]
                   : function.getResultTypes()[place.buffer.index];
  return std::gcd(alignment, numBytes(entry));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Whether another place of `input` would allow the kernel wider accesses.
bool Alignments::narrows(LaunchOp launch, unsigned input,
                         const MemoryPlanner &planner) {
  auto kernel = symbols_.lookup<FuncOp>(launch.getKernel());
  int64_t alignment = alignmentOf(launch.getInputs()[input], planner);
  if (!kernel || !kernel.getSchedule() || alignment == buffers_)
    return false;
  auto [widest, isNew] = widest_.try_emplace({kernel, input}, 0);
  if (isNew) {
    // Assumes that all arguments are aligned; state() finds how they really
    // are.
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      kernel.setAlignment(i, buffers_);
    widest->second = target_.getAccessBytes(kernel, input);
  }
  return widest->second > alignment;
}

/// Whether `view` begins after the first element of its source, or is a view of
/// such a view. The result of another op has its own place.
static bool isPart(ViewOp view) {
  for (; view; view = view.getSource().getDefiningOp<ViewOp>())
    if (view.getOffset() != 0)
      return true;
  return false;
}

/// Copies the view by a pack of one part, which has a place of its own.
void Alignments::copy(ViewOp view, int64_t alignment,
                      ArrayRef<OpOperand *> uses) {
  OpBuilder builder(uses.front()->getOwner());
  auto copy = PackOp::create(builder, view.getLoc(), view.getType(),
                             view.getResult(), ArrayRef<int64_t>{0});
  for (OpOperand *use : uses)
    use->set(copy);
  view.emitRemark("these ")
      << numBytes(view.getType()) << " bytes begin at a multiple of "
      << alignment << ", which costs " << uses.size()
      << " launches their wide accesses: they read a copy";
}

/// Whether any tensor begins at no multiple of `alignment` inside of another
/// one. Without one, the planner is not asked.
static bool hasOddPlaces(func::FuncOp function, int64_t alignment) {
  auto isOdd = [&](int64_t offset, Type type) {
    return offset * elementBytes(type) % alignment != 0;
  };
  for (Operation &op : function.getBody().front()) {
    if (auto view = dyn_cast<ViewOp>(op))
      if (isOdd(static_cast<int64_t>(view.getOffset()), view.getType()))
        return true;
    if (auto pack = dyn_cast<PackOp>(op))
      for (int64_t offset : pack.getOffsets())
        if (isOdd(offset, pack.getType()))
          return true;
  }
  return false;
}

FailureOr<unsigned> Alignments::copyCostlyViews(func::FuncOp function) {
  if (buffers_ <= 1 || !hasOddPlaces(function, buffers_))
    return 0;
  MemoryPlanner planner(function);
  if (failed(planner.run()))
    return failure();
  struct Cost {
    int64_t bytes = 0;
    SmallVector<OpOperand *> uses;
  };
  llvm::MapVector<ViewOp, Cost> costs;
  for (auto launch : function.getBody().front().getOps<LaunchOp>())
    for (OpOperand &use : launch.getInputsMutable()) {
      auto view = use.get().getDefiningOp<ViewOp>();
      if (!view || !isPart(view) ||
          !narrows(launch, use.getOperandNumber(), planner))
        continue;
      Cost &cost = costs[view];
      // The least aligned launch of a kernel decides its accesses.
      cost.bytes += numBytes(view.getType()) *
                    numLaunches_.lookup(launch.getKernelAttr().getAttr());
      cost.uses.push_back(&use);
    }
  unsigned copies = 0;
  for (auto &[view, cost] : costs)
    if (cost.bytes > kCostlyBytes) {
      copy(view, alignmentOf(view, planner), cost.uses);
      ++copies;
    }
  return copies;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Alignments::add(LaunchOp launch, const MemoryPlanner &planner) {
  auto kernel = symbols_.lookup<FuncOp>(launch.getKernel());
  if (buffers_ <= 1 || !kernel)
    return;
  auto &least = least_[kernel];
  least.resize(kernel.getNumArguments(), buffers_);
  SmallVector<Value> operands(launch.getInputs());
  llvm::append_range(operands, launch.getResults());
  for (auto [known, operand] : llvm::zip(least, operands))
    known = std::min(known, alignmentOf(operand, planner));
}

void Alignments::state() {
  for (auto &[kernel, least] : least_)
    for (auto [argument, bytes] : llvm::enumerate(least))
      cast<FuncOp>(kernel).setAlignment(argument, bytes);
}
