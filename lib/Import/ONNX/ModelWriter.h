// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes a model's file again with other values in its initializers.
#ifndef MPC_LIB_IMPORT_ONNX_MODELWRITER_H
#define MPC_LIB_IMPORT_ONNX_MODELWRITER_H

#include "lib/Import/ONNX/OnnxFile.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"
#include "llvm/ADT/StringMap.h"

namespace mpc::onnx {

/// Prepares a model from readModelAsWritten for writing. Initializers that the
/// exporter has merged become several again, under the names that
/// separateMerged gives them. Fails where data in other files is missing.
llvm::Error prepareToWrite(Model &model);

/// Copies the model's file field by field. Two things are replaced: the data of
/// initializers of the main graph that `values` names, by as many bytes of the
/// same types; and the place of external data, all of which goes to `dataFile`.
OnnxFile::Written
writeModel(const Model &model,
           const llvm::StringMap<llvm::ArrayRef<char>> &values,
           llvm::StringRef dataFile);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_MODELWRITER_H
