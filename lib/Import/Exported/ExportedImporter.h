// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From a program that PyTorch exported (torch.export.save) to a module of nn
/// ops and the values of its parameters. This header is the door: nothing
/// outside of this folder names anything else of it.
#ifndef MPC_LIB_IMPORT_EXPORTED_EXPORTEDIMPORTER_H
#define MPC_LIB_IMPORT_EXPORTED_EXPORTEDIMPORTER_H

#include "lib/Import/Model.h"

namespace mpc {

/// Imports the archive at `path` (.pt2). Neither Python nor PyTorch is needed.
/// Errors are ImportErrors.
llvm::Expected<ImportedModel> importExported(llvm::StringRef path,
                                             mlir::MLIRContext &context,
                                             const ModelOptions &options = {});

/// Imports the JSON of an exported program, which holds no values: those of its
/// parameters, buffers and constants are `values`, by the names of
/// state_dict(). `name` is what messages call the model.
llvm::Expected<ImportedModel> importExported(llvm::StringRef json,
                                             llvm::StringRef name,
                                             llvm::ArrayRef<ModelTensor> values,
                                             mlir::MLIRContext &context,
                                             const ModelOptions &options = {});

/// A line for each op that is imported: its name and overload.
std::string describeExportedOps();

/// Whether the importer reads nodes of that target, as
/// "torch.ops.aten.linear.default".
bool readsExportedOp(llvm::StringRef target);

} // namespace mpc

#endif // MPC_LIB_IMPORT_EXPORTED_EXPORTEDIMPORTER_H
