// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers the flags for facts that a model's file leaves open.
#include "lib/Driver/Flags/ImportFlags.h"

#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Validators.h"

using namespace mpc;

/// Adds a flag that is repeated for each of its values. The argument after a
/// value is another argument, such as the model.
static CLI::Option *addRepeated(CLI::App &app, const char *name,
                                std::vector<std::string> &values,
                                const char *text) {
  return app.add_option(name, values, text)
      ->allow_extra_args(false)
      ->group(rt::flag_group::kInput);
}

void mpc::addInputShapeFlag(CLI::App &app, ImportFlags &flags) {
  addRepeated(app, "--input-shape", flags.inputShapes,
              "Fixes an input's open dimensions, as x=8x64")
      ->type_name("NAME=DIMS");
  addRepeated(app, "--input-value", flags.inputValues,
              "Compiles in the axes, sizes or other numbers that an input "
              "holds, as axes=0,2")
      ->type_name("NAME=NUMBERS");
}

void mpc::addRoleFlags(CLI::App &app, ImportFlags &flags) {
  auto add = [&](const char *name, std::vector<std::string> &names,
                 const char *text) {
    addRepeated(app, name, names, text)->type_name("NAME");
  };
  add("--parameter", flags.parameters,
      "Trains this initializer, whatever the file says of it");
  add("--buffer", flags.buffers,
      "Keeps this initializer as state that is saved and not trained");
  add("--constant", flags.constants,
      "Compiles this initializer in, whatever the file says of it");
}

void mpc::addModeFlags(CLI::App &app, ImportFlags &flags) {
  addRepeated(app, "--frozen-batch-norm", flags.frozenBatchNorms,
              "Batch normalizations that training leaves as they are, by their "
              "modules (layer1.0.bn1), where the file does not say so")
      ->type_name("REGEX|all|none");
  addRepeated(app, "--no-grad", flags.noGrad,
              "Nodes and modules that ran under torch.no_grad(), where the "
              "file does not tell that from torch.autocast()")
      ->type_name("REGEX|all|none");
}

void mpc::addOpLibraryFlag(CLI::App &app, ImportFlags &flags) {
  addRepeated(app, "--op-library", flags.opLibraries,
              "Defines ops of custom domains, by functions of nn ops")
      ->type_name("FILE.mlir");
}

void mpc::addBatchSizeFlag(CLI::App &app, ImportFlags &flags) {
  app.add_option("--batch-size", flags.batchSize,
                 "Fixes the inputs' first dimension where it is open")
      ->type_name("N")
      ->check(rt::wholeNumber(1))
      ->group(rt::flag_group::kInput);
}
