// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From an ONNX file to a module of nn ops and the values of its parameters.
/// This header and OnnxFile.h are the door: nothing outside of this folder
/// names anything else of it.
#ifndef MPC_LIB_IMPORT_ONNX_ONNXIMPORTER_H
#define MPC_LIB_IMPORT_ONNX_ONNXIMPORTER_H

#include "lib/Import/Model.h"

namespace mpc {

/// Imports the file at `path` ("-" is stdin). Errors are ImportErrors.
llvm::Expected<ImportedModel> importOnnx(llvm::StringRef path,
                                         mlir::MLIRContext &context,
                                         const ModelOptions &options = {});

/// Imports the file that `buffer` holds; `name` is what messages call it.
/// `folder` is where its external data lies; without one it may name none.
llvm::Expected<ImportedModel>
importOnnx(std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::StringRef name,
           mlir::MLIRContext &context, const ModelOptions &options = {},
           llvm::StringRef folder = "");

/// A line for each version of each op that is imported: since when, how many
/// inputs and outputs, which attributes.
std::string describeOnnxOps();

} // namespace mpc

#endif // MPC_LIB_IMPORT_ONNX_ONNXIMPORTER_H
