// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of --input-shape, --input-value, --batch-size and the roles.
#include "tools/Flags/ImportFlags.h"

#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Validators.h"

using namespace mpc;

void mpc::addInputShapeFlag(CLI::App &app, ImportFlags &flags) {
  app.add_option("--input-shape", flags.inputShapes,
                 "Fixes an input's open dimensions, as x=8x64")
      ->type_name("NAME=DIMS")
      ->group(rt::flag_group::kInput);
  app.add_option("--input-value", flags.inputValues,
                 "Compiles in the axes, sizes or other numbers that an input "
                 "holds, as axes=0,2")
      ->type_name("NAME=NUMBERS")
      ->group(rt::flag_group::kInput);
}

void mpc::addRoleFlags(CLI::App &app, ImportFlags &flags) {
  auto add = [&](const char *name, std::vector<std::string> &names,
                 const char *text) {
    app.add_option(name, names, text)
        ->type_name("NAME")
        ->group(rt::flag_group::kInput);
  };
  add("--parameter", flags.parameters,
      "Trains this initializer, whatever the file says of it");
  add("--buffer", flags.buffers,
      "Keeps this initializer as state that is saved and not trained");
  add("--constant", flags.constants,
      "Compiles this initializer in, whatever the file says of it");
}

void mpc::addBatchSizeFlag(CLI::App &app, ImportFlags &flags) {
  app.add_option("--batch-size", flags.batchSize,
                 "Fixes the inputs' first dimension where it is open")
      ->type_name("N")
      ->check(rt::wholeNumber(1))
      ->group(rt::flag_group::kInput);
}
