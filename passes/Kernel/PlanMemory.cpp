// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-plan-memory: gives every tensor a place in one arena.
#include "passes/Kernel/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Kernel/Alignment.h"
#include "passes/Kernel/MemoryPlanner.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc;
using namespace mpc::kernel;

/// The elements of a constant that a view shows.
static ElementsAttr partOf(const Allocation &place, RankedTensorType type) {
  auto elements = dyn_cast<DenseElementsAttr>(place.buffer.constant);
  if (!elements)
    return place.buffer.constant;
  // A view may change the signedness.
  elements = elements.bitcast(type.getElementType());
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
  MemoryRewriter(func::FuncOp function, const MemoryPlanner &planner,
                 Alignments &alignments)
      : function_(function), planner_(planner), alignments_(alignments),
        builder_(OpBuilder::atBlockBegin(&function.getBody().front())) {}

  /// Returns how many copies were inserted.
  unsigned run() {
    addArguments();
    for (Operation &op : llvm::make_early_inc_range(*block_))
      rewrite(&op);
    return copies_;
  }

private:
  static MemRefType bytesType(OpBuilder &b, int64_t bytes) {
    return MemRefType::get({std::max<int64_t>(bytes, 1)}, b.getI8Type());
  }

  /// (arena, the old arguments, one destination an untied result)
  void addArguments() {
    block_ = &function_.getBody().front();
    unsigned numOld = block_->getNumArguments();
    SmallVector<Type> types{bytesType(builder_, planner_.arenaSize())};
    SmallVector<DictionaryAttr> attributes{
        describe(DictionaryAttr(), BufferRole::Arena, {})};
    for (unsigned i = 0; i < numOld; ++i) {
      Type type = block_->getArgument(i).getType();
      types.push_back(bytesType(builder_, numBytes(type)));
      bool isState =
          function_.getArgAttr(
              i, KernelDialect::StateAttrHelper::getNameStr()) != nullptr;
      attributes.push_back(
          describe(function_.getArgAttrDict(i),
                   isState ? BufferRole::State : BufferRole::Input, type));
    }
    for (unsigned i = 0, e = function_.getNumResults(); i < e; ++i) {
      if (getTiedArgument(function_, i))
        continue;
      resultArgument_[i] = types.size();
      Type type = function_.getResultTypes()[i];
      types.push_back(bytesType(builder_, numBytes(type)));
      attributes.push_back(
          describe(function_.getResultAttrDict(i), BufferRole::Output, type));
    }
    for (Type type : types)
      memory_.push_back(block_->addArgument(type, function_.getLoc()));
    numOldArguments_ = numOld;
    newTypes_ = std::move(types);
    newAttributes_ = std::move(attributes);
  }

  /// `given`, with the role of the argument's memory added.
  DictionaryAttr describe(DictionaryAttr given, BufferRole role, Type type) {
    NamedAttrList list(given);
    list.set(KernelDialect::BufferAttrHelper::getNameStr(),
             BufferAttr::get(builder_.getContext(), role,
                             dyn_cast_or_null<RankedTensorType>(type)));
    return list.getDictionary(builder_.getContext());
  }

  /// `place` as a memref with the shape of `tensorType`.
  Value view(const Allocation &place, Type tensorType) {
    auto type = cast<RankedTensorType>(tensorType);
    auto memref = MemRefType::get(type.getShape(), type.getElementType());
    if (place.buffer.kind == Buffer::Constant)
      return constant(partOf(place, type), memref);
    Value base = memory_[0];
    int64_t offset = place.offset;
    if (place.buffer.kind == Buffer::Arena)
      offset = planner_.arenaOffset(place);
    else if (place.buffer.kind == Buffer::Argument)
      base = memory_[1 + place.buffer.index];
    else
      base = memory_[resultArgument_.lookup(place.buffer.index)];
    Value shift =
        arith::ConstantIndexOp::create(builder_, function_.getLoc(), offset);
    return memref::ViewOp::create(builder_, function_.getLoc(), memref, base,
                                  shift, ValueRange());
  }

  Value constant(ElementsAttr elements, MemRefType type) {
    auto module = function_->getParentOfType<ModuleOp>();
    for (auto global : module.getOps<memref::GlobalOp>())
      if (global.getInitialValue() == elements && global.getType() == type)
        return memref::GetGlobalOp::create(builder_, function_.getLoc(), type,
                                           global.getName());
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    std::string name;
    do
      name = "constant_" + std::to_string(numConstants_++);
    while (module.lookupSymbol(name));
    memref::GlobalOp::create(top, function_.getLoc(), name,
                             top.getStringAttr("private"), type, elements,
                             /*constant=*/true, IntegerAttr());
    return memref::GetGlobalOp::create(builder_, function_.getLoc(), type,
                                       name);
  }

  void rewrite(Operation *op) {
    builder_.setInsertionPoint(op);
    if (auto launch = dyn_cast<LaunchOp>(op))
      return rewriteLaunch(launch);
    if (auto pack = dyn_cast<PackOp>(op))
      return rewritePack(pack);
    if (auto repeat = dyn_cast<RepeatOp>(op))
      return rewriteRepeat(repeat);
    if (auto collective = dyn_cast<CollectiveOp>(op))
      return rewriteCollective(collective);
    if (op->hasTrait<OpTrait::IsTerminator>())
      return finish(op);
  }

  void rewriteLaunch(LaunchOp launch) {
    alignments_.add(launch, planner_);
    for (const MemoryPlanner::InitialCopy &initial : planner_.copiesBefore())
      if (initial.launch == launch)
        copy(planner_.place(initial.from), initial.to, initial.from.getType());
    SmallVector<Value> inputs, outputs;
    for (Value input : launch.getInputs())
      inputs.push_back(view(planner_.place(input), input.getType()));
    for (Value result : launch.getResults())
      outputs.push_back(view(planner_.place(result), result.getType()));
    LaunchOp::create(builder_, launch.getLoc(), TypeRange(),
                     launch.getKernelAttr(), inputs, outputs);
  }

  void rewriteRepeat(RepeatOp repeat) {
    if (repeat.getNumResults() == 0)
      return;
    auto viewAll = [&](ValueRange values) {
      return llvm::map_to_vector(values, [&](Value value) {
        return view(planner_.place(value), value.getType());
      });
    };
    SmallVector<Value> inits = viewAll(repeat.getInits());
    SmallVector<Value> stacks = viewAll(repeat.getStacks());
    SmallVector<Value> constants = viewAll(repeat.getConstants());
    SmallVector<Value> outs = viewAll(repeat.getResults());
    Allocation body = planner_.bodyPlace(repeat);
    outs.push_back(view(body, RankedTensorType::get({planner_.bytesOf(body)},
                                                    builder_.getI8Type())));
    RepeatOp::create(builder_, repeat.getLoc(), TypeRange(),
                     repeat.getBodyAttr(), repeat.getTurnsAttr(),
                     repeat.getReversedAttr(), inits, stacks, constants, outs);
  }

  void rewriteCollective(CollectiveOp op) {
    if (op.getResults().empty())
      return;
    auto viewOf = [&](Value value) {
      return view(planner_.place(value), value.getType());
    };
    SmallVector<Value> inputs = llvm::map_to_vector(op.getInputs(), viewOf);
    SmallVector<Value> outs = llvm::map_to_vector(op.getResults(), viewOf);
    CollectiveOp::create(builder_, op.getLoc(), TypeRange(), op.getKind(),
                         op.getRanks(), inputs, outs);
  }

  void copy(const Allocation &from, const Allocation &to, Type type) {
    memref::CopyOp::create(builder_, function_.getLoc(), view(from, type),
                           view(to, type));
    ++copies_;
  }

  /// Parts are in place already, or are copied. The gaps between them are
  /// zeroed.
  void rewritePack(PackOp pack) {
    Allocation place = planner_.place(pack.getResult());
    int64_t bytes = elementBytes(pack.getResult().getType()), end = 0;
    auto zero = [&](int64_t from, int64_t to) {
      if (from >= to)
        return;
      Allocation gap = place;
      gap.offset += from * bytes;
      auto type =
          RankedTensorType::get({(to - from) * bytes}, builder_.getI8Type());
      Value value = arith::ConstantIntOp::create(builder_, pack.getLoc(), 0, 8);
      linalg::FillOp::create(builder_, pack.getLoc(), value, view(gap, type));
    };
    for (auto [offset, part] : llvm::zip(pack.getOffsets(), pack.getParts())) {
      zero(end, offset);
      end = offset + cast<ShapedType>(part.getType()).getNumElements();
    }
    zero(end, cast<ShapedType>(pack.getResult().getType()).getNumElements());
    for (auto [other, index] : planner_.copiedParts()) {
      if (other != pack)
        continue;
      Value part = pack.getParts()[index];
      Allocation target = place;
      target.offset += pack.getOffsets()[index] * bytes;
      copy(planner_.place(part), target, part.getType());
    }
  }

  void finish(Operation *terminator) {
    for (const FinalCopy &last : planner_.copies())
      if (last.staging)
        copy(planner_.place(last.value), *last.staging, last.value.getType());
    for (const FinalCopy &last : planner_.copies()) {
      bool isState = last.target.buffer.kind == Buffer::Argument;
      Allocation from = last.staging.value_or(planner_.place(last.value));
      copy(from, last.target, last.value.getType());
      if (isState)
        function_.emitRemark("the old value of slab #")
            << last.target.buffer.index
            << " is read after its update: the new one is copied";
    }
    func::ReturnOp::create(builder_, terminator->getLoc());
    eraseTensors();
  }

  void eraseTensors() {
    // Erases ops on tensors from the last one up, so that users go before their
    // operands.
    SmallVector<Operation *> old;
    for (Operation &op : *block_) {
      bool isTensor = isa<ViewOp, PackOp, tensor::EmptyOp>(op) ||
                      (isa<LaunchOp, RepeatOp, CollectiveOp>(op) &&
                       op.getNumResults() != 0) ||
                      (isa<arith::ConstantOp>(op) &&
                       isa<RankedTensorType>(op.getResult(0).getType())) ||
                      (isa<func::ReturnOp>(op) && op.getNumOperands() != 0);
      if (isTensor)
        old.push_back(&op);
    }
    for (Operation *op : llvm::reverse(old))
      op->erase();
    block_->eraseArguments(0, numOldArguments_);
    function_.setFunctionType(
        FunctionType::get(function_.getContext(), newTypes_, {}));
    function_.removeResAttrsAttr();
    function_.setAllArgAttrs(newAttributes_);
    // A function without results still has its old return.
    while (block_->getOperations().size() > 1 &&
           isa<func::ReturnOp>(*std::next(block_->rbegin())))
      block_->back().erase();
  }

  func::FuncOp function_;
  const MemoryPlanner &planner_;
  Alignments &alignments_;
  OpBuilder builder_;
  Block *block_ = nullptr;
  SmallVector<Value> memory_;
  unsigned numConstants_ = 0;
  DenseMap<unsigned, unsigned> resultArgument_;
  SmallVector<Type> newTypes_;
  SmallVector<DictionaryAttr> newAttributes_;
  unsigned numOldArguments_ = 0, copies_ = 0;
};

