// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An imported model, and what its user says of it, whatever format it had.
#ifndef MPC_LIB_IMPORT_MODEL_H
#define MPC_LIB_IMPORT_MODEL_H

#include "lib/Import/ModelStorage.h"
#include "lib/Import/OpLibrary.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/Support/DType.h"

namespace mpc {

/// A tensor with its value: little-endian elements, a bool in a byte.
struct ModelTensor {
  rt::TensorDesc desc;
  llvm::ArrayRef<char> bytes;
};

/// What an initializer is to a training.
enum class RoleKind {
  Parameter, ///< Trained.
  Buffer,    ///< State that is not trained: running statistics.
  Constant,
};

/// "parameter", "buffer" or "constant".
llvm::StringRef toString(RoleKind kind);

/// What an importer decided about an initializer, and by which rule.
struct InitializerRole {
  std::string name;
  /// "f32", or the file's own word for a type that mpc does not have.
  std::string elementType;
  std::vector<int64_t> shape;
  RoleKind kind = RoleKind::Constant;
  std::string rule;
  /// Of a parameter: the modules that read it. Several are tied to it.
  std::vector<std::string> readers = {};
  /// Of a parameter: its further names in the model's state.
  std::vector<std::string> otherNames = {};
};

/// What --parameter=NAME, --buffer=NAME and --constant=NAME say.
using RoleFlags = std::vector<std::pair<std::string, RoleKind>>;

/// What the user says about a model that the file leaves open.
struct ModelOptions {
  /// --input-shape=NAME=8x64: dimensions of a graph input.
  std::vector<std::pair<std::string, std::vector<int64_t>>> inputShapes;
  /// --batch-size: the first dimension of the inputs, where it is open.
  std::optional<int64_t> batchSize;
  /// --input-value=NAME=0,2: what is compiled in where an op asks for a number
  /// that has to be known, like axes and sizes.
  std::vector<std::pair<std::string, std::vector<double>>> inputNumbers;
  /// The same of a file of inputs; its bytes outlive the import.
  std::vector<ModelTensor> inputTensors;
  /// --parameter=NAME, --buffer=NAME, --constant=NAME: decided before any rule.
  RoleFlags roles;
  /// --frozen-batch-norm and --no-grad: regular expressions, "all" or "none".
  std::vector<std::string> frozenBatchNorms, noGrad;
  /// --op-library=FILE.mlir: ops of custom domains. Its functions belong to the
  /// context of the import.
  std::shared_ptr<const OpLibrary> library;
};

/// Reads "NAME=0,2" into `options`.
llvm::Error parseInputValue(llvm::StringRef text, ModelOptions &options);

/// Reads "NAME=8x64" (or "NAME=" for a scalar) into `options`.
llvm::Error parseInputShape(llvm::StringRef text, ModelOptions &options);

/// `module` holds `func.func @model` and an nn.parameter for each parameter, a
/// frozen one for each buffer; the values of these stay outside.
struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// By their names, without those that the model does not use. The bytes
  /// belong to `storage`.
  std::vector<ModelTensor> parameters;
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
  ModelStorage storage;
};

} // namespace mpc

#endif // MPC_LIB_IMPORT_MODEL_H
