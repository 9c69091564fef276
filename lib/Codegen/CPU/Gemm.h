// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The parts from which #cpu.gemm and #cpu.pack are emitted: arithmetic on
/// strided indices, packing of blocks, the micro-kernel.
#ifndef MPC_LIB_CODEGEN_CPU_GEMM_H
#define MPC_LIB_CODEGEN_CPU_GEMM_H

#include "dialects/Kernel/Contraction.h"
#include "lib/Codegen/CPU/CPUDialect.h"
#include "lib/Codegen/CPU/Emitter.h"

namespace mpc::cpu {

using kernel::StridedIndex;

/// Index arithmetic that folds constants.
class IndexMath {
public:
  explicit IndexMath(Emitter &emitter) : emitter_(emitter) {}

  mlir::Value constant(int64_t value) const;
  mlir::Value add(mlir::Value a, mlir::Value b) const;
  mlir::Value add(mlir::Value a, int64_t b) const;
  mlir::Value sub(mlir::Value a, mlir::Value b) const;
  mlir::Value mul(mlir::Value a, int64_t b) const;
  mlir::Value min(mlir::Value a, mlir::Value b) const;
  mlir::Value div(mlir::Value a, int64_t b) const;
  mlir::Value ceilDiv(mlir::Value a, int64_t b) const;
  mlir::Value rem(mlir::Value a, int64_t b) const;
  /// The largest multiple of `unit` up to `a`.
  mlir::Value floor(mlir::Value a, int64_t unit) const;
  /// The position of `path` at the flat index `index`.
  mlir::Value at(const StridedIndex &path, mlir::Value index) const;

private:
  Emitter &emitter_;
};

/// A factor of a contraction in memory, for one batch.
struct Factor {
  /// The factor's value in f32, which a region computes from its argument, the
  /// element.
  mlir::Value value;
  mlir::BlockArgument argument;
  /// The flat memref, and the position from which the paths start.
  mlir::Value buffer, base;
  StridedIndex outer, k;
};

/// The value that a region computes from `argument`, a factor of a contraction,
/// where that is `element`: a scalar or a vector.
mlir::Value emitFactor(Emitter &emitter, mlir::Value factor,
                       mlir::BlockArgument argument, mlir::Value element);

/// Rows or columns [first, first + count) x k [kFirst, kFirst + kCount) of a
/// factor.
struct FactorBlock {
  mlir::Value first, count, kFirst, kCount;
  /// A divisor of `first`.
  int64_t unit;
  /// The most that `kCount` can be.
  int64_t kMost;
};

/// The destination of packed elements: a flat f32 memref, a position in it, and
/// the distance of rows or panels in elements.
struct PackDestination {
  mlir::Value buffer, offset;
  int64_t stride;
};

/// Packs rows, with k contiguous. Rows from block.count to `padded` are zero.
void emitPackRows(Emitter &emitter, const Factor &factor,
                  const FactorBlock &block, const PackDestination &destination,
                  mlir::Value padded, int64_t lanes);
/// Packs panels of `width` columns, with `width` contiguous elements for each
/// k. Columns from `columns` on, the number of all that exist, are zero.
void emitPackColumns(Emitter &emitter, const Factor &factor,
                     const FactorBlock &block,
                     const PackDestination &destination, int64_t width,
                     int64_t columns, int64_t lanes);
/// Emits #cpu.pack.
void emitPack(Emitter &emitter, const kernel::Body &body, PackAttr schedule);

/// The micro-kernel of a module: rows x columns results in registers, `lanes`
/// columns in a vector.
struct MicroKernel {
  int64_t rows, columns, lanes;
  bool fused;
};
/// An operand of a call of the micro-kernel: a flat f32 memref of any size and
/// a position.
struct MicroOperand {
  mlir::Value buffer, offset;
};
/// Calls the micro-kernel, and adds it to the module if it is missing: `result`
/// (rows x columns) = `init` + `a` (rows `rowStride` apart, k contiguous) times
/// `b` (k x columns). Each element is one chain over ascending `k`.
void emitMicroKernelCall(Emitter &emitter, const MicroKernel &shape,
                         mlir::Value k, MicroOperand a, mlir::Value rowStride,
                         MicroOperand b, MicroOperand init,
                         MicroOperand result);

/// Emits #cpu.gemm.
void emitGemm(Emitter &emitter, const kernel::Body &body, GemmAttr schedule);

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_GEMM_H
