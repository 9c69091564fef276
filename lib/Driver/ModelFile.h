// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A model from a file of any format that we read.
#ifndef MPC_LIB_DRIVER_MODELFILE_H
#define MPC_LIB_DRIVER_MODELFILE_H

#include "lib/Import/Model.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <optional>
#include <string>
#include <vector>

namespace mpc {

/// What an importer takes, and whose files are still to be read.
struct ImportOptions : ModelOptions {
  std::vector<std::string> libraryFiles; ///< --op-library=FILE.mlir.
};

/// Reads MODEL.onnx, MODEL.pt2 or FILE.mlir, told apart by the end of the name
/// ("-" is MLIR on stdin). The values of an MLIR file's parameters are those in
/// the .safetensors file beside it, where there is one.
rt::Result<ImportedModel> loadModel(const std::string &path,
                                    mlir::MLIRContext &context,
                                    const ImportOptions &options);

/// A model that lies in memory in place of a file.
struct ModelBytes {
  enum class Format {
    Mlir,     ///< A module's text.
    Onnx,     ///< A file of ONNX, with its values.
    Exported, ///< The JSON of a program that PyTorch exported.
  };
  Format format = Format::Mlir;
  std::string bytes;
  /// Values of what a text or JSON names, with their memory.
  struct Value {
    rt::TensorDesc desc;
    std::string bytes;
  };
  std::vector<Value> values = {};
};

/// Reads what `model` holds; `name` is what messages call it. External data of
/// ONNX is in no file then, and refused.
rt::Result<ImportedModel> loadModel(const ModelBytes &model,
                                    const std::string &name,
                                    mlir::MLIRContext &context,
                                    const ImportOptions &options);

/// An error where the exporter took parameters from the file: they would not be
/// trained as the model was written.
rt::Status refuseLosses(const ImportedModel &model, const std::string &path);

/// A tensor of a file as an importer takes it; its bytes are the file's.
ModelTensor tensorOf(const rt::TensorView &tensor);

/// A parameter's value as the writers of files take it.
rt::TensorView viewOf(const ModelTensor &value);

/// FILE.safetensors for FILE.mlir.
std::string parameterFileOf(const std::string &path);

} // namespace mpc

#endif // MPC_LIB_DRIVER_MODELFILE_H
