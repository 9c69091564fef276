// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Chooses the reader of a model file.
#include "lib/Driver/ModelFile.h"

#include "lib/Driver/Dialects.h"
#include "lib/Driver/ImportStatus.h"
#include "lib/Driver/Nesting.h"
#include "lib/Driver/SourceNames.h"
#include "lib/Driver/TensorSizes.h"
#include "lib/Import/Exported/ExportedImporter.h"
#include "lib/Import/ImportError.h"
#include "lib/Import/ONNX/OnnxImporter.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "runtime/Support/Text.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace llvm;

namespace mpc {

rt::TensorView viewOf(const ModelTensor &value) {
  return {value.desc, value.bytes.data()};
}

ModelTensor tensorOf(const rt::TensorView &tensor) {
  return {tensor.desc, ArrayRef(reinterpret_cast<const char *>(tensor.data),
                                tensor.desc.numBytes())};
}

std::string parameterFileOf(const std::string &path) {
  SmallString<128> name(path);
  sys::path::replace_extension(name, "safetensors");
  return std::string(name);
}

/// Adds a copy of a value.
static void addValue(const rt::TensorView &tensor, ImportedModel &model) {
  MutableArrayRef<char> bytes = model.storage.allocate(tensor.desc.numBytes());
  if (!bytes.empty())
    std::memcpy(bytes.data(), tensor.data, bytes.size());
  model.parameters.push_back({tensor.desc, bytes});
}

/// Adds the values in the file beside an MLIR file.
static rt::Status readValues(const std::string &path, ImportedModel &model) {
  if (path == "-" || !sys::fs::exists(parameterFileOf(path)))
    return {};
  MPC_ASSIGN_OR_RETURN(rt::SafetensorsFile file,
                       rt::SafetensorsFile::open(parameterFileOf(path)));
  for (const rt::TensorView &tensor : file.tensors())
    if (rt::isFloat(tensor.desc.dtype))
      addValue(tensor, model);
  return {};
}

/// Refuses text that would overflow the stack of MLIR's parser.
static rt::Status checkText(const std::string &path,
                            const MemoryBuffer &buffer) {
  StringRef text = buffer.getBuffer();
  if (text.starts_with("ML\xefR"))
    return rt::invalidInput(path + ": is MLIR bytecode; write it as text with "
                                   "mpc-opt first");
  if (std::optional<std::string> fault = describeDeepNesting(path, text))
    return rt::invalidInput(*fault);
  return {};
}

/// Parses a text; null after emitting an error.
static mlir::OwningOpRef<mlir::ModuleOp>
parseModule(SourceMgr &sources, mlir::MLIRContext &context) {
  mlir::ParserConfig config(&context);
  mlir::Block block;
  mlir::AsmParserState text;
  if (failed(mlir::parseAsmSourceFile(sources, &block, config, &text)))
    return {};
  const MemoryBuffer *buffer = sources.getMemoryBuffer(sources.getMainFileID());
  auto place = mlir::FileLineColLoc::get(
      &context, buffer->getBufferIdentifier(), /*line=*/0, /*column=*/0);
  auto module =
      mlir::detail::constructContainerOpForParserIfNecessary<mlir::ModuleOp>(
          &block, &context, place);
  if (module)
    nameNodes(*module, text);
  return module;
}

/// The module of a file, without the values of the file beside it.
static rt::Result<mlir::OwningOpRef<mlir::ModuleOp>>
parseMlir(std::unique_ptr<MemoryBuffer> buffer, const std::string &path,
          mlir::MLIRContext &context) {
  MPC_RETURN_IF_ERROR(checkText(path, *buffer));
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  std::string messages;
  raw_string_ostream os(messages);
  mlir::SourceMgrDiagnosticHandler handler(sources, &context, os);
  auto module = parseModule(sources, context);
  if (!module)
    return rt::invalidInput(StringRef(messages).rtrim().str());
  return module;
}

static rt::Result<mlir::OwningOpRef<mlir::ModuleOp>>
loadModule(const std::string &path, mlir::MLIRContext &context) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer)
    return rt::invalidInput(path + ": " + buffer.getError().message());
  return parseMlir(std::move(*buffer), path, context);
}

static rt::Result<std::shared_ptr<const OpLibrary>>
loadLibrary(ArrayRef<std::string> files, mlir::MLIRContext &context) {
  auto library = std::make_shared<OpLibrary>();
  for (const std::string &path : files) {
    MPC_ASSIGN_OR_RETURN(mlir::OwningOpRef<mlir::ModuleOp> module,
                         loadModule(path, context));
    if (Error error = library->add(std::move(module), path))
      return statusOf(std::move(error));
  }
  return std::shared_ptr<const OpLibrary>(std::move(library));
}

