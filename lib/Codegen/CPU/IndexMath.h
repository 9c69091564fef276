// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Index arithmetic that folds constants.
#ifndef MPC_LIB_CODEGEN_CPU_INDEXMATH_H
#define MPC_LIB_CODEGEN_CPU_INDEXMATH_H

#include "dialects/Kernel/Contraction.h"
#include "lib/Codegen/CPU/Emitter.h"

namespace mpc::cpu {

class IndexMath {
public:
  explicit IndexMath(Emitter &emitter) : emitter_(emitter) {}

  mlir::Value constant(int64_t value) const;
  mlir::Value add(mlir::Value a, mlir::Value b) const;
  mlir::Value add(mlir::Value a, int64_t b) const;
  mlir::Value sub(mlir::Value a, mlir::Value b) const;
  mlir::Value mul(mlir::Value a, int64_t b) const;
  mlir::Value min(mlir::Value a, mlir::Value b) const;
  mlir::Value max(mlir::Value a, mlir::Value b) const;
  mlir::Value div(mlir::Value a, int64_t b) const;
  mlir::Value ceilDiv(mlir::Value a, int64_t b) const;
  mlir::Value rem(mlir::Value a, int64_t b) const;
  /// The largest multiple of `unit` up to `a`.
  mlir::Value floor(mlir::Value a, int64_t unit) const;
  /// The position of `strided` at the flat index `index`.
  mlir::Value at(const kernel::StridedIndex &strided, mlir::Value index) const;

private:
  Emitter &emitter_;
};

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_INDEXMATH_H
