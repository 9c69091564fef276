// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The parts of a contraction: groups of dimensions, the way that an operand
/// moves through memory along a group, and the map on its result. They all
/// follow from maps and iterators; names of ops play no part.
#ifndef MPC_DIALECTS_KERNEL_CONTRACTION_H
#define MPC_DIALECTS_KERNEL_CONTRACTION_H

#include "dialects/Kernel/Body.h"
#include <array>

namespace mpc::kernel {

/// How a flat index over several dimensions moves through a tensor: the
/// dimensions' extents and strides in elements, outermost first. Neighbours
/// that can be one dimension are merged.
struct StridedIndex {
  struct Part {
    int64_t extent;
    int64_t stride;
  };
  llvm::SmallVector<Part> parts;

  /// Appends a dimension as the innermost.
  void append(int64_t extent, int64_t stride);
  /// The largest power of two r up to `limit` for which the r indices from any
  /// multiple of r on lie `stride` apart.
  int64_t getRun(int64_t limit, int64_t stride) const;
  /// The number of indices.
  int64_t getSize() const;
};

/// A region that adds to a sum the product of two factors, each a function of
/// one operand. Every contraction computes that, whatever its types, maps and
/// loops.
struct SumOfProducts {
  /// The two inputs of the op that are multiplied.
  std::array<unsigned, 2> operands = {0, 1};
  /// The values that the region multiplies.
  std::array<mlir::Value, 2> factors;
  /// Whether the region rounds once (fma) or twice (mul, then add).
  bool fused = true;
};

/// Reads the reduction `op` as a sum of products; empty where it is none.
std::optional<SumOfProducts> matchSumOfProducts(mlir::linalg::GenericOp op);

/// Whether `op` may become a contraction: it is a sum of products. Such an op
/// sums in another order than other reductions.
bool isSumOfProducts(mlir::linalg::GenericOp op);

/// The dimensions of a contraction by group. Each group is in its linear order:
/// the order of the result in memory, and for `K` the order of the loops.
struct Contraction : SumOfProducts {
  /// A dimension's group says who uses it: both operands and the result, the
  /// first operand and the result, the second and the result, both operands.
  enum DimGroup { Batch, M, N, K };
  /// The dimensions that only operand 0 or 1, and the result, have.
  static DimGroup outerOf(unsigned operand) { return operand == 0 ? M : N; }

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
  /// The dimensions of the result, outermost in memory first.
  llvm::SmallVector<unsigned> getResultDims() const;
  /// The extents of a group's dimensions.
  llvm::SmallVector<int64_t> getExtents(DimGroup group) const;
  /// How an operand with `strides` (one for each dimension) moves along
  /// `group`.
  StridedIndex getStridedIndex(llvm::ArrayRef<int64_t> strides,
                               DimGroup group) const;
};

/// Reads `statement` as a contraction; empty where it is none. A contraction
/// accumulates in f32 from zero, its result is dense, and its schedule may
/// choose the order of sums.
std::optional<Contraction> matchContraction(const Statement &statement);

/// The ops of `block` that compute `value`, in order. Ops whose result is
/// `known` are left out, and so are ops that only these need.
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
  /// The inputs, and then the outputs that the region reads. The tensor of an
  /// output that it does not read is null.
  llvm::SmallVector<LinearAccess> reads;
};

/// A value that the kernel returns, and its destination.
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

/// The rest of the body, after its first statement, of a kernel of kind
/// Contraction. `body` must outlive the epilogue.
Epilogue getEpilogue(FuncOp kernel, const Body &body);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_CONTRACTION_H
