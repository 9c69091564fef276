// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A kernel's body as emitters and schedules see it: statements over an
/// iteration space, and for each operand the place in memory that an iteration
/// touches. Dimensions of extent 1 are dropped, so that equal things look
/// equal whatever their rank.
#ifndef MPC_DIALECTS_KERNEL_BODY_H
#define MPC_DIALECTS_KERNEL_BODY_H

#include "dialects/Kernel/KernelDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <vector>

namespace mpc::kernel {

/// A tensor, and the flat row-major position of the element that an iteration
/// reads or writes, as an expression of the statement's dimensions.
struct Access {
  mlir::Value tensor;
  mlir::AffineExpr index;
};

/// An affine expression without mod and division: offset + sum of
/// stride * dimension.
struct Linear {
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0;
};

/// `expr` over `numDims` dimensions as a Linear, if it is one.
std::optional<Linear> getLinear(mlir::AffineExpr expr, unsigned numDims);

/// A structured op: destination style, over loops of known extents. Only a
/// `linalg.generic` has accesses; other ops compute their accesses from data.
struct Statement {
  mlir::Operation *op = nullptr;
  /// The extent of each dimension; none is 1.
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<bool> reduced; ///< Whether each dimension is summed over.
  llvm::SmallVector<Access> inputs;
  llvm::SmallVector<Access> outputs; ///< `tensor` is the outs operand.
  /// The value of `linalg.index d` over the statement's dimensions, for each d.
  llvm::SmallVector<mlir::AffineExpr> indices;

  mlir::linalg::GenericOp generic() const {
    return mlir::dyn_cast<mlir::linalg::GenericOp>(op);
  }
  /// The value that output `index` overwrites.
  mlir::Value getInit(unsigned index) const {
    return mlir::cast<mlir::DestinationStyleOpInterface>(op)
        .getDpsInitOperand(index)
        ->get();
  }
  unsigned numDims() const { return extents.size(); }
  int64_t numIterations() const;
  /// The number of iterations of the parallel dimensions.
  int64_t numParallel() const;
  bool isParallel() const { return !llvm::is_contained(reduced, true); }
  /// Whether the region reads what output `index` held before.
  bool readsOutput(unsigned index) const;
  /// Whether the statement writes every element of output `index`.
  bool coversOutput(unsigned index) const;
  /// Whether it reads tensors at computed places (see below).
  bool readsByIndex() const;
};

/// Whether the region of `op` reads tensors at computed places, by
/// `tensor.extract`. Access maps do not describe such reads.
bool readsByIndex(mlir::linalg::GenericOp op);

/// The flat row-major position of the element at which `map` points in a tensor
/// of `shape`.
mlir::AffineExpr getFlatIndex(mlir::AffineMap map,
                              llvm::ArrayRef<int64_t> shape);

/// The statements of a kernel, in order. Fills, empty tensors and constants are
/// no statements: they give an operand its first value.
struct Body {
  std::vector<Statement> statements;
};

/// The statement and its output that computed `value`; empty for arguments and
/// the like.
struct Producer {
  unsigned statement;
  unsigned output;
};
std::optional<Producer> getProducer(mlir::Value value, const Body &body);

/// The op in the region of a reduction that combines a value into output
/// `output`; null if it is not one associative op.
mlir::Operation *getCombiner(const Statement &statement, unsigned output);

/// Whether a reduction must combine in the order of its loops, so that a
/// schedule may not reorder it: it has `kernel.in_order`.
bool isInOrder(const Statement &statement);
/// Whether a body has such a reduction.
bool hasInOrder(const Body &body);
/// Marks a reduction with `kernel.in_order`.
void setInOrder(mlir::linalg::GenericOp op);

/// Reads one structured op, whose shapes are static.
Statement getStatement(mlir::linalg::GenericOp op);

/// Reads a kernel's body; reports ops that no emitter can handle.
mlir::FailureOr<Body> getBody(FuncOp kernel);

/// The scalar that every element of `tensor` equals, if a fill says so.
mlir::Value getSplat(mlir::Value tensor);

/// Whether the elements of `tensor` are undefined.
bool isUndefined(mlir::Value tensor);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_BODY_H
