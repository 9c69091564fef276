// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Imports a model file and prints it as a module of nn ops.
#include "tools/mpc-import/InitializerList.h"

#include "lib/Driver/Flags/ImportFlags.h"
#include "lib/Import/Exported/ExportedImporter.h"
#include "lib/Import/ONNX/OnnxImporter.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/Support/Output.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>

using namespace mpc;

namespace {

struct Flags {
  std::string model;
  std::string output = "-";
  ImportFlags import;
  bool listParameters = false;
  bool listOps = false;
  bool listExportedOps = false;
};

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

rt::Status importFile(const Flags &flags) {
  if (flags.listOps)
    return rt::writeOutput(flags.output, describeOnnxOps());
  if (flags.listExportedOps)
    return rt::writeOutput(flags.output, describeExportedOps());
  if (flags.model.empty())
    return rt::usageError("model is required (--help lists the flags)");
  MPC_ASSIGN_OR_RETURN(ImportOptions options, toImportOptions(flags.import));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  MPC_ASSIGN_OR_RETURN(ImportedModel model,
                       loadModel(flags.model, context, options));
  for (const std::string &warning : model.warnings)
    rt::reportWarning("mpc-import", warning);
  for (const auto *list : {&model.gradientWarnings, &model.trainingWarnings})
    for (const std::string &warning : *list)
      rt::reportWarning("mpc-import", warning);
  for (const std::string &note : model.notes)
    std::fprintf(stderr, "mpc-import: note: %s\n", note.c_str());
  if (flags.listParameters)
    return rt::writeOutput(flags.output, listInitializers(model.initializers));
  MPC_ASSIGN_OR_RETURN(rt::OutputPlace place,
                       rt::OutputPlace::find(flags.output));
  if (place.isFile() && !model.parameters.empty()) {
    std::vector<rt::TensorView> values;
    for (const ModelTensor &value : model.parameters)
      values.push_back(viewOf(value));
    MPC_RETURN_IF_ERROR(
        rt::writeSafetensorsOutput(parameterFileOf(flags.output), values));
  }
  return rt::writeOutput(flags.output, print(model, place.isFile()));
}

void addFlags(CLI::App &app, Flags &flags) {
  using namespace rt::flag_group;
  app.add_option("model", flags.model,
                 "MODEL.onnx, MODEL.pt2 or FILE.mlir; - is MLIR "
                 "from standard input")
      ->type_name("MODEL")
      ->group(kInput);
  addInputShapeFlag(app, flags.import);
  addRoleFlags(app, flags.import);
  addModeFlags(app, flags.import);
  addOpLibraryFlag(app, flags.import);
  addBatchSizeFlag(app, flags.import);
  app.add_option("-o,--output", flags.output,
                 "the module, with locations; parameter values go beside it "
                 "as .safetensors; standard output, and what else is not a "
                 "file, gets neither (default: -)")
      ->type_name("FILE.mlir")
      ->group(kOutput);
  app.add_flag("--list-parameters", flags.listParameters,
               "prints what each initializer is, and by which rule")
      ->group(kOutput);
  app.add_flag("--list-ops", flags.listOps,
               "prints the ONNX ops that are imported, of which versions, with "
               "which attributes; takes no model")
      ->group(kOutput);
  app.add_flag("--list-exported-ops", flags.listExportedOps,
               "prints the ops of PyTorch's exported programs (.pt2) that are "
               "imported; takes no model")
      ->group(kOutput);
}

} // namespace

int main(int argc, char **argv) {
  Flags flags;
  rt::Tool tool;
  tool.name = "mpc-import";
  tool.description = "Imports a model and prints it as a module of nn ops.";
  tool.addFlags = [&](CLI::App &app) { addFlags(app, flags); };
  tool.run = [&]() -> rt::Result<int> {
    MPC_RETURN_IF_ERROR(importFile(flags));
    return 0;
  };
  return rt::runTool(tool, argc, argv);
}
