// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places of tensors: requested, tied to state, packed, or in the arena; and
// their lifetimes.
#include "passes/Kernel/MemoryPlanner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mpc;
using namespace mpc::kernel;

int64_t mpc::kernel::elementBytes(Type tensorType) {
  Type type = cast<ShapedType>(tensorType).getElementType();
  return std::max<int64_t>(type.getIntOrFloatBitWidth() / 8, 1);
}

int64_t mpc::kernel::numBytes(Type tensorType) {
  return cast<ShapedType>(tensorType).getNumElements() *
         elementBytes(tensorType);
}

LogicalResult MemoryPlanner::run() {
  placeResults();
  for (Operation &op : function_.getBody().front())
    if (failed(placeOperation(&op)))
      return failure();
  findLifetimes();
  orderCopies();
  size_ = layOut(arena_);
  return success();
}

Allocation MemoryPlanner::place(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return {{Buffer::Argument, argument.getArgNumber(), {}}, 0};
  return places_.lookup(value);
}

int64_t MemoryPlanner::arenaOffset(const Allocation &place) const {
  return arena_[place.buffer.index].offset + place.offset;
}

ArrayRef<std::pair<PackOp, unsigned>> MemoryPlanner::copiedParts() const {
  return partCopies_;
}

bool MemoryPlanner::mayWrite(const Allocation &place) {
  if (place.buffer.kind != Buffer::Argument)
    return place.buffer.kind != Buffer::Constant;
  return llvm::any_of(
      llvm::seq(function_.getNumResults()), [&](unsigned index) {
        return getTiedArgument(function_, index) == place.buffer.index;
      });
}

void MemoryPlanner::placeResults() {
  Operation *terminator = function_.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    Allocation target{{Buffer::Result, static_cast<unsigned>(index), {}}, 0};
    if (std::optional<unsigned> argument = getTiedArgument(function_, index)) {
      if (value == function_.getArgument(*argument))
        continue;
      target.buffer = {Buffer::Argument, *argument, {}};
      BlockArgument old = function_.getArgument(*argument);
      if (isReadAfterWrite(old, value)) {
        finalCopies_.push_back({value, target});
        continue;
      }
      if (findDestination(value) == old)
        continue; // A value that is updated in place is in its place already.
    }
    if (!request(value, target))
      finalCopies_.push_back({value, target});
  }
}

Value MemoryPlanner::findDestination(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto view = dyn_cast<ViewOp>(op);
        view &&
        numBytes(view.getSource().getType()) == numBytes(view.getType()))
      value = view.getSource();
    else if (auto launch = dyn_cast<LaunchOp>(op))
      value = launch.getOutputs()[cast<OpResult>(value).getResultNumber()];
    else
      break;
  }
  return value;
}

bool MemoryPlanner::request(Value value, const Allocation &target) {
  if (places_.contains(value) || requested_.contains(value))
    return false;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto view = dyn_cast<ViewOp>(op)) {
    if (numBytes(view.getSource().getType()) != numBytes(view.getType()))
      return false;
    return request(view.getSource(), target);
  }
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    Value destination = launch.getOutputs()[index];
    if (!destination.getDefiningOp<tensor::EmptyOp>())
      // A value that is still read then is copied, and the copy is updated.
      return !isReadAfterWrite(destination, value) &&
             request(destination, target);
    requested_[value] = target;
    return true;
  }
  if (isa<PackOp, RepeatOp, CollectiveOp>(op)) {
    requested_[value] = target;
    return true;
  }
  return false;
}

