// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds the numbers of an emitted kernel that its code may as well be told
/// when it runs: extents, strides, offsets, and floats.
#ifndef MPC_LIB_CODEGEN_CPU_SIZES_H
#define MPC_LIB_CODEGEN_CPU_SIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mpc::cpu {

/// The number of an index constant.
std::optional<int64_t> numberOf(mlir::Value value);

/// (2^64 - 1) / divisor, rounded down: its product with x + 1 has
/// floor(x / divisor) as its upper half wherever (x + 1) * divisor <= 2^64.
uint64_t reciprocalOf(uint64_t divisor);

/// An operand that is a size, or a float. A divisor is one twice: as the
/// number, by which a remainder is made of a quotient, and as the reciprocal,
/// by which a product is the quotient: a CPU takes many times as long for a
/// division.
struct Size {
  mlir::OpOperand *operand;
  bool isReciprocal;

  /// What the code is told; of a float its bits.
  int64_t number() const;
};

/// The sizes of one kernel, which is a `func.func` with a `#cpu.kernel`.
class Sizes {
public:
  explicit Sizes(mlir::func::FuncOp kernel);

  llvm::ArrayRef<Size> all() const { return sizes_; } ///< In program order.
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