struct PlanMemoryPass : kernel::impl::PlanMemoryPassBase<PlanMemoryPass> {
  using PlanMemoryPassBase::PlanMemoryPassBase;

  void runOnOperation() override {
    Alignments alignments(getOperation());
    for (func::FuncOp function : findFunctions())
      if (failed(plan(function, alignments)))
        return signalPassFailure();
    alignments.state();
  }

private:
  /// The functions with a body; those that are repeated come before who repeats
  /// them.
  SmallVector<func::FuncOp> findFunctions() {
    SymbolTable symbols(getOperation());
    llvm::SetVector<func::FuncOp> found;
    DenseSet<Operation *> seen;
    auto add = [&](func::FuncOp function, auto &again) -> void {
      if (!seen.insert(function).second)
        return;
      function.walk([&](RepeatOp repeat) {
        if (auto body = symbols.lookup<func::FuncOp>(repeat.getBody()))
          again(body, again);
      });
      found.insert(function);
    };
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration())
        add(function, add);
    return found.takeVector();
  }

  LogicalResult plan(func::FuncOp function, Alignments &alignments) {
    if (!function.getBody().hasOneBlock())
      return function.emitError("has control flow, which cannot be planned");
    FailureOr<unsigned> aligned = alignments.copyCostlyViews(function);
    MemoryPlanner planner(function);
    if (failed(aligned) || failed(planner.run()))
      return failure();
    numCopies += MemoryRewriter(function, planner, alignments).run();
    numAligned += *aligned;
    arenaBytes += planner.arenaSize();
    return success();
  }
};

} // namespace
