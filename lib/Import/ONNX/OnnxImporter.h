// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From an ONNX file to a module of nn ops and the values of its parameters.
#ifndef MPC_LIB_IMPORT_ONNX_ONNXIMPORTER_H
#define MPC_LIB_IMPORT_ONNX_ONNXIMPORTER_H

#include "lib/Import/ONNX/InitializerRoles.h"
#include "lib/Import/ONNX/OpLibrary.h"
#include "lib/Import/ONNX/Read/OnnxModel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mpc::onnx {

/// What the user says about a model that the file leaves open.
struct ImportOptions {
  /// --input-shape=NAME=8x64: dimensions of a graph input.
  std::vector<std::pair<std::string, std::vector<int64_t>>> inputShapes;
  /// --batch-size: the first dimension of the inputs, where it is open.
  std::optional<int64_t> batchSize;
  /// --input-value=NAME=0,2: what is compiled in where an op asks for a number
  /// that has to be known, like axes and sizes.
  std::vector<std::pair<std::string, std::vector<double>>> inputNumbers;
  /// The same of a file of inputs; its bytes outlive the import.
  std::vector<Tensor> inputTensors;
  /// --parameter=NAME, --buffer=NAME, --constant=NAME: decided before the table
  /// of rules.
  RoleFlags roles;
  /// --frozen-batch-norm and --no-grad: what NameChoice reads.
  std::vector<std::string> frozenBatchNorms, noGrad;
  /// --op-library=FILE.mlir: ops of custom domains. Its functions belong to the
  /// context of the import.
  std::shared_ptr<const OpLibrary> library;
};

/// The value of an nn.parameter, by its symbol's name. `bytes` belong to the
/// imported model's storage.
struct ParameterValue {
  std::string name;
  ElemType type = ElemType::Float;
  std::vector<int64_t> shape;
  llvm::ArrayRef<char> bytes;
};

/// `module` holds `func.func @model` and an nn.parameter for each parameter, a
/// frozen one for each buffer; the values of these stay outside.
struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<ParameterValue> parameters;
  /// In the file's order, unused ones included.
  std::vector<InitializerRole> initializers;
  /// What the user may want to know, and what probably is a mistake.
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  /// Those that matter where gradients are taken, and where the model trains.
  std::vector<std::string> gradientWarnings, trainingWarnings;
  /// The warning that says what the exporter took, which cannot be trained;
  /// empty where it took nothing.
  std::string losses;
  /// Paths of what was read, or would have been if it were there.
  std::vector<std::string> files;
  Storage storage;
};

/// Imports the file at `path` ("-" is stdin). Errors are ImportErrors.
llvm::Expected<ImportedModel> importModel(llvm::StringRef path,
                                          mlir::MLIRContext &context,
                                          const ImportOptions &options = {});

/// Imports a model that has been read.
llvm::Expected<ImportedModel> importModel(Model model,
                                          mlir::MLIRContext &context,
                                          const ImportOptions &options = {});

/// A line for each version of each op that is imported: since when, how many
/// inputs and outputs, which attributes.
std::string describeOps();

/// Reads "NAME=0,2" into `options`.
llvm::Error parseInputValue(llvm::StringRef text, ImportOptions &options);

/// Reads "NAME=8x64" (or "NAME=" for a scalar) into `options`.
llvm::Error parseInputShape(llvm::StringRef text, ImportOptions &options);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_ONNXIMPORTER_H
