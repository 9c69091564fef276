// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Structured ops with several results, from which bodies of amp ops are built.
#ifndef MPC_DIALECTS_AMP_MAPBUILDER_H
#define MPC_DIALECTS_AMP_MAPBUILDER_H

#include "dialects/Interfaces/Fp.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mpc::amp {

/// Builds the results from one element of each input and then of each init.
using ScalarsFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::ImplicitLocOpBuilder &, mlir::ValueRange)>;

/// A map over the space of `shape`, elementwise into `inits`, whose old
/// elements it may read. An input of rank 0 has the same value for every
/// element.
llvm::SmallVector<mlir::Value>
buildMapInto(mlir::OpBuilder &builder, mlir::Location loc,
             llvm::ArrayRef<int64_t> shape, mlir::ValueRange inputs,
             mlir::ValueRange inits, ScalarsFn fn);

/// Results of rank 0 from inputs of rank 0.
llvm::SmallVector<mlir::Value> buildScalars(mlir::OpBuilder &builder,
                                            mlir::Location loc,
                                            mlir::ValueRange inputs,
                                            mlir::TypeRange elementTypes,
                                            ScalarsFn fn);

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_MAPBUILDER_H
