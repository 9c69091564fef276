// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Loads a model from a file of any supported format.
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

/// Options of an importer, and the files of op libraries, which are still to be
/// read.
struct ImportOptions : ModelOptions {
  /// The files of --op-library=FILE.mlir.
  std::vector<std::string> libraryFiles;
};

/// Reads MODEL.onnx, MODEL.pt2 or FILE.mlir, told apart by the name's extension
/// ("-" is MLIR on standard input). The values of an MLIR file's parameters
/// come from the .safetensors file beside it, where there is one.
rt::Result<ImportedModel> loadModel(const std::string &path,
                                    mlir::MLIRContext &context,
                                    const ImportOptions &options);

/// A model in memory in place of a file.
struct ModelBytes {
  enum class Format {
    Mlir,     ///< The text of a module.
    Onnx,     ///< An ONNX file with its values.
    Exported, ///< The JSON of a program that PyTorch exported.
  };
  Format format = Format::Mlir;
  std::string bytes;
  /// The values of parameters that a text or JSON names, with the memory that
  /// holds them.
  struct Value {
    rt::TensorDesc desc;
    std::string bytes;
  };
  std::vector<Value> values = {};
};

/// Reads the model in `model`; messages call it `name`. External data of ONNX
/// is refused, since there is no file to find it by.
rt::Result<ImportedModel> loadModel(const ModelBytes &model,
                                    const std::string &name,
                                    mlir::MLIRContext &context,
                                    const ImportOptions &options);

/// An error where the exporter removed parameters from the file: they would not
/// be trained as the model was written.
rt::Status refuseLosses(const ImportedModel &model, const std::string &path);

/// A tensor of a file as an importer takes it; its bytes stay in the file's
/// memory.
ModelTensor tensorOf(const rt::TensorView &tensor);

/// A parameter's value in the form that writers of files take.
rt::TensorView viewOf(const ModelTensor &value);

/// The name FILE.safetensors for FILE.mlir.
std::string parameterFileOf(const std::string &path);

} // namespace mpc

#endif // MPC_LIB_DRIVER_MODELFILE_H
