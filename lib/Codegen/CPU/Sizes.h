// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds the numbers of an emitted kernel that can be passed to its code at run
/// time: extents, strides, offsets, and floats.
#ifndef MPC_LIB_CODEGEN_CPU_SIZES_H
#define MPC_LIB_CODEGEN_CPU_SIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mpc::cpu {

/// The number of an index constant.
std::optional<int64_t> numberOf(mlir::Value value);

/// (2^64 - 1) / divisor, rounded down. The upper half of its product with x + 1
/// is floor(x / divisor) wherever (x + 1) * divisor <= 2^64.
uint64_t reciprocalOf(uint64_t divisor);

/// An operand that is a size or a float. A divisor is two sizes: the number, by
/// which a remainder follows from a quotient, and the reciprocal, by which a
/// multiplication yields the quotient. A division would take a CPU many times
/// as long.
struct Size {
  mlir::OpOperand *operand;
  bool isReciprocal;

  /// The number that is passed to the code; for a float its bits.
  int64_t number() const;
};

/// The sizes of one kernel, which is a `func.func` with a `#cpu.kernel`.
class Sizes {
public:
  explicit Sizes(mlir::func::FuncOp kernel);

  /// The sizes in program order.
  llvm::ArrayRef<Size> all() const { return sizes_; }
  bool isSize(mlir::OpOperand &operand) const {
    return operands_.contains(&operand);
  }

private:
  bool hasReciprocal(mlir::OpOperand &operand);
  bool mayBeTold(mlir::OpOperand &operand);
  void add(mlir::OpOperand &operand);
  uint64_t mostOf(mlir::Value value);
  uint64_t computeMost(mlir::Value value);

  mlir::func::FuncOp kernel_;
  llvm::SmallVector<Size> sizes_;
  llvm::DenseSet<mlir::OpOperand *> operands_;
  llvm::DenseMap<mlir::Value, uint64_t> most_;
};

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_SIZES_H
