// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slabs as arguments and results of a function.
#include "passes/AMP/FunctionSlabs.h"

#include "dialects/Kernel/KernelDialect.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

void FunctionSlabs::promote() {
  for (Operation &op :
       llvm::make_early_inc_range(function_.getBody().front())) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      load.replaceAllUsesWith(stateOf(load.getSlabAttr().getAttr()).value);
      load.erase();
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      stateOf(store.getSlabAttr().getAttr()) = {store.getValue(), true};
      store.erase();
    }
  }
  addResults();
}

FunctionSlabs::State &FunctionSlabs::stateOf(StringAttr slab) {
  auto [it, isNew] = slabs_.try_emplace(slab);
  if (isNew) {
    auto op = SymbolTable::lookupNearestSymbolFrom<SlabOp>(function_, slab);
    unsigned index = function_.getNumArguments();
    (void)function_.insertArgument(index, op.getType(), attributes(slab),
                                   op.getLoc());
    it->second.value = function_.getArgument(index);
  }
  return it->second;
}

void FunctionSlabs::addResults() {
  Operation *terminator = function_.getBody().front().getTerminator();
  for (auto &[name, state] : slabs_) {
    if (!state.changed)
      continue;
    terminator->insertOperands(terminator->getNumOperands(), state.value);
    (void)function_.insertResult(function_.getNumResults(),
                                 state.value.getType(), attributes(name));
  }
}

DictionaryAttr FunctionSlabs::attributes(StringAttr slab) {
  Builder b(function_.getContext());
  return b.getDictionaryAttr(
      b.getNamedAttr(kernel::KernelDialect::StateAttrHelper::getNameStr(),
                     FlatSymbolRefAttr::get(slab)));
}
