// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A group of gradients in one flat range, as transforms of gradients see it.
#ifndef MPC_DIALECTS_AMP_GRADIENTGROUP_H
#define MPC_DIALECTS_AMP_GRADIENTGROUP_H

#include "mlir/IR/Builders.h"

namespace mpc::amp {

/// Elements of a block: the unit of the finite check. Slabs are whole blocks.
inline constexpr int64_t kBlockSize = 4096;

/// Gradients of one optimizer whose parameters lie in one slab.
struct GradientGroup {
  mlir::Value gradients;    ///< Flat, of f32; zero between tensors.
  mlir::Value parameters;   ///< Laid out alike; null unless they are needed.
  bool decay = false;       ///< Whether the parameters see weight decay.
  mlir::ValueRange scalars; ///< The transform's operands behind the first.
  /// How many blocks each tensor has; empty unless tensors are needed.
  llvm::ArrayRef<int64_t> blocks;
};

/// `range` with one block a row.
mlir::Value buildBlocks(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value range);
/// `blocks` as one flat range.
mlir::Value buildRange(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value blocks);
/// The sum of squares of each block of `range`, in f64.
mlir::Value buildSquareSums(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value range);
/// The norm of each tensor of `range`, of so many blocks, in f64.
mlir::Value buildNorms(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value range, llvm::ArrayRef<int64_t> blocks);
/// `range`, each tensor of so many blocks times its factor.
mlir::Value buildScaled(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value range, mlir::Value factors,
                        llvm::ArrayRef<int64_t> blocks);
/// `transform`, an elementwise op with a kernel body, on a group's range.
mlir::Value buildOnRange(mlir::Operation *transform, mlir::OpBuilder &builder,
                         const GradientGroup &group);

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_GRADIENTGROUP_H
