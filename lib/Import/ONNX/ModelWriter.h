// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A model's file once more, with other values in its initializers.
#ifndef MPC_LIB_IMPORT_ONNX_MODELWRITER_H
#define MPC_LIB_IMPORT_ONNX_MODELWRITER_H

#include "lib/Import/ONNX/OnnxFile.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"
#include "llvm/ADT/StringMap.h"

namespace mpc::onnx {

/// Makes a model of readModelAsWritten one that may be written: initializers
/// that the exporter made one of several are several again, under the names of
/// separateMerged. Fails where data in other files is not at hand.
llvm::Error prepareToWrite(Model &model);

/// The model's file once more, field by field as it is. Replaced are the data
/// of its graph's initializers that `values` names, by as many bytes of the
/// same types, and where external data lies: all of it in `dataFile`.
OnnxFile::Written
writeModel(const Model &model,
           const llvm::StringMap<llvm::ArrayRef<char>> &values,
           llvm::StringRef dataFile);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_MODELWRITER_H
