// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Imports a model file and prints it as a module of nn ops.
#include "tools/mpc-import/InitializerList.h"

#include "lib/Driver/ModelFile.h"
#include "lib/Import/ONNX/ImportError.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/Support/File.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

using namespace mpc;

namespace {

struct Flags {
  std::string model;
  std::string output = "-";
  std::vector<std::string> inputShapes;
  int64_t batchSize = 0;
  bool listParameters = false;
};

rt::Status readShapes(const Flags &flags, ImportOptions &options) {
  for (const std::string &text : flags.inputShapes)
    if (llvm::Error error = onnx::parseInputShape(text, options))
      return rt::usageError(llvm::toString(std::move(error)));
  if (flags.batchSize != 0)
    options.batchSize = flags.batchSize;
  return {};
}

std::string print(const ImportedModel &model, bool locations) {
  std::string text;
  llvm::raw_string_ostream os(text);
  mlir::OpPrintingFlags printing;
  if (locations)
    printing.enableDebugInfo();
  model.module.get()->print(os, printing);
  os << "\n";
  return text;
}

rt::Status writeText(const std::string &path, const std::string &text) {
  if (path != "-")
    return rt::writeFileAtomically(path, text);
  bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0;
  return written ? rt::Status() : rt::environmentError("cannot write stdout");
}

rt::Status importFile(const Flags &flags) {
  ImportOptions options;
  MPC_RETURN_IF_ERROR(readShapes(flags, options));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  MPC_ASSIGN_OR_RETURN(ImportedModel model,
                       loadModel(flags.model, context, options));
  for (const std::string &warning : model.warnings)
    std::fprintf(stderr, "mpc-import: warning: %s\n", warning.c_str());
  for (const std::string &note : model.notes)
    std::fprintf(stderr, "mpc-import: note: %s\n", note.c_str());
  if (flags.listParameters)
    return writeText(flags.output, listInitializers(model.initializers));
  if (flags.output != "-" && !model.parameters.empty()) {
    std::vector<rt::TensorView> values;
    for (const onnx::ParameterValue &value : model.parameters)
      values.push_back(viewOf(value));
    MPC_RETURN_IF_ERROR(
        rt::writeSafetensors(parameterFileOf(flags.output), values));
  }
  return writeText(flags.output, print(model, flags.output != "-"));
}

int run(int argc, char **argv) {
  Flags flags;
  CLI::App program("Imports a model and prints it as a module of nn ops.",
                   "mpc-import");
  program.add_option("model", flags.model, "MODEL.onnx or FILE.mlir")
      ->required()
      ->group("Input");
  program
      .add_option("--input-shape", flags.inputShapes,
                  "NAME=8x64: fixes an input's open dimensions")
      ->group("Input");
  program
      .add_option("--batch-size", flags.batchSize,
                  "fixes the inputs' first dimension where it is open")
      ->check(CLI::PositiveNumber)
      ->group("Input");
  program
      .add_option("-o,--output", flags.output,
                  "the module, with locations; parameter values go beside it "
                  "as .safetensors (default: -, stdout, without both)")
      ->group("Output");
  program
      .add_flag("--list-parameters", flags.listParameters,
                "prints what each initializer is, and by which rule")
      ->group("Output");
  rt::Status status;
  try {
    program.parse(argc, argv);
    status = importFile(flags);
  } catch (const CLI::Success &help) {
    return program.exit(help);
  } catch (const CLI::ParseError &error) {
    status = rt::usageError(error.what());
  }
  if (!status.ok())
    std::fprintf(stderr, "mpc-import: error: %s\n", status.message().c_str());
  return static_cast<int>(status.code());
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc &) {
    std::fputs("mpc-import: error: out of memory\n", stderr);
    return static_cast<int>(rt::StatusCode::Environment);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "mpc-import: error: internal: %s\n", error.what());
    return static_cast<int>(rt::StatusCode::Internal);
  }
}