LogicalResult MemoryPlanner::placeOperation(Operation *op) {
  if (auto view = dyn_cast<ViewOp>(op)) {
    Allocation source = place(view.getSource());
    source.offset +=
        static_cast<int64_t>(view.getOffset()) * elementBytes(view.getType());
    places_[view.getResult()] = source;
  } else if (auto launch = dyn_cast<LaunchOp>(op)) {
    placeLaunch(launch);
  } else if (auto pack = dyn_cast<PackOp>(op)) {
    placePack(pack);
  } else if (auto repeat = dyn_cast<RepeatOp>(op)) {
    return placeRepeat(repeat);
  } else if (auto collective = dyn_cast<CollectiveOp>(op)) {
    for (Value result : collective.getResults())
      places_[result] = choosePlace(result);
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto elements = dyn_cast<ElementsAttr>(constant.getValue()))
      places_[constant] = {{Buffer::Constant, 0, elements}, 0};
  } else if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    // A tensor without elements needs no writer.
    if (empty.getType().getNumElements() == 0)
      places_[empty] = allocateInArena(empty.getType());
  } else if (!op->hasTrait<OpTrait::IsTerminator>()) {
    return op->emitOpError("cannot be planned: it is neither a kernel launch, "
                           "a loop of them, a collective, a view, a pack nor a "
                           "constant");
  }
  return success();
}

/// A piece that nothing has used yet.
static ArenaPiece unusedPiece(int64_t offset, int64_t bytes) {
  return {offset, bytes, std::numeric_limits<int64_t>::max(), -1};
}

Allocation MemoryPlanner::allocateInArena(Type type) {
  ArenaBuffer buffer;
  buffer.bytes = std::max<int64_t>(numBytes(type), 1);
  buffer.pieces.push_back(unusedPiece(0, buffer.bytes));
  arena_.push_back(buffer);
  return {{Buffer::Arena, static_cast<unsigned>(arena_.size() - 1), {}}, 0};
}

PackOp MemoryPlanner::packOf(Value value, unsigned &part) {
  for (OpOperand &use : value.getUses())
    if (auto pack = dyn_cast<PackOp>(use.getOwner())) {
      part = use.getOperandNumber();
      return pack;
    }
    // A view of all elements has the same memory as the value.
    else if (auto view = dyn_cast<ViewOp>(use.getOwner()))
      if (numBytes(view.getType()) == numBytes(value.getType()))
        if (PackOp pack = packOf(view, part))
          return pack;
  return {};
}

Allocation MemoryPlanner::packPlace(PackOp pack) {
  auto it = packPlaces_.find(pack);
  if (it != packPlaces_.end())
    return it->second;
  auto wanted = requested_.find(pack.getResult());
  Allocation place = wanted != requested_.end()
                         ? wanted->second
                         : allocateInArena(pack.getResult().getType());
  packPlaces_[pack] = place;
  if (place.buffer.kind == Buffer::Arena)
    cutIntoPieces(pack);
  return place;
}

void MemoryPlanner::cutIntoPieces(PackOp pack) {
  const Allocation &place = packPlaces_[pack];
  ArenaBuffer &buffer = arena_[place.buffer.index];
  if (place.offset != 0 || buffer.pieces.size() != 1)
    return;
  buffer.pieces.clear();
  int64_t bytes = elementBytes(pack.getResult().getType()), end = 0;
  auto cut = [&](int64_t to) {
    if (end < to)
      buffer.pieces.push_back(unusedPiece(end, to - end));
    end = std::max(end, to);
  };
  for (auto [start, part] : llvm::zip(pack.getOffsets(), pack.getParts())) {
    cut(start * bytes);
    cut(start * bytes + numBytes(part.getType()));
  }
  cut(buffer.bytes);
}

void MemoryPlanner::placeLaunch(LaunchOp launch) {
  for (auto [result, destination] :
       llvm::zip(launch.getResults(), launch.getOutputs())) {
    if (!destination.getDefiningOp<tensor::EmptyOp>()) {
      if (mayWrite(place(destination)) &&
          !isReadAfterWrite(destination, result)) {
        places_[result] = place(destination);
        continue;
      }
      // The old content is still needed, so that the update works on a copy.
      places_[result] = allocateInArena(result.getType());
      initialCopies_.push_back({launch, destination, places_[result]});
      continue;
    }
    Allocation place = choosePlace(result);
    places_[result] = place;
    places_[destination] = place;
  }
}

