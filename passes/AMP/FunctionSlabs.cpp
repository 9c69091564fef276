// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slabs as arguments and results of a function.
#include "passes/AMP/FunctionSlabs.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

void FunctionSlabs::promote() {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
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
  auto [it, isNew] = slabs.try_emplace(slab);
  if (isNew) {
    auto op = SymbolTable::lookupNearestSymbolFrom<SlabOp>(function, slab);
    unsigned index = function.getNumArguments();
    (void)function.insertArgument(index, op.getType(), attributes(slab),
                                  op.getLoc());
    it->second.value = function.getArgument(index);
  }
  return it->second;
}

void FunctionSlabs::addResults() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto &[name, state] : slabs) {
    if (!state.changed)
      continue;
    terminator->insertOperands(terminator->getNumOperands(), state.value);
    (void)function.insertResult(function.getNumResults(),
                                state.value.getType(), attributes(name));
  }
}

DictionaryAttr FunctionSlabs::attributes(StringAttr slab) {
  Builder b(function.getContext());
  return b.getDictionaryAttr(b.getNamedAttr(
      kSlabAttrName, FlatSymbolRefAttr::get(slab)));
}
