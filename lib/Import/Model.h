// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An imported model, and the user's options for an import, independent of the
/// format.
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

/// The role of an initializer in a training.
enum class RoleKind {
  Parameter, ///< A tensor that is trained.
  Buffer,    ///< State that is not trained: running statistics.
  Constant,
};

/// "parameter", "buffer" or "constant".
llvm::StringRef toString(RoleKind kind);

/// The role that an importer gave an initializer, and the rule by which it did.
struct InitializerRole {
  std::string name;
  /// "f32", or the file's own name for a type that mpc does not have.
  std::string elementType;
  std::vector<int64_t> shape;
  RoleKind kind = RoleKind::Constant;
  std::string rule;
  /// The modules that read a parameter. If there are several, they are tied.
  std::vector<std::string> readers = {};
  /// Further names of a parameter in the model's state.
  std::vector<std::string> otherNames = {};
};

/// The values of --parameter=NAME, --buffer=NAME and --constant=NAME.
using RoleFlags = std::vector<std::pair<std::string, RoleKind>>;

/// The user's answers to what the file leaves open.
struct ModelOptions {
  /// --input-shape=NAME=8x64: the dimensions of a graph input.
  std::vector<std::pair<std::string, std::vector<int64_t>>> inputShapes;
  /// --batch-size: the first dimension of the inputs, where it is open.
  std::optional<int64_t> batchSize;
  /// --input-value=NAME=0,2: the value used at compile time, where an op needs
  /// a known number, as for axes and sizes.
  std::vector<std::pair<std::string, std::vector<double>>> inputNumbers;
  /// Such values from a file of inputs; its bytes must outlive the import.
  std::vector<ModelTensor> inputTensors;
  /// --parameter=NAME, --buffer=NAME, --constant=NAME. They take precedence
  /// over any rule.
  RoleFlags roles;
  /// --frozen-batch-norm and --no-grad: regular expressions, "all" or "none".
  std::vector<std::string> frozenBatchNorms, noGrad;
  /// --op-library=FILE.mlir: ops of custom domains. The library's functions
  /// must belong to the context of the import.
  std::shared_ptr<const OpLibrary> library;
};

/// Reads "NAME=0,2" into `options`.
llvm::Error parseInputValue(llvm::StringRef text, ModelOptions &options);

/// Reads "NAME=8x64" (or "NAME=" for a scalar) into `options`.
llvm::Error parseInputShape(llvm::StringRef text, ModelOptions &options);

/// An imported model. `module` contains `func.func @model`, and an nn.parameter
/// for each parameter and, frozen, for each buffer. Their values are outside of
/// it.
struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The values by name, without those that the model does not use. The bytes
  /// belong to `storage`.
  std::vector<ModelTensor> parameters;
  /// In the file's order, including unused ones.
  std::vector<InitializerRole> initializers;
  /// Facts that the user may want to know, and probable mistakes.
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  /// Warnings that matter where gradients are computed, and where the model is
  /// trained.
  std::vector<std::string> gradientWarnings, trainingWarnings;
  /// The warning about parameters that the exporter removed, and that cannot be
  /// trained; empty where it removed none.
  std::string losses;
  /// The paths of files that were read, or would be if they existed.
  std::vector<std::string> files;
  ModelStorage storage;
};

} // namespace mpc

#endif // MPC_LIB_IMPORT_MODEL_H