Allocation MemoryPlanner::choosePlace(Value value) {
  if (auto it = requested_.find(value); it != requested_.end())
    return it->second;
  unsigned part = 0;
  PackOp pack = packOf(value, part);
  if (!pack)
    return allocateInArena(value.getType());
  Allocation place = packPlace(pack);
  place.offset += pack.getOffsets()[part] * elementBytes(value.getType());
  return place;
}

/// The body is planned before those who repeat it.
LogicalResult MemoryPlanner::placeRepeat(RepeatOp repeat) {
  auto body = symbols_.lookupNearestSymbolFrom<func::FuncOp>(
      repeat, repeat.getBodyAttr());
  if (!body || body.getNumArguments() == 0 ||
      !isa<MemRefType>(body.getArgumentTypes()[0]))
    return repeat.emitOpError("repeats a function that is not planned");
  for (Value result : repeat.getResults())
    places_[result] = choosePlace(result);
  auto arena = cast<MemRefType>(body.getArgumentTypes()[0]);
  bodies_[repeat] = allocateInArena(arena);
  return success();
}

void MemoryPlanner::placePack(PackOp pack) {
  Allocation place = packPlace(pack);
  places_[pack.getResult()] = place;
  for (auto [index, part] : llvm::enumerate(pack.getParts())) {
    Allocation wanted = place;
    wanted.offset += pack.getOffsets()[index] * elementBytes(part.getType());
    Allocation actual = this->place(part);
    if (actual.buffer.kind != wanted.buffer.kind ||
        actual.buffer.index != wanted.buffer.index ||
        actual.offset != wanted.offset)
      partCopies_.push_back({pack, static_cast<unsigned>(index)});
  }
}

void MemoryPlanner::findLifetimes() {
  auto touch = [&](Value value, int64_t time) {
    auto it = places_.find(value);
    if (it == places_.end() || it->second.buffer.kind != Buffer::Arena)
      return;
    Range range{it->second.offset, numBytes(value.getType())};
    for (ArenaPiece &piece : arena_[it->second.buffer.index].pieces)
      if (range.bytes == 0 || range.overlaps({piece.offset, piece.bytes})) {
        piece.first = std::min(piece.first, time);
        piece.last = std::max(piece.last, time);
      }
  };
  for (Operation &op : function_.getBody().front()) {
    if (isa<tensor::EmptyOp>(op))
      continue; // An empty tensor is memory that nothing has written yet.
    int64_t time = order_.lookup(&op);
    for (Value operand : op.getOperands())
      touch(operand, time);
    for (Value result : op.getResults())
      touch(result, time);
    if (auto repeat = dyn_cast<RepeatOp>(op)) {
      const Allocation &body = bodies_.at(repeat);
      ArenaPiece &piece = arena_[body.buffer.index].pieces.front();
      piece.first = piece.last = time;
    }
  }
}

void MemoryPlanner::findWrites(Value value, int64_t offset, Value old,
                               SmallVectorImpl<Write> &writes) {
  if (value == old)
    return;
  Operation *op = value.getDefiningOp();
  if (auto launch = dyn_cast_or_null<LaunchOp>(op)) {
    unsigned result = cast<OpResult>(value).getResultNumber();
    writes.push_back({op, result, {offset, numBytes(value.getType())}});
    // The memory of a value that is updated in place was written by an earlier
    // op.
    findWrites(launch.getOutputs()[result], offset, old, writes);
  } else if (auto view = dyn_cast_or_null<ViewOp>(op)) {
    findWrites(view.getSource(), offset - byteOffset(view), old, writes);
  } else if (auto pack = dyn_cast_or_null<PackOp>(op)) {
    findPackWrites(pack, offset, old, writes);
  } else if (isa_and_nonnull<RepeatOp, CollectiveOp>(op)) {
    writes.push_back({op,
                      cast<OpResult>(value).getResultNumber(),
                      {offset, numBytes(value.getType())}});
  }
}

