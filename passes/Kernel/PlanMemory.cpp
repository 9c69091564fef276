// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-plan-memory: gives every tensor a place in one arena.
#include "passes/Kernel/Passes.h"

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Kernel/ArenaLayout.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc;
using namespace mpc::kernel;

/// Bytes of an element in memory; i1 takes one.
static int64_t elementBytes(Type tensorType) {
  Type type = cast<ShapedType>(tensorType).getElementType();
  return std::max<int64_t>(type.getIntOrFloatBitWidth() / 8, 1);
}

static int64_t numBytes(Type tensorType) {
  return cast<ShapedType>(tensorType).getNumElements() *
         elementBytes(tensorType);
}

namespace {

/// A range of memory that values lie in: part of the arena, an argument of the
/// function, one of its results' destinations, or a constant.
struct Buffer {
  enum Kind { Arena, Argument, Result, Constant } kind = Arena;
  unsigned index = 0;    ///< Argument, result or arena buffer.
  ElementsAttr constant; ///< For Constant.
};

/// Where a value lies.
struct Place {
  Buffer buffer;
  int64_t offset = 0; ///< Bytes.
};

/// A copy that puts `value` where it has to be; after all launches.
struct FinalCopy {
  Value value;
  Place target;
};

/// Decides where every tensor of one function lies.
class Planner {
public:
  explicit Planner(func::FuncOp function) : function(function) {
    for (Operation &op : function.getBody().front())
      order[&op] = order.size();
  }

  LogicalResult run() {
    placeResults();
    for (Operation &op : function.getBody().front())
      if (failed(placeOperation(&op)))
        return failure();
    findLifetimes();
    size = layOut(arena);
    return success();
  }

  Place place(Value value) const {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return {{Buffer::Argument, argument.getArgNumber(), {}}, 0};
    return places.lookup(value);
  }
  int64_t arenaSize() const { return size; }
  int64_t arenaOffset(const Place &place) const {
    return arena[place.buffer.index].offset + place.offset;
  }
  ArrayRef<FinalCopy> copies() const { return finalCopies; }
  /// What must be copied before a launch that updates in place.
  struct InitialCopy {
    LaunchOp launch;
    Value from;
    Place to;
  };
  ArrayRef<InitialCopy> copiesBefore() const { return initialCopies; }
  /// A part of a pack that lies elsewhere, and is copied where the pack is.
  ArrayRef<std::pair<PackOp, unsigned>> copiedParts() const {
    return partCopies;
  }

private:
  /// The argument that result `index` is tied to: the same slab.
  std::optional<unsigned> tiedArgument(unsigned index) {
    Attribute slab = function.getResultAttr(index, "amp.slab");
    if (!slab)
      return std::nullopt;
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      if (function.getArgAttr(i, "amp.slab") == slab)
        return i;
    return std::nullopt;
  }

  void placeResults() {
    Operation *terminator = function.getBody().front().getTerminator();
    for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
      Place target{{Buffer::Result, static_cast<unsigned>(index), {}}, 0};
      if (std::optional<unsigned> argument = tiedArgument(index)) {
        if (value == function.getArgument(*argument))
          continue;
        target.buffer = {Buffer::Argument, *argument, {}};
        BlockArgument old = function.getArgument(*argument);
        if (isReadAfterWrite(old, value)) {
          finalCopies.push_back({value, target});
          continue;
        }
        if (findDestination(value) == old)
          continue; // Updated in place as it is written.
      }
      if (!request(value, target))
        finalCopies.push_back({value, target});
    }
  }

  /// The value that `value` is made over: through views and launches that
  /// update in place.
  static Value findDestination(Value value) {
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

  /// Asks that `value` be made at `target`. False where it already has
  /// another place.
  bool request(Value value, const Place &target) {
    if (places.contains(value) || requested.contains(value))
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
        return request(destination, target);
      requested[value] = target;
      return true;
    }
    if (isa<PackOp>(op)) {
      requested[value] = target;
      return true;
    }
    return false;
  }

