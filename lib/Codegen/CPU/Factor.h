// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reads the elements of a product's factor, in the type that is multiplied.
#ifndef MPC_LIB_CODEGEN_CPU_FACTOR_H
#define MPC_LIB_CODEGEN_CPU_FACTOR_H

#include "lib/Codegen/CPU/IndexMath.h"
#include <functional>

namespace mpc::cpu {

/// A factor of a product in memory, for one batch.
struct Factor {
  /// The type in which it is multiplied, and the value in that type of an
  /// element in memory: of scalars and of vectors.
  mlir::Type type;
  std::function<mlir::Value(mlir::Value)> convert;
  /// The flat memref, and the position from which `outer` and `k` start.
  mlir::Value buffer, base;
  kernel::StridedIndex outer, k;
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

/// Reads the elements of a block. An element's place is the sum of a place of
/// its row or column and a place of its k.
class FactorReader {
public:
  /// All of them must outlive this object.
  FactorReader(Emitter &emitter, const Factor &factor, const FactorBlock &block)
      : emitter_(emitter), builder_(emitter.builder), loc_(emitter.loc),
        math_(emitter), factor_(factor), block_(block) {}

  /// The place of row or column `index` of the block, and of its `k`.
  mlir::Value outerAt(mlir::Value index);
  mlir::Value kAt(mlir::Value k);
  /// Computes the places of every `unit`-th k once for all rows or columns,
  /// where they take divisions. kAt() is then asked for these only.
  void buildKTable(int64_t unit);

  /// `width` elements, 1 or 2 apart; a scalar if `width` is 1.
  mlir::Value load(mlir::Value place, int64_t width, int64_t stride = 1);
  /// The elements at `places`.
  mlir::Value gather(mlir::ArrayRef<mlir::Value> places);
  /// 8 vectors of 8: the elements at the given places, transposed. Elements are
  /// contiguous along the side that has a single place. With a `depth` of 2, a
  /// pair of neighbours takes the place of an element.
  llvm::SmallVector<mlir::Value>
  loadTransposed(mlir::ArrayRef<mlir::Value> outer,
                 mlir::ArrayRef<mlir::Value> k, int64_t depth = 1);
  /// The same of `count` elements from each of 8 places on, 8 at a time: part
  /// `n` of vector `i` has the elements `8 * n + i`.
  llvm::SmallVector<mlir::Value>
  loadTransposedParts(mlir::ArrayRef<mlir::Value> places, int64_t count);
  /// Says that what lies at `place` is read soon. It may lie behind the end.
  void prefetch(mlir::Value place);

private:
  mlir::Value kFromTable(mlir::Value k);
  mlir::Value loadEverySecond(mlir::Value place, int64_t width);

  Emitter &emitter_;
  mlir::OpBuilder &builder_;
  mlir::Location loc_;
  IndexMath math_;
  const Factor &factor_;
  const FactorBlock &block_;
  /// The places of every `kUnit_`-th k; null where they are easy to compute.
  mlir::Value kTable_;
  int64_t kUnit_ = 1;
};

} // namespace mpc::cpu

#endif // MPC_LIB_CODEGEN_CPU_FACTOR_H
