// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Imports models from memory and shows what came of it.
#ifndef MPC_TEST_LIB_IMPORT_ONNX_IMPORTING_H
#define MPC_TEST_LIB_IMPORT_ONNX_IMPORTING_H

#include "ModelWriter.h"
#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/OnnxImporter.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

namespace mpc::onnx {

/// What an import gave: the module's text, or the error's.
struct Outcome {
  std::string module;
  std::string error;
  ImportFault fault = ImportFault::Input;
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  std::vector<std::string> parameters;

  bool ok() const { return error.empty(); }
};

/// `context` is that of `options.library`.
inline Outcome importInto(mlir::MLIRContext &context, const std::string &bytes,
                          const ModelOptions &options = {},
                          const std::string &folder = "") {
  Outcome outcome;
  auto imported = importOnnx(llvm::MemoryBuffer::getMemBufferCopy(bytes),
                             "m.onnx", context, options, folder);
  if (!imported) {
    outcome.fault = takeError(imported.takeError(), outcome.error);
    return outcome;
  }
  llvm::raw_string_ostream os(outcome.module);
  imported->module->print(os);
  outcome.notes = imported->notes;
  outcome.warnings = imported->warnings;
  for (const ModelTensor &value : imported->parameters)
    outcome.parameters.push_back(value.desc.name);
  return outcome;
}

inline Outcome importBytes(const std::string &bytes,
                           const ModelOptions &options = {},
                           const std::string &folder = "") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  return importInto(context, bytes, options, folder);
}

inline Outcome importWritten(const ModelWriter &writer,
                             const ModelOptions &options = {}) {
  return importBytes(writer.bytes(), options);
}

} // namespace mpc::onnx

#endif // MPC_TEST_LIB_IMPORT_ONNX_IMPORTING_H
