// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel-fuse: groups structured ops into kernels.
#include "passes/Kernel/Passes.h"

#include "dialects/Interfaces/NodeNames.h"
#include "dialects/Kernel/KernelDialect.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Kernel/FoldReads.h"
#include "passes/Kernel/Groups.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace mpc::kernel {
#define GEN_PASS_DEF_FUSEPASS
#include "passes/Kernel/Passes.h.inc"
} // namespace mpc::kernel

using namespace mlir;
using namespace mpc;
using namespace mpc::kernel;

/// Ops that a kernel holds a copy of: they cost nothing and have no state.
static bool isRematerialized(Operation *op) {
  if (isa<tensor::EmptyOp>(op))
    return true;
  return isa<arith::ConstantOp>(op) &&
         !isa<ShapedType>(op->getResult(0).getType());
}

/// A name that is a readable symbol: the model's node, or what the op is.
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

/// Makes a kernel of one group, and its launch.
class Outliner {
public:
  Outliner(ArrayRef<Operation *> statements, Operation *insertionPoint)
      : statements(statements), builder(insertionPoint) {
    members.insert(statements.begin(), statements.end());
  }

  /// The launch that replaces the group; `kernel` is new and in no module.
  LaunchOp run(FuncOp &kernel) {
    collect();
    kernel = buildKernel();
    return replace(kernel);
  }

private:
  /// The destination that `value` is written over: an empty tensor, or a value
  /// from outside that is updated in place.
  Value findDestination(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (!members.contains(op))
        break;
      unsigned index = cast<OpResult>(value).getResultNumber();
      value = isa<linalg::LinalgOp>(op)
                  ? cast<linalg::LinalgOp>(op).getDpsInits()[index]
                  : cast<ScatterOp>(op).getInit();
    }
    return value;
  }

  void collect() {
    for (Operation *op : statements)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(),
                         [&](Operation *user) { return !isInside(user); }))
          outputs.push_back(result);
    for (Value output : outputs)
      destinations.push_back(findDestination(output));
    for (Operation *op : statements) {
      for (Value operand : op->getOperands())
        addInput(operand);
      for (Region &region : op->getRegions())
        visitUsedValuesDefinedAbove(
            region, [&](OpOperand *operand) { addInput(operand->get()); });
    }
  }

  bool isInside(Operation *user) const {
    for (; user; user = user->getParentOp())
      if (members.contains(user))
        return true;
    return false;
  }

  void addInput(Value value) {
    Operation *op = value.getDefiningOp();
    if (op && (members.contains(op) || isRematerialized(op)))
      return;
    if (llvm::is_contained(destinations, value) && isOnlyDestination(value))
      return;
    inputs.insert(value);
  }

  /// Whether the group uses `value` as nothing but a destination.
  bool isOnlyDestination(Value value) const {
    for (OpOperand &use : value.getUses()) {
      if (!isInside(use.getOwner()))
        continue;
      auto dps = dyn_cast<linalg::LinalgOp>(use.getOwner());
      if (!dps || !dps.isDpsInit(&use))
        return isa<ScatterOp>(use.getOwner()) && use.getOperandNumber() == 2;
    }
    return true;
  }

  FuncOp buildKernel() {
    SmallVector<Type> arguments, results;
    for (Value input : inputs)
      arguments.push_back(input.getType());
    for (Value output : outputs) {
      arguments.push_back(output.getType());
      results.push_back(output.getType());
    }
    SmallVector<Location> locs;
    for (Operation *op : statements)
      locs.push_back(op->getLoc());
    OpBuilder detached(builder.getContext());
    auto kernel = FuncOp::create(detached, builder.getFusedLoc(locs),
                                 kernelName(statements),
                                 builder.getFunctionType(arguments, results));
    fillBody(kernel);
    kernel.setSourcesAttr(sources());
    return kernel;
  }

  ArrayAttr sources() {
    llvm::SetVector<StringRef> names;
    for (Operation *op : statements)
      if (StringRef name = getNodeName(op->getLoc()); !name.empty())
        names.insert(name);
    return builder.getStrArrayAttr(names.getArrayRef());
  }

  void fillBody(FuncOp kernel) {
    OpBuilder body = OpBuilder::atBlockEnd(&kernel.getBody().front());
    IRMapping mapping;
    for (auto [index, input] : llvm::enumerate(inputs))
      mapping.map(input, kernel.getArgument(index));
    for (auto [index, destination] : llvm::enumerate(destinations))
      if (!mapping.contains(destination))
        mapping.map(destination, kernel.getDestination(index));
    for (Operation *op : statements) {
      auto copyDefinition = [&](Value value) {
        Operation *definition = value.getDefiningOp();
        if (definition && isRematerialized(definition) &&
            !mapping.contains(value))
          body.clone(*definition, mapping);
      };
      llvm::for_each(op->getOperands(), copyDefinition);
      for (Region &region : op->getRegions())
        visitUsedValuesDefinedAbove(region, [&](OpOperand *operand) {
          copyDefinition(operand->get());
        });
      body.clone(*op, mapping);
    }
    SmallVector<Value> returned;
    for (Value output : outputs)
      returned.push_back(mapping.lookup(output));
    ReturnOp::create(body, kernel.getLoc(), returned);
  }

  LaunchOp replace(FuncOp kernel) {
    // A destination made for the group alone is made anew at the launch.
    SmallVector<Value> outs;
    for (Value destination : destinations)
      outs.push_back(
          destination.getDefiningOp<tensor::EmptyOp>()
              ? builder.clone(*destination.getDefiningOp())->getResult(0)
              : destination);
    auto launch =
        LaunchOp::create(builder, kernel.getLoc(), kernel.getResultTypes(),
                         FlatSymbolRefAttr::get(kernel.getNameAttr()),
                         inputs.getArrayRef(), outs);
    for (auto [output, result] : llvm::zip(outputs, launch.getResults()))
      output.replaceUsesWithIf(
          result, [&](OpOperand &use) { return !isInside(use.getOwner()); });
    return launch;
  }

  ArrayRef<Operation *> statements;
  OpBuilder builder;
  DenseSet<Operation *> members;
  llvm::SetVector<Value> inputs;
  SmallVector<Value> outputs, destinations;
};

