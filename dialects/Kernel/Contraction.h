// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a contraction is made of: groups of dimensions, the way that an operand
/// moves through memory along a group, and the map on its result. All of it
/// follows from maps and iterators; the names of ops play no part.
#ifndef MPC_DIALECTS_KERNEL_CONTRACTION_H
#define MPC_DIALECTS_KERNEL_CONTRACTION_H

#include "dialects/Kernel/Body.h"
#include <array>

namespace mpc::kernel {

/// How a flat index over several dimensions moves through a tensor: the
/// dimensions' extents and strides in elements, outermost first. Neighbours
/// that one dimension could stand for are merged.
struct StridedIndex {
  struct Part {
    int64_t extent;
    int64_t stride;
  };
  llvm::SmallVector<Part> parts;

  /// Appends a dimension, which is then the innermost.
  void append(int64_t extent, int64_t stride);
  /// The largest power of two up to `limit` so that indices from a multiple of
  /// it on lie `stride` apart.
  int64_t getRun(int64_t limit, int64_t stride) const;
};

/// A region that adds to a sum the product of functions of one operand each:
/// what a contraction computes, whatever its types, maps and loops.
struct SumOfProducts {
  /// The two inputs of the op that are multiplied.
  std::array<unsigned, 2> operands = {0, 1};
  /// What the region multiplies.
  std::array<mlir::Value, 2> factors;
  /// Whether the region rounds once (fma) or twice (mul, then add).
  bool fused = true;
};

/// The sum of products that the reduction `op` is, if it is one.
std::optional<SumOfProducts> matchSumOfProducts(mlir::linalg::GenericOp op);

/// Whether `op` may become a contraction: it is a sum of products. Such an op
/// sums in another order than other reductions.
bool isSumOfProducts(mlir::linalg::GenericOp op);

/// Statement dimensions of a contraction, each group in its linear order: that
/// of the result in memory, for `K` that of the loops.
struct Contraction : SumOfProducts {
  /// Groups by who uses a dimension: both operands and the result, the first
  /// operand and the result, the second and the result, both operands.
  enum DimGroup { Batch, M, N, K };

  Statement statement;
  std::array<llvm::SmallVector<unsigned>, 4> groups;
  std::array<int64_t, 4> sizes = {1, 1, 1, 1};

  mlir::linalg::GenericOp generic() const { return statement.generic(); }
  mlir::Value getResult() const { return generic()->getResult(0); }
  const Access &getOperand(unsigned operand) const {
    return statement.inputs[operands[operand]];
  }
  /// The region's argument for an operand.
  mlir::BlockArgument getArgument(unsigned operand) const {
    return generic().getBody()->getArgument(operands[operand]);
  }
  /// The extents of a group's dimensions.
  llvm::SmallVector<int64_t> getExtents(DimGroup group) const;
  /// How something with `strides` (one a dimension) moves along `group`.
  StridedIndex getStridedIndex(llvm::ArrayRef<int64_t> strides,
                               DimGroup group) const;
};

/// The contraction that `statement` is, if it is one of f32 accumulation from
/// zero whose result is dense, and whose order is the schedule's to choose.
std::optional<Contraction> matchContraction(const Statement &statement);

/// The ops of `block` that `value` is computed by, in order. Ops whose result
/// is `known` are left out, with what only they need.
llvm::SmallVector<mlir::Operation *>
getSlice(mlir::Value value, mlir::Block *block, mlir::Value known = {});

/// An element of a tensor as a function of the contraction's dimensions.
struct LinearAccess {
  mlir::Value tensor;
  Linear index;
};

/// A statement of the map on a contraction's result.
struct EpilogueStep {
  const Statement *statement;
  /// Inputs, then outputs that the region reads (else null tensors).
  llvm::SmallVector<LinearAccess> reads;
};

/// A value that the kernel returns, and where it goes.
struct EpilogueStore {
  mlir::Value value;
  mlir::Value destination;
  Linear index;
};

/// The map on a contraction's result: elementwise statements over its space.
struct Epilogue {
  llvm::SmallVector<EpilogueStep> steps;
  llvm::SmallVector<EpilogueStore> stores;
};

/// The rest of the body whose first statement is `contraction`, if it is a map
/// over the result. `body` must outlive what is returned.
std::optional<Epilogue> matchEpilogue(FuncOp kernel, const Body &body,
                                      const Contraction &contraction);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_CONTRACTION_H
