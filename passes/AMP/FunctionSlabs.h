// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The slabs that one entry reads and writes, as its arguments and results.
#ifndef MPC_PASSES_AMP_FUNCTIONSLABS_H
#define MPC_PASSES_AMP_FUNCTIONSLABS_H

#include "dialects/AMP/AMPDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mpc::amp {

/// Turns loads and stores of slabs into values: an argument for each slab that
/// is used, a result for each that is stored.
class FunctionSlabs {
public:
  explicit FunctionSlabs(mlir::func::FuncOp function) : function_(function) {}
  void promote();

private:
  /// The current value of a slab, and whether it was stored.
  struct State {
    mlir::Value value;
    bool changed = false;
  };
  State &stateOf(mlir::StringAttr slab);
  mlir::DictionaryAttr attributes(mlir::StringAttr slab);
  void addResults();

  mlir::func::FuncOp function_;
  llvm::MapVector<mlir::StringAttr, State> slabs_;
};

} // namespace mpc::amp

#endif // MPC_PASSES_AMP_FUNCTIONSLABS_H
