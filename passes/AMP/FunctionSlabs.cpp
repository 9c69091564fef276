// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds arguments and results for slabs to a function.
#include "passes/AMP/FunctionSlabs.h"

#include "passes/AMP/SlabLayout.h"

using namespace mlir;
using namespace mpc;
using namespace mpc::amp;

Value FunctionSlabs::get(SlabOp slab) {
  auto [it, isNew] = values.try_emplace(slab.getSymNameAttr());
  if (isNew)
    it->second = {addArgument(slab), slab, false};
  return it->second.value;
}

void FunctionSlabs::set(SlabOp slab, Value value) {
  get(slab);
  values[slab.getSymNameAttr()].value = value;
  values[slab.getSymNameAttr()].changed = true;
}

void FunctionSlabs::finish() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto &[name, entry] : values) {
    if (!entry.changed)
      continue;
    unsigned index = function.getNumResults();
    terminator->insertOperands(terminator->getNumOperands(), entry.value);
    (void)function.insertResult(index, entry.value.getType(),
                                attributes(entry.slab));
  }
}

DictionaryAttr FunctionSlabs::attributes(SlabOp slab) {
  Builder b(function.getContext());
  return b.getDictionaryAttr(b.getNamedAttr(
      kSlabAttrName, FlatSymbolRefAttr::get(slab.getSymNameAttr())));
}

Value FunctionSlabs::addArgument(SlabOp slab) {
  unsigned index = function.getNumArguments();
  (void)function.insertArgument(index, slab.getType(), attributes(slab),
                                slab.getLoc());
  return function.getArgument(index);
}