  LogicalResult placeOperation(Operation *op) {
    if (auto view = dyn_cast<ViewOp>(op)) {
      Place source = place(view.getSource());
      source.offset +=
          static_cast<int64_t>(view.getOffset()) * elementBytes(view.getType());
      places[view.getResult()] = source;
    } else if (auto launch = dyn_cast<LaunchOp>(op)) {
      placeLaunch(launch);
    } else if (auto pack = dyn_cast<PackOp>(op)) {
      placePack(pack);
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto elements = dyn_cast<ElementsAttr>(constant.getValue()))
        places[constant] = {{Buffer::Constant, 0, elements}, 0};
    } else if (!isa<tensor::EmptyOp>(op) &&
               !op->hasTrait<OpTrait::IsTerminator>()) {
      return op->emitOpError("cannot be planned: it is no kernel launch, view, "
                             "pack or constant");
    }
    return success();
  }

  Place newArenaPlace(Type type) {
    ArenaBuffer buffer;
    buffer.bytes = std::max<int64_t>(numBytes(type), 1);
    buffer.first = std::numeric_limits<int64_t>::max();
    buffer.last = -1;
    arena.push_back(buffer);
    return {{Buffer::Arena, static_cast<unsigned>(arena.size() - 1), {}}, 0};
  }

  /// The pack that `value`, used once, is a part of.
  static PackOp packOf(Value value, unsigned &part) {
    for (OpOperand &use : value.getUses())
      if (auto pack = dyn_cast<PackOp>(use.getOwner())) {
        part = use.getOperandNumber();
        return pack;
      }
      // A view of the whole is as good as the value.
      else if (auto view = dyn_cast<ViewOp>(use.getOwner()))
        if (numBytes(view.getType()) == numBytes(value.getType()))
          if (PackOp pack = packOf(view, part))
            return pack;
    return {};
  }

  /// The pack's own place, made at its first part.
  Place packPlace(PackOp pack) {
    auto it = packPlaces.find(pack);
    if (it != packPlaces.end())
      return it->second;
    auto wanted = requested.find(pack.getResult());
    Place place = wanted != requested.end()
                      ? wanted->second
                      : newArenaPlace(pack.getResult().getType());
    packPlaces[pack] = place;
    return place;
  }

  void placeLaunch(LaunchOp launch) {
    for (auto [result, destination] :
         llvm::zip(launch.getResults(), launch.getOutputs())) {
      if (!destination.getDefiningOp<tensor::EmptyOp>()) {
        if (!isReadAfterWrite(destination, result)) {
          places[result] = place(destination);
          continue;
        }
        // The old content is still needed: work on a copy of it.
        places[result] = newArenaPlace(result.getType());
        initialCopies.push_back({launch, destination, places[result]});
        continue;
      }
      Place place;
      unsigned part = 0;
      if (auto it = requested.find(result); it != requested.end()) {
        place = it->second;
      } else if (PackOp pack = packOf(result, part)) {
        place = packPlace(pack);
        place.offset +=
            pack.getOffsets()[part] * elementBytes(result.getType());
      } else {
        place = newArenaPlace(result.getType());
      }
      places[result] = place;
      places[destination] = place;
    }
  }

  void placePack(PackOp pack) {
    Place place = packPlace(pack);
    places[pack.getResult()] = place;
    for (auto [index, part] : llvm::enumerate(pack.getParts())) {
      Place wanted = place;
      wanted.offset += pack.getOffsets()[index] * elementBytes(part.getType());
      Place actual = this->place(part);
      if (actual.buffer.kind != wanted.buffer.kind ||
          actual.buffer.index != wanted.buffer.index ||
          actual.offset != wanted.offset)
        partCopies.push_back({pack, static_cast<unsigned>(index)});
    }
  }

  /// Every op that uses the memory of an arena buffer is in its lifetime.
  void findLifetimes() {
    auto touch = [&](Value value, int64_t time) {
      auto it = places.find(value);
      if (it == places.end() || it->second.buffer.kind != Buffer::Arena)
        return;
      ArenaBuffer &buffer = arena[it->second.buffer.index];
      buffer.first = std::min(buffer.first, time);
      buffer.last = std::max(buffer.last, time);
    };
    for (Operation &op : function.getBody().front()) {
      if (isa<tensor::EmptyOp>(op))
        continue; // A name for memory that nothing has touched yet.
      int64_t time = order.lookup(&op);
      for (Value operand : op.getOperands())
        touch(operand, time);
      for (Value result : op.getResults())
        touch(result, time);
    }
  }

  /// The launches that write the memory which `value` would have if it were
  /// made in place.
  void findWriters(Value value, SmallVectorImpl<LaunchOp> &writers) {
    Operation *op = value.getDefiningOp();
    if (auto launch = dyn_cast_or_null<LaunchOp>(op))
      writers.push_back(launch);
    else if (isa_and_nonnull<ViewOp, PackOp>(op))
      for (Value operand : op->getOperands())
        findWriters(operand, writers);
  }

  /// Whether `old` is read by a launch after one that writes `value`, or by the
  /// writer itself other than element by element.
  bool isReadAfterWrite(Value old, Value value) {
    SmallVector<LaunchOp> writers;
    findWriters(value, writers);
    if (writers.empty())
      return true;
    int64_t firstWrite = std::numeric_limits<int64_t>::max();
    for (LaunchOp writer : writers)
      firstWrite = std::min<int64_t>(firstWrite, order.lookup(writer));
    SmallVector<Value> work{old};
    while (!work.empty()) {
      Value read = work.pop_back_val();
      for (OpOperand &use : read.getUses()) {
        Operation *user = use.getOwner();
        if (isa<ViewOp>(user)) {
          work.push_back(user->getResult(0));
        } else if (user == value.getDefiningOp() && isa<PackOp>(user)) {
          continue; // A part that stays as it is, in its own place.
        } else if (order.lookup(user) > firstWrite) {
          return true;
        } else if (order.lookup(user) == firstWrite &&
                   use.getOperandNumber() <
                       cast<LaunchOp>(user).getInputs().size() &&
                   !isElementwise(cast<LaunchOp>(user),
                                  use.getOperandNumber())) {
          return true;
        }
      }
    }
    return false;
  }

  /// Whether the kernel may write over operand `index`: it reads it element by
  /// element, in ops that come before or are the first that writes a result,
  /// so that each element is read before it is written.
  bool isElementwise(LaunchOp launch, unsigned index) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<FuncOp>(
        launch, launch.getKernelAttr());
    Operation *firstWrite = nullptr;
    for (Value returned : kernel.getReturn().getValues()) {
      Operation *op = returned.getDefiningOp();
      if (op && (!firstWrite || op->isBeforeInBlock(firstWrite)))
        firstWrite = op;
    }
    for (OpOperand &use : kernel.getArgument(index).getUses()) {
      auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
      if (!generic || generic.getNumReductionLoops() != 0 ||
          (firstWrite && firstWrite->isBeforeInBlock(generic)))
        return false;
      // An op without loops reads all that it reads before it writes.
      if (generic.getNumLoops() == 0)
        continue;
      if (!generic.getMatchingIndexingMap(&use).isIdentity())
        return false;
      for (AffineMap map : llvm::drop_begin(generic.getIndexingMapsArray(),
                                            generic.getNumDpsInputs()))
        if (!map.isIdentity())
          return false;
    }
    return true;
  }

  func::FuncOp function;
  DenseMap<Operation *, int64_t> order;
  DenseMap<Value, Place> places, requested;
  DenseMap<Operation *, Place> packPlaces;
  SmallVector<ArenaBuffer> arena;
  SmallVector<FinalCopy> finalCopies;
  SmallVector<InitialCopy> initialCopies;
  SmallVector<std::pair<PackOp, unsigned>> partCopies;
  int64_t size = 0;
};

