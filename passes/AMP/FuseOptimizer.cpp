// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// amp-fuse-optimizer: puts the state into slabs and the optimizer on them.
#include "passes/AMP/Passes.h"

#include "dialects/Kernel/KernelDialect.h"
#include "passes/AMP/EntryRewriter.h"

namespace mpc::amp {
#define GEN_PASS_DEF_FUSEOPTIMIZERPASS
#include "passes/AMP/Passes.h.inc"
} // namespace mpc::amp

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

bool mpc::amp::isModel(func::FuncOp function) {
  return function.getName() == "model" || function.getName() == "loss";
}

bool mpc::amp::isEntry(func::FuncOp function) {
  return function.isPublic() && !function.isDeclaration() && !isModel(function);
}

namespace {

struct FuseOptimizerPass
    : mpc::amp::impl::FuseOptimizerPassBase<FuseOptimizerPass> {
  using FuseOptimizerPassBase::FuseOptimizerPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> entries = findEntries();
    for (func::FuncOp entry : entries)
      exposeCasts(entry);
    FailureOr<SlabLayout> built = SlabLayout::build(module, entries);
    if (failed(built))
      return signalPassFailure();
    SlabLayout layout = std::move(*built);
    layout.saturates = saturate;
    for (func::FuncOp entry : entries)
      if (failed(EntryRewriter(layout, entry).run()))
        return signalPassFailure();
    if (failed(addInit(layout)))
      return signalPassFailure();
    clean();
    numGroups = layout.parameterGroups().size();
    numSlabs = llvm::range_size(module.getOps<SlabOp>());
  }

private:
  SmallVector<func::FuncOp> findEntries() {
    return llvm::filter_to_vector(getOperation().getOps<func::FuncOp>(),
                                  isEntry);
  }

  /// Adds @init, which rounds the parameters to their 16-bit copies.
  LogicalResult addInit(SlabLayout &layout) {
    if (llvm::none_of(layout.parameterGroups(),
                      [](ParameterGroup &g) { return g.lowSlab != nullptr; }))
      return success();
    if (Operation *other = getOperation().lookupSymbol("init"))
      return other->emitError("takes the name of the entry that makes 16-bit "
                              "copies");
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    Location loc = getOperation().getLoc();
    auto init = func::FuncOp::create(b, loc, "init", b.getFunctionType({}, {}));
    b.setInsertionPointToStart(init.addEntryBlock());
    b.setInsertionPoint(func::ReturnOp::create(b, loc));
    FunctionSlabs slabs(init);
    for (ParameterGroup &group : layout.parameterGroups())
      if (group.lowSlab)
        slabs.set(group.lowSlab,
                  layout.buildCopy(b, loc, group, slabs.get(group.slab)));
    slabs.finish();
    return success();
  }

  /// Erases what the entries no longer need.
  void clean() {
    ModuleOp module = getOperation();
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<ScalerOp, OptimizerOp, CustomOptimizerOp>(op))
        op.erase();
    SmallVector<func::FuncOp> sources = llvm::filter_to_vector(
        module.getOps<func::FuncOp>(), [](func::FuncOp function) {
          return isModel(function) || function.isPrivate();
        });
    for (func::FuncOp source : sources)
      if (SymbolTable::symbolKnownUseEmpty(source, module))
        source.erase();
  }
};

} // namespace
