// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The end of an import, whatever format the model had.
#ifndef MPC_LIB_IMPORT_FINISH_H
#define MPC_LIB_IMPORT_FINISH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

namespace mpc {

/// Erases the constants that were folded into others.
void eraseUnusedConstants(mlir::func::FuncOp function);

/// A module that does not verify is the importer's fault, which names the first
/// node that is wrong. `path` is what messages call the model.
llvm::Error verifyImported(mlir::ModuleOp module, llvm::StringRef path);

} // namespace mpc

#endif // MPC_LIB_IMPORT_FINISH_H