/// Rewrites a planned function on memory.
class MemoryRewriter {
public:
  MemoryRewriter(func::FuncOp function, const Planner &planner)
      : function(function), planner(planner),
        builder(OpBuilder::atBlockBegin(&function.getBody().front())) {}

  /// Returns how many copies were inserted.
  unsigned run() {
    addArguments();
    for (Operation &op : llvm::make_early_inc_range(*block))
      rewrite(&op);
    return copies;
  }

private:
  static MemRefType bytesType(OpBuilder &b, int64_t bytes) {
    return MemRefType::get({std::max<int64_t>(bytes, 1)}, b.getI8Type());
  }

  /// (arena, the old arguments, one destination an untied result)
  void addArguments() {
    block = &function.getBody().front();
    unsigned numOld = block->getNumArguments();
    SmallVector<Type> types{bytesType(builder, planner.arenaSize())};
    SmallVector<DictionaryAttr> attributes{
        builder.getDictionaryAttr(attribute("kernel.arena"))};
    for (unsigned i = 0; i < numOld; ++i) {
      Type type = block->getArgument(i).getType();
      types.push_back(bytesType(builder, numBytes(type)));
      NamedAttrList list(function.getArgAttrDict(i));
      list.set("kernel.type", TypeAttr::get(type));
      attributes.push_back(list.getDictionary(builder.getContext()));
    }
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i) {
      if (function.getResultAttr(i, "amp.slab"))
        continue;
      resultArgument[i] = types.size();
      Type type = function.getResultTypes()[i];
      types.push_back(bytesType(builder, numBytes(type)));
      NamedAttrList list(function.getResultAttrDict(i));
      list.set("kernel.type", TypeAttr::get(type));
      list.set("kernel.output", builder.getUnitAttr());
      attributes.push_back(list.getDictionary(builder.getContext()));
    }
    for (Type type : types)
      memory.push_back(block->addArgument(type, function.getLoc()));
    numOldArguments = numOld;
    newTypes = std::move(types);
    newAttributes = std::move(attributes);
  }

  NamedAttribute attribute(StringRef name) {
    return builder.getNamedAttr(name, builder.getUnitAttr());
  }

  /// `place` as a memref of the shape of `tensorType`.
  Value view(const Place &place, Type tensorType) {
    auto type = cast<RankedTensorType>(tensorType);
    auto memref = MemRefType::get(type.getShape(), type.getElementType());
    if (place.buffer.kind == Buffer::Constant)
      return constant(place.buffer.constant, memref);
    Value base = memory[0];
    int64_t offset = place.offset;
    if (place.buffer.kind == Buffer::Arena)
      offset = planner.arenaOffset(place);
    else if (place.buffer.kind == Buffer::Argument)
      base = memory[1 + place.buffer.index];
    else
      base = memory[resultArgument.lookup(place.buffer.index)];
    Value shift =
        arith::ConstantIndexOp::create(builder, function.getLoc(), offset);
    return memref::ViewOp::create(builder, function.getLoc(), memref, base,
                                  shift, ValueRange());
  }

  Value constant(ElementsAttr elements, MemRefType type) {
    auto module = function->getParentOfType<ModuleOp>();
    if (auto dense = dyn_cast<DenseElementsAttr>(elements))
      elements = dense.reshape(
          RankedTensorType::get(type.getShape(), type.getElementType()));
    for (auto global : module.getOps<memref::GlobalOp>())
      if (global.getInitialValue() == elements && global.getType() == type)
        return memref::GetGlobalOp::create(builder, function.getLoc(), type,
                                           global.getName());
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    std::string name;
    unsigned number = 0;
    do
      name = "constant_" + std::to_string(number++);
    while (module.lookupSymbol(name));
    memref::GlobalOp::create(top, function.getLoc(), name,
                             top.getStringAttr("private"), type, elements,
                             /*constant=*/true, IntegerAttr());
    return memref::GetGlobalOp::create(builder, function.getLoc(), type, name);
  }

  void rewrite(Operation *op) {
    builder.setInsertionPoint(op);
    if (auto launch = dyn_cast<LaunchOp>(op))
      return rewriteLaunch(launch);
    if (auto pack = dyn_cast<PackOp>(op))
      return rewritePack(pack);
    if (op->hasTrait<OpTrait::IsTerminator>())
      return finish(op);
  }

  void rewriteLaunch(LaunchOp launch) {
    for (const Planner::InitialCopy &initial : planner.copiesBefore())
      if (initial.launch == launch)
        copy(planner.place(initial.from), initial.to, initial.from.getType());
    SmallVector<Value> inputs, outputs;
    for (Value input : launch.getInputs())
      inputs.push_back(view(planner.place(input), input.getType()));
    for (Value result : launch.getResults())
      outputs.push_back(view(planner.place(result), result.getType()));
    LaunchOp::create(builder, launch.getLoc(), TypeRange(),
                     launch.getKernelAttr(), inputs, outputs);
  }

  void copy(const Place &from, const Place &to, Type type) {
    memref::CopyOp::create(builder, function.getLoc(), view(from, type),
                           view(to, type));
    ++copies;
  }

  /// Parts are in place already, or copied; what lies between them is zeroed.
  void rewritePack(PackOp pack) {
    Place place = planner.place(pack.getResult());
    int64_t bytes = elementBytes(pack.getResult().getType()), end = 0;
    auto zero = [&](int64_t from, int64_t to) {
      if (from >= to)
        return;
      Place gap = place;
      gap.offset += from * bytes;
      auto type =
          RankedTensorType::get({(to - from) * bytes}, builder.getI8Type());
      Value value = arith::ConstantIntOp::create(builder, pack.getLoc(), 0, 8);
      linalg::FillOp::create(builder, pack.getLoc(), value, view(gap, type));
    };
    for (auto [offset, part] : llvm::zip(pack.getOffsets(), pack.getParts())) {
      zero(end, offset);
      end = offset + cast<ShapedType>(part.getType()).getNumElements();
    }
    zero(end, cast<ShapedType>(pack.getResult().getType()).getNumElements());
    for (auto [other, index] : planner.copiedParts()) {
      if (other != pack)
        continue;
      Value part = pack.getParts()[index];
      Place target = place;
      target.offset += pack.getOffsets()[index] * bytes;
      copy(planner.place(part), target, part.getType());
    }
  }

  void finish(Operation *terminator) {
    for (const FinalCopy &last : planner.copies()) {
      bool isState = last.target.buffer.kind == Buffer::Argument;
      Place from = planner.place(last.value);
      copy(from, last.target, last.value.getType());
      if (isState)
        function.emitRemark("the old value of slab #")
            << last.target.buffer.index
            << " is read after its update: the new one is copied";
    }
    func::ReturnOp::create(builder, terminator->getLoc());
    eraseTensors();
  }

  void eraseTensors() {
    // What was there before works on tensors; uses come after definitions.
    SmallVector<Operation *> old;
    for (Operation &op : *block) {
      bool isTensor = isa<ViewOp, PackOp, tensor::EmptyOp>(op) ||
                      (isa<LaunchOp>(op) && op.getNumResults() != 0) ||
                      (isa<arith::ConstantOp>(op) &&
                       isa<RankedTensorType>(op.getResult(0).getType())) ||
                      (isa<func::ReturnOp>(op) && op.getNumOperands() != 0);
      if (isTensor)
        old.push_back(&op);
    }
    for (Operation *op : llvm::reverse(old))
      op->erase();
    block->eraseArguments(0, numOldArguments);
    function.setFunctionType(
        FunctionType::get(function.getContext(), newTypes, {}));
    function.removeResAttrsAttr();
    function.setAllArgAttrs(newAttributes);
    // A function without results has its old return, too.
    while (block->getOperations().size() > 1 &&
           isa<func::ReturnOp>(*std::next(block->rbegin())))
      block->back().erase();
  }

  func::FuncOp function;
  const Planner &planner;
  OpBuilder builder;
  Block *block = nullptr;
  SmallVector<Value> memory;
  DenseMap<unsigned, unsigned> resultArgument;
  SmallVector<Type> newTypes;
  SmallVector<DictionaryAttr> newAttributes;
  unsigned numOldArguments = 0, copies = 0;
};

struct PlanMemoryPass : kernel::impl::PlanMemoryPassBase<PlanMemoryPass> {
  using PlanMemoryPassBase::PlanMemoryPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      if (!function.getBody().hasOneBlock()) {
        function.emitError("has control flow, which cannot be planned");
        return signalPassFailure();
      }
      Planner planner(function);
      if (failed(planner.run()))
        return signalPassFailure();
      numCopies += MemoryRewriter(function, planner).run();
      arenaBytes += planner.arenaSize();
    }
  }
};

} // namespace
