// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --input-shape and --batch-size.
#include "lib/Driver/ImportFlags.h"

#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Validators.h"
#include "llvm/Support/Error.h"

using namespace mpc;

void mpc::addInputShapeFlag(CLI::App &app, ImportFlags &flags) {
  app.add_option("--input-shape", flags.inputShapes,
                 "Fixes an input's open dimensions, as x=8x64")
      ->type_name("NAME=DIMS")
      ->group(rt::flag_group::kInput);
}

void mpc::addBatchSizeFlag(CLI::App &app, ImportFlags &flags) {
  app.add_option("--batch-size", flags.batchSize,
                 "Fixes the inputs' first dimension where it is open")
      ->type_name("N")
      ->check(rt::wholeNumber(1))
      ->group(rt::flag_group::kInput);
}

rt::Result<ImportOptions> mpc::toImportOptions(const ImportFlags &flags) {
  ImportOptions options;
  for (const std::string &text : flags.inputShapes)
    if (llvm::Error error = onnx::parseInputShape(text, options))
      return rt::usageError(llvm::toString(std::move(error)));
  if (flags.batchSize != 0)
    options.batchSize = flags.batchSize;
  return options;
}