/// Finds kernels of equal structure; names, sources and places do not count.
class KernelPool {
public:
  explicit KernelPool(ModuleOp module) : symbols(module) {}

  /// The kernel that equals `kernel`, which is inserted if it is the first.
  FuncOp unify(FuncOp kernel) {
    auto &candidates = byType[kernel.getFunctionType()];
    for (FuncOp candidate : candidates) {
      if (OperationEquivalence::isRegionEquivalentTo(
              &candidate.getBody(), &kernel.getBody(),
              OperationEquivalence::IgnoreLocations)) {
        kernel->destroy();
        return candidate;
      }
    }
    symbols.insert(kernel);
    candidates.push_back(kernel);
    return kernel;
  }

private:
  SymbolTable symbols;
  llvm::MapVector<Type, SmallVector<FuncOp>> byType;
};

struct FusePass : kernel::impl::FusePassBase<FusePass> {
  using FusePassBase::FusePassBase;

  void runOnOperation() override {
    KernelPool pool(getOperation());
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      for (Block &block : function.getBody())
        fuseBlock(block, pool);
    numKernels = llvm::range_size(getOperation().getOps<FuncOp>());
  }

private:
  void fuseBlock(Block &block, KernelPool &pool) {
    if (enabled)
      foldReads(block);
    Groups groups(block, enabled);
    // Launches go where the terminator is, in an order that respects uses;
    // views and constants are moved along afterwards.
    Operation *end = block.getTerminator();
    for (ArrayRef<Operation *> statements : groups.inOrder()) {
      FuncOp kernel;
      LaunchOp launch = Outliner(statements, end).run(kernel);
      launch.setKernel(pool.unify(kernel).getName());
      ++numLaunches;
    }
    for (ArrayRef<Operation *> statements : llvm::reverse(groups.inOrder()))
      for (Operation *op : llvm::reverse(statements))
        op->erase();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    sortTopologically(&block);
  }
};

} // namespace
