// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Imports an ONNX file to a module of nn ops and the values of its parameters.
/// This header and OnnxFile.h are the interface of this folder: no other code
/// names anything else in it.
#ifndef MPC_LIB_IMPORT_ONNX_ONNXIMPORTER_H
#define MPC_LIB_IMPORT_ONNX_ONNXIMPORTER_H

#include "lib/Import/Model.h"

namespace mpc {

/// Imports the file at `path` ("-" is stdin). Errors are ImportErrors.
llvm::Expected<ImportedModel> importOnnx(llvm::StringRef path,
                                         mlir::MLIRContext &context,
                                         const ModelOptions &options = {});

/// Imports the file in `buffer`, which messages call `name`. `folder` has its
/// external data; an empty folder forbids any.
llvm::Expected<ImportedModel>
importOnnx(std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::StringRef name,
           mlir::MLIRContext &context, const ModelOptions &options = {},
           llvm::StringRef folder = "");

/// A line for each imported version of each op: its first opset, the numbers of
/// inputs and outputs, and the attributes.
std::string describeOnnxOps();

} // namespace mpc

#endif // MPC_LIB_IMPORT_ONNX_ONNXIMPORTER_H