static rt::Result<ImportedModel> loadMlir(const std::string &path,
                                          mlir::MLIRContext &context) {
  ImportedModel model;
  MPC_ASSIGN_OR_RETURN(model.module, loadModule(path, context));
  MPC_RETURN_IF_ERROR(readValues(path, model));
  model.files = {path, parameterFileOf(path)};
  return model;
}

static rt::Result<ImportedModel> resultOf(Expected<ImportedModel> model) {
  if (!model)
    return statusOf(model.takeError());
  return std::move(*model);
}

/// Reads an exported program. Values are copied, so that the bytes need not
/// outlive the model.
static rt::Result<ImportedModel> readExported(const ModelBytes &bytes,
                                              const std::string &name,
                                              mlir::MLIRContext &context,
                                              const ImportOptions &options) {
  ModelStorage storage;
  std::vector<ModelTensor> values;
  for (const ModelBytes::Value &value : bytes.values) {
    MutableArrayRef<char> copy = storage.allocate(value.bytes.size());
    llvm::copy(value.bytes, copy.begin());
    values.push_back({value.desc, copy});
  }
  MPC_ASSIGN_OR_RETURN(
      ImportedModel model,
      resultOf(importExported(bytes.bytes, name, values, context, options)));
  model.storage = std::move(storage);
  return model;
}

static rt::Result<ImportedModel> readModel(const ModelBytes &bytes,
                                           const std::string &name,
                                           mlir::MLIRContext &context,
                                           const ImportOptions &options) {
  using Format = ModelBytes::Format;
  auto buffer = MemoryBuffer::getMemBufferCopy(bytes.bytes, name);
  if (bytes.format == Format::Exported)
    return readExported(bytes, name, context, options);
  if (bytes.format == Format::Onnx)
    return resultOf(importOnnx(std::move(buffer), name, context, options));
  ImportedModel model;
  MPC_ASSIGN_OR_RETURN(model.module,
                       parseMlir(std::move(buffer), name, context));
  for (const ModelBytes::Value &value : bytes.values)
    addValue({value.desc, value.bytes.data()}, model);
  return model;
}

static rt::Status refuseLibrary(const ImportOptions &options) {
  if (options.libraryFiles.empty())
    return {};
  return rt::usageError("--op-library: ops of custom domains are those of an "
                        ".onnx file");
}

static rt::Result<ImportedModel> readModel(const std::string &path,
                                           mlir::MLIRContext &context,
                                           const ImportOptions &options) {
  StringRef name = path;
  if (path == "-" || name.ends_with(".mlir")) {
    MPC_RETURN_IF_ERROR(refuseLibrary(options));
    if (!options.frozenBatchNorms.empty() || !options.noGrad.empty())
      return rt::usageError("--frozen-batch-norm and --no-grad say what an "
                            ".onnx file leaves open");
    return loadMlir(path, context);
  }
  if (name.ends_with(".pt2")) {
    MPC_RETURN_IF_ERROR(refuseLibrary(options));
    MPC_ASSIGN_OR_RETURN(ImportedModel model,
                         resultOf(importExported(path, context, options)));
    model.files = {path};
    return model;
  }
  if (!name.ends_with(".onnx"))
    return rt::usageError(rt::quote(path) +
                          " is neither an .onnx, a .pt2 nor an .mlir file");
  ModelOptions import = options;
  MPC_ASSIGN_OR_RETURN(import.library,
                       loadLibrary(options.libraryFiles, context));
  Expected<ImportedModel> model = importOnnx(path, context, import);
  if (!model)
    return statusOf(model.takeError());
  model->files = {path};
  append_range(model->files, options.libraryFiles);
  append_range(model->files, model->storage.externalFiles);
  return std::move(*model);
}

static void addDialects(mlir::MLIRContext &context) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
}

static rt::Result<ImportedModel> checked(rt::Result<ImportedModel> model,
                                         const std::string &path) {
  if (!model.ok())
    return model;
  if (std::optional<std::string> fault = findHugeTensor(*model->module, path))
    return rt::invalidInput(*fault);
  return model;
}

rt::Result<ImportedModel> loadModel(const std::string &path,
                                    mlir::MLIRContext &context,
                                    const ImportOptions &options) {
  addDialects(context);
  return checked(readModel(path, context, options), path);
}

rt::Result<ImportedModel> loadModel(const ModelBytes &model,
                                    const std::string &name,
                                    mlir::MLIRContext &context,
                                    const ImportOptions &options) {
  addDialects(context);
  return checked(readModel(model, name, context, options), name);
}

rt::Status refuseLosses(const ImportedModel &model, const std::string &path) {
  if (model.losses.empty())
    return {};
  return rt::invalidInput(path + ": " + model.losses +
                          "; --allow-lost-parameters trains what is left");
}

} // namespace mpc
