// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A group of gradients in one flat range, as gradient transforms see it.
#ifndef MPC_DIALECTS_AMP_GRADIENTGROUP_H
#define MPC_DIALECTS_AMP_GRADIENTGROUP_H

#include "mlir/IR/Builders.h"

namespace mpc::amp {

/// The number of elements of a block, the unit of the finite check. Slabs are
/// whole blocks.
inline constexpr int64_t kBlockSize = 4096;

/// Gradients of one optimizer whose parameters lie in one slab.
struct GradientGroup {
  mlir::Value gradients; ///< A flat f32 range with zeros between tensors.
  /// The parameters in the same layout; null unless they are needed.
  mlir::Value parameters;
  bool decay = false;       ///< Whether the parameters see weight decay.
  mlir::ValueRange scalars; ///< The transform's operands after the first.
  /// The number of blocks of each tensor; empty unless tensors are needed.
  llvm::ArrayRef<int64_t> blocks;
};

/// `range` as a matrix with one block a row.
mlir::Value buildBlocks(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value range);
/// `blocks` as one flat range.
mlir::Value buildRange(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value blocks);
/// The sum of squares of each block of `range`, in f64.
mlir::Value buildSquareSums(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value range);
/// The norm in f64 of each tensor of `range`. Tensor i has blocks[i] blocks.
mlir::Value buildNorms(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value range, llvm::ArrayRef<int64_t> blocks);
/// `range` with each tensor multiplied by its factor. Tensor i has blocks[i]
/// blocks.
mlir::Value buildScaled(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value range, mlir::Value factors,
                        llvm::ArrayRef<int64_t> blocks);
/// Applies `transform`, an elementwise op with a kernel body, to a group's
/// range.
mlir::Value buildOnRange(mlir::Operation *transform, mlir::OpBuilder &builder,
                         const GradientGroup &group);

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_GRADIENTGROUP_H
