// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-outline: turns groups and single ops into kernels, and launches them.
#include "passes/Kernel/Passes.h"

#include "dialects/Interfaces/NodeNames.h"
#include "dialects/Kernel/Contract.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Kernel/Groups.h"
#include "llvm/ADT/StringExtras.h"
#include <unordered_map>

namespace mpc::kernel {
#define GEN_PASS_DEF_OUTLINEPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc;
using namespace mpc::kernel;

/// Whether each kernel gets its own copy of the op: it costs nothing and has no
/// state.
static bool isRematerialized(Operation *op) {
  if (isa<tensor::EmptyOp>(op))
    return true;
  return isa<arith::ConstantOp>(op) &&
         !isa<ShapedType>(op->getResult(0).getType());
}

/// A readable symbol: the name of the model's node, or of the op.
static std::string kernelName(ArrayRef<Operation *> statements) {
  std::string name;
  for (Operation *op : statements) {
    StringRef node = getNodeName(op->getLoc());
    if (node.empty())
      continue;
    name = isGradient(op->getLoc()) ? "d_" : "";
    for (char c : node)
      name.push_back(llvm::isAlnum(c) ? c : '_');
    break;
  }
  return name.empty() ? "kernel" : name;
}

namespace {

/// Statements that become one kernel.
struct Statements {
  SmallVector<Operation *> ops;
  /// The results that other ops use, and the values by which those ops read
  /// them.
  SmallVector<Value> outputs, known;
};

} // namespace

static Statements getStatements(GroupOp op) {
  Statements group;
  Block &body = op.getBody().front();
  for (Operation &statement : body.without_terminator())
    group.ops.push_back(&statement);
  group.outputs =
      llvm::to_vector_of<Value>(body.getTerminator()->getOperands());
  group.known = llvm::to_vector_of<Value>(op.getResults());
  return group;
}

/// A single op with the fills that it uses; empty where `op` is another op's
/// fill.
static Statements getStatements(Operation *op) {
  if (auto fused = dyn_cast<GroupOp>(op))
    return getStatements(fused);
  Statements group;
  group.ops = withItsFills(op);
  if (group.ops.empty())
    return group;
  for (Value result : op->getResults())
    if (!result.use_empty())
      group.outputs.push_back(result);
  group.known = group.outputs;
  return group;
}

namespace {

/// Builds a kernel from statements, and its launch.
class Outliner {
public:
  Outliner(Statements given, Operation *insertionPoint)
      : group_(std::move(given)), builder_(insertionPoint) {
    members_.insert(group_.ops.begin(), group_.ops.end());
  }

  /// Creates the launch that replaces the statements, and the kernel, which is
  /// in no module yet.
  LaunchOp run(FuncOp &kernel) {
    collect();
    kernel = buildKernel();
    return replace(kernel);
  }

private:
  /// The destination that `value` overwrites: an empty tensor, or a value from
  /// outside that is updated in place.
  Value findDestination(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (!members_.contains(op))
        break;
      value = cast<DestinationStyleOpInterface>(op)
                  .getTiedOpOperand(cast<OpResult>(value))
                  ->get();
    }
    return value;
  }

  void collect() {
    for (Value output : group_.outputs)
      destinations_.push_back(findDestination(output));
    for (Operation *op : group_.ops) {
      for (Value operand : op->getOperands())
        addInput(operand);
      for (Region &nested : op->getRegions())
        visitUsedValuesDefinedAbove(
            nested, [&](OpOperand *operand) { addInput(operand->get()); });
    }
  }

  bool isInside(Operation *user) const {
    for (; user; user = user->getParentOp())
      if (members_.contains(user))
        return true;
    return false;
  }

  void addInput(Value value) {
    Operation *op = value.getDefiningOp();
    if (op && (members_.contains(op) || isRematerialized(op)))
      return;
    if (llvm::is_contained(destinations_, value) && isOnlyDestination(value))
      return;
    inputs_.insert(value);
  }

  /// Whether the group uses `value` only as a destination.
  bool isOnlyDestination(Value value) const {
    for (OpOperand &use : value.getUses()) {
      if (!isInside(use.getOwner()))
        continue;
      auto dps = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
      if (!dps || !dps.isDpsInit(&use))
        return false;
    }
    return true;
  }

  FuncOp buildKernel() {
    SmallVector<Type> arguments, results;
    for (Value input : inputs_)
      arguments.push_back(input.getType());
    for (Value output : group_.outputs) {
      arguments.push_back(output.getType());
      results.push_back(output.getType());
    }
    SmallVector<Location> locs;
    for (Operation *op : group_.ops)
      locs.push_back(op->getLoc());
    OpBuilder detached(builder_.getContext());
    auto kernel = FuncOp::create(detached, builder_.getFusedLoc(locs),
                                 kernelName(group_.ops),
                                 builder_.getFunctionType(arguments, results));
    fillBody(kernel);
    kernel.setSourcesAttr(sources());
    return kernel;
  }

  ArrayAttr sources() {
    llvm::SetVector<StringRef> names;
    for (Operation *op : group_.ops)
      if (StringRef name = getNodeName(op->getLoc()); !name.empty())
        names.insert(name);
    return builder_.getStrArrayAttr(names.getArrayRef());
  }

