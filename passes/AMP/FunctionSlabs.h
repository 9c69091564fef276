// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The slabs that one entry reads and writes.
#ifndef MPC_PASSES_AMP_FUNCTIONSLABS_H
#define MPC_PASSES_AMP_FUNCTIONSLABS_H

#include "dialects/AMP/AMPDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mpc::amp {

/// The slabs of one function: an argument each, and the values that they have
/// come to.
class FunctionSlabs {
public:
  explicit FunctionSlabs(mlir::func::FuncOp function) : function(function) {}
  /// The slab's value so far.
  mlir::Value get(SlabOp slab);
  void set(SlabOp slab, mlir::Value value);
  /// Returns the slabs that were set.
  void finish();

private:
  struct Entry {
    mlir::Value value;
    SlabOp slab;
    bool changed = false;
  };
  mlir::DictionaryAttr attributes(SlabOp slab);
  mlir::Value addArgument(SlabOp slab);

  mlir::func::FuncOp function;
  llvm::MapVector<mlir::StringAttr, Entry> values;
};

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_FUNCTIONSLABS_H
