// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-plan-memory: gives every tensor a place in one arena.
#include "passes/Kernel/Passes.h"

#include "dialects/AMP/AMPDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Kernel/MemoryPlanner.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc;
using namespace mpc::kernel;

/// The elements of a constant that a view of it shows.
static ElementsAttr partOf(const Allocation &place, RankedTensorType type) {
  auto elements = dyn_cast<DenseElementsAttr>(place.buffer.constant);
  if (!elements)
    return place.buffer.constant;
  if (elements.isSplat())
    return elements.resizeSplat(type);
  if (elements.getNumElements() == type.getNumElements())
    return elements.reshape(type);
  auto first = elements.getValues<Attribute>().begin() +
               place.offset / elementBytes(type);
  return DenseElementsAttr::get(
      type,
      llvm::to_vector(llvm::make_range(first, first + type.getNumElements())));
}

namespace {

/// Rewrites a planned function on memory.
class MemoryRewriter {
public:
  MemoryRewriter(func::FuncOp function, const MemoryPlanner &planner)
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
        describe(DictionaryAttr(), BufferRole::Arena, {})};
    for (unsigned i = 0; i < numOld; ++i) {
      Type type = block->getArgument(i).getType();
      types.push_back(bytesType(builder, numBytes(type)));
      bool isState = function.getArgAttr(i, amp::kSlabAttrName) != nullptr;
      attributes.push_back(
          describe(function.getArgAttrDict(i),
                   isState ? BufferRole::State : BufferRole::Input, type));
    }
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i) {
      if (function.getResultAttr(i, amp::kSlabAttrName))
        continue;
      resultArgument[i] = types.size();
      Type type = function.getResultTypes()[i];
      types.push_back(bytesType(builder, numBytes(type)));
      attributes.push_back(
          describe(function.getResultAttrDict(i), BufferRole::Output, type));
    }
    for (Type type : types)
      memory.push_back(block->addArgument(type, function.getLoc()));
    numOldArguments = numOld;
    newTypes = std::move(types);
    newAttributes = std::move(attributes);
  }

  /// `given`, and what memory the argument is.
  DictionaryAttr describe(DictionaryAttr given, BufferRole role, Type type) {
    NamedAttrList list(given);
    list.set(KernelDialect::BufferAttrHelper::getNameStr(),
             BufferAttr::get(builder.getContext(), role,
                             dyn_cast_or_null<RankedTensorType>(type)));
    return list.getDictionary(builder.getContext());
  }

  /// `place` as a memref of the shape of `tensorType`.
  Value view(const Allocation &place, Type tensorType) {
    auto type = cast<RankedTensorType>(tensorType);
    auto memref = MemRefType::get(type.getShape(), type.getElementType());
    if (place.buffer.kind == Buffer::Constant)
      return constant(partOf(place, type), memref);
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
    for (const MemoryPlanner::InitialCopy &initial : planner.copiesBefore())
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

  void copy(const Allocation &from, const Allocation &to, Type type) {
    memref::CopyOp::create(builder, function.getLoc(), view(from, type),
                           view(to, type));
    ++copies;
  }

  /// Parts are in place already, or copied; what lies between them is zeroed.
  void rewritePack(PackOp pack) {
    Allocation place = planner.place(pack.getResult());
    int64_t bytes = elementBytes(pack.getResult().getType()), end = 0;
    auto zero = [&](int64_t from, int64_t to) {
      if (from >= to)
        return;
      Allocation gap = place;
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
      Allocation target = place;
      target.offset += pack.getOffsets()[index] * bytes;
      copy(planner.place(part), target, part.getType());
    }
  }

  void finish(Operation *terminator) {
    for (const FinalCopy &last : planner.copies())
      if (last.staging)
        copy(planner.place(last.value), *last.staging, last.value.getType());
    for (const FinalCopy &last : planner.copies()) {
      bool isState = last.target.buffer.kind == Buffer::Argument;
      Allocation from = last.staging.value_or(planner.place(last.value));
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
  const MemoryPlanner &planner;
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
      MemoryPlanner planner(function);
      if (failed(planner.run()))
        return signalPassFailure();
      numCopies += MemoryRewriter(function, planner).run();
      arenaBytes += planner.arenaSize();
    }
  }
};

} // namespace