  void fillBody(FuncOp kernel) {
    OpBuilder body = OpBuilder::atBlockEnd(&kernel.getBody().front());
    IRMapping mapping;
    for (auto [index, input] : llvm::enumerate(inputs_))
      mapping.map(input, kernel.getArgument(index));
    for (auto [index, destination] : llvm::enumerate(destinations_))
      if (!mapping.contains(destination))
        mapping.map(destination, kernel.getDestination(index));
    for (Operation *op : group_.ops) {
      auto copyDefinition = [&](Value value) {
        Operation *definition = value.getDefiningOp();
        if (definition && isRematerialized(definition) &&
            !mapping.contains(value))
          body.clone(*definition, mapping);
      };
      llvm::for_each(op->getOperands(), copyDefinition);
      for (Region &nested : op->getRegions())
        visitUsedValuesDefinedAbove(nested, [&](OpOperand *operand) {
          copyDefinition(operand->get());
        });
      body.clone(*op, mapping);
    }
    SmallVector<Value> returned;
    for (Value output : group_.outputs)
      returned.push_back(mapping.lookup(output));
    ReturnOp::create(body, kernel.getLoc(), returned);
  }

  LaunchOp replace(FuncOp kernel) {
    // A destination that only the group uses is created again at the launch.
    SmallVector<Value> outs;
    for (Value destination : destinations_)
      outs.push_back(
          destination.getDefiningOp<tensor::EmptyOp>()
              ? builder_.clone(*destination.getDefiningOp())->getResult(0)
              : destination);
    auto launch =
        LaunchOp::create(builder_, kernel.getLoc(), kernel.getResultTypes(),
                         FlatSymbolRefAttr::get(kernel.getNameAttr()),
                         inputs_.getArrayRef(), outs);
    for (auto [value, result] : llvm::zip(group_.known, launch.getResults()))
      value.replaceUsesWithIf(
          result, [&](OpOperand &use) { return !isInside(use.getOwner()); });
    return launch;
  }

  Statements group_;
  OpBuilder builder_;
  DenseSet<Operation *> members_;
  llvm::SetVector<Value> inputs_;
  SmallVector<Value> destinations_;
};

} // namespace

/// A hash that kernels of equal structure share. A long loop makes thousands of
/// kernels of one type, too many to compare each with each.
static llvm::hash_code structureHash(FuncOp kernel) {
  llvm::hash_code hash = hash_value(kernel.getFunctionType());
  kernel.getBody().walk([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

namespace {

/// Finds kernels of equal structure. Names, sources and locations do not count.
class KernelPool {
public:
  explicit KernelPool(ModuleOp module) : symbols_(module) {
    if (TargetAttrInterface target = getTarget(module))
      prefix_ = target.getKernelPrefix();
  }

  /// The kernel that equals `kernel`. The first of its structure is inserted
  /// itself, with the facts that follow from its body.
  FailureOr<FuncOp> unify(FuncOp kernel) {
    SmallVector<FuncOp> &candidates = byHash_[structureHash(kernel)];
    for (FuncOp candidate : candidates) {
      if (candidate.getFunctionType() == kernel.getFunctionType() &&
          OperationEquivalence::isRegionEquivalentTo(
              &candidate.getBody(), &kernel.getBody(),
              OperationEquivalence::IgnoreLocations)) {
        kernel->destroy();
        return candidate;
      }
    }
    kernel.setSymName((prefix_ + kernel.getSymName()).str());
    symbols_.insert(kernel);
    candidates.push_back(kernel);
    if (failed(stateContract(kernel)))
      return failure();
    return kernel;
  }

private:
  SymbolTable symbols_;
  StringRef prefix_;
  std::unordered_map<size_t, SmallVector<FuncOp>> byHash_;
};

struct OutlinePass : kernel::impl::OutlinePassBase<OutlinePass> {
  using OutlinePassBase::OutlinePassBase;

  void runOnOperation() override {
    markInvariants();
    KernelPool pool(getOperation());
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      for (Block &block : function.getBody())
        if (failed(outlineBlock(block, pool)))
          return signalPassFailure();
    numKernels = llvm::range_size(getOperation().getOps<FuncOp>());
  }

private:
  /// Marks the arguments of functions that are the same in all turns of the
  /// loops that call them.
  void markInvariants() {
    getOperation().walk([&](RepeatOp repeat) {
      auto body = getOperation().lookupSymbol<func::FuncOp>(repeat.getBody());
      unsigned first = repeat.getInits().size() + repeat.getStacks().size();
      for (unsigned argument :
           llvm::seq<unsigned>(first, body.getNumArguments()))
        body.setArgAttr(argument,
                        KernelDialect::InvariantAttrHelper::getNameStr(),
                        UnitAttr::get(&getContext()));
    });
  }

  LogicalResult outlineBlock(Block &block, KernelPool &pool) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      Statements group = getStatements(&op);
      if (group.outputs.empty())
        continue;
      FuncOp kernel;
      LaunchOp launch = Outliner(std::move(group), &op).run(kernel);
      FailureOr<FuncOp> unique = pool.unify(kernel);
      if (failed(unique))
        return failure();
      launch.setKernel(unique->getName());
      ++numLaunches;
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    return success();
  }
};

} // namespace