void MemoryPlanner::findPackWrites(PackOp pack, int64_t offset, Value old,
                                   SmallVectorImpl<Write> &writes) {
  int64_t bytes = elementBytes(pack.getResult().getType());
  int64_t last = numBytes(pack.getResult().getType()), end = 0;
  auto write = [&](int64_t from, int64_t to) {
    if (from < to)
      writes.push_back({pack, 0, {offset + from, to - from}});
  };
  for (auto [start, part] : llvm::zip(pack.getOffsets(), pack.getParts())) {
    int64_t begin = start * bytes;
    write(end, begin);
    end = begin + numBytes(part.getType());
    size_t known = writes.size();
    findWrites(part, offset + begin, old, writes);
    if (writes.size() == known && !liesAt(part, offset + begin, old))
      write(begin, end);
  }
  write(end, last);
}

int64_t MemoryPlanner::byteOffset(ViewOp view) {
  return static_cast<int64_t>(view.getOffset()) * elementBytes(view.getType());
}

bool MemoryPlanner::liesAt(Value value, int64_t offset, Value old) {
  while (auto view = value.getDefiningOp<ViewOp>()) {
    offset -= byteOffset(view);
    value = view.getSource();
  }
  return value == old && offset == 0;
}

bool MemoryPlanner::isReadAfterWrite(Value old, Value value) {
  int64_t start = 0;
  // Other ops may read the same memory through another view.
  for (; auto view = old.getDefiningOp<ViewOp>(); old = view.getSource())
    start += byteOffset(view);
  SmallVector<Write> writes;
  findWrites(value, start, old, writes);
  if (writes.empty())
    return true;
  SmallVector<std::pair<Value, int64_t>> work{{old, 0}};
  while (!work.empty()) {
    auto [read, offset] = work.pop_back_val();
    Range range{offset, numBytes(read.getType())};
    for (OpOperand &use : read.getUses()) {
      if (auto view = dyn_cast<ViewOp>(use.getOwner()))
        work.push_back({view.getResult(), offset + byteOffset(view)});
      else if (llvm::any_of(writes, [&](const Write &write) {
                 return write.range.overlaps(range) &&
                        comesTooLate(use, range, write);
               }))
        return true;
    }
  }
  return false;
}

bool MemoryPlanner::comesTooLate(OpOperand &use, const Range &range,
                                 const Write &write) {
  Operation *user = use.getOwner();
  if (user != write.op)
    return order_.lookup(user) > order_.lookup(write.op);
  auto launch = dyn_cast<LaunchOp>(user);
  if (!launch || range.offset != write.range.offset)
    return true;
  // A destination does not count as read by the op that writes it.
  return use.getOperandNumber() < launch.getInputs().size() &&
         !mayAlias(launch, use.getOperandNumber(), write.result);
}

bool MemoryPlanner::mayAlias(LaunchOp launch, unsigned input, unsigned result) {
  auto kernel =
      symbols_.lookupNearestSymbolFrom<FuncOp>(launch, launch.getKernelAttr());
  return kernel.mayAlias(input, result);
}

void MemoryPlanner::orderCopies() {
  SmallVector<FinalCopy> toOutputs, toState;
  for (const FinalCopy &copy : finalCopies_)
    (copy.target.buffer.kind == Buffer::Argument ? toState : toOutputs)
        .push_back(copy);
  int64_t end = order_.lookup(function_.getBody().front().getTerminator());
  for (FinalCopy &copy : toState) {
    if (place(copy.value).buffer.kind != Buffer::Argument)
      continue;
    copy.staging = allocateInArena(copy.value.getType());
    ArenaPiece &piece = arena_[copy.staging->buffer.index].pieces.front();
    piece.first = piece.last = end;
  }
  finalCopies_ = std::move(toOutputs);
  llvm::append_range(finalCopies_, toState);
}
