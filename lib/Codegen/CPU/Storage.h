// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Decides where the tensors of a kernel lie when its statements run one after
/// the other: in a destination, in scratch memory, or in the memory of an
/// operand.
#ifndef MPC_LIB_CODEGEN_CPU_STORAGE_H
#define MPC_LIB_CODEGEN_CPU_STORAGE_H

#include "dialects/Kernel/Body.h"
#include "llvm/ADT/DenseMap.h"

namespace mpc::cpu {

/// The place of an output of a statement.
struct OutputPlace {
  /// Whether it is the outs operand's own memory.
  bool inPlace = false;
  /// The result of the kernel whose destination it is; -1 for scratch memory.
  int destination = -1;
};

class Storage {
public:
  Storage(kernel::FuncOp kernel, const kernel::Body &body);

  /// Place of output `output` of statement `statement`.
  const OutputPlace &getPlace(unsigned statement, unsigned output) const {
    return places_[statement][output];
  }
  /// The result of the kernel in whose destination `value` lies; -1 if none.
  int getDestination(mlir::Value value) const;

private:
  OutputPlace choosePlace(const kernel::Statement &statement, unsigned output);
  bool canUpdateInPlace(const kernel::Statement &statement, unsigned output);
  int findDestination(mlir::Value value);
  bool readsInputLater(mlir::Value value, unsigned destination);
  bool isFreeAfter(int destination, mlir::Operation *op);

  kernel::FuncOp kernel_;
  llvm::SmallVector<llvm::SmallVector<OutputPlace>> places_;
  llvm::DenseMap<mlir::Value, int> destinations_;
};

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_STORAGE_H
