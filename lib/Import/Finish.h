// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The last steps of an import from any format.
#ifndef MPC_LIB_IMPORT_FINISH_H
#define MPC_LIB_IMPORT_FINISH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

namespace mpc {

/// Erases the constants that were folded into others.
void eraseUnusedConstants(mlir::func::FuncOp function);

/// Verifies the module. A failure is the importer's fault, and the error names
/// the first wrong node. Messages call the model `path`.
llvm::Error verifyImported(mlir::ModuleOp module, llvm::StringRef path);

} // namespace mpc

#endif // MPC_LIB_IMPORT_FINISH_H
