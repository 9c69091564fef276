// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns flags into the options of an importer.
#include "lib/Driver/ImportFlags.h"

#include "llvm/Support/Error.h"

using namespace mpc;

rt::Result<ImportOptions> mpc::toImportOptions(const ImportFlags &flags) {
  ImportOptions options;
  for (const std::string &text : flags.inputShapes)
    if (llvm::Error error = parseInputShape(text, options))
      return rt::usageError(llvm::toString(std::move(error)));
  for (const std::string &text : flags.inputValues)
    if (llvm::Error error = parseInputValue(text, options))
      return rt::usageError(llvm::toString(std::move(error)));
  for (const std::string &name : flags.parameters)
    options.roles.emplace_back(name, RoleKind::Parameter);
  for (const std::string &name : flags.buffers)
    options.roles.emplace_back(name, RoleKind::Buffer);
  for (const std::string &name : flags.constants)
    options.roles.emplace_back(name, RoleKind::Constant);
  options.frozenBatchNorms = flags.frozenBatchNorms;
  options.noGrad = flags.noGrad;
  options.libraryFiles = flags.opLibraries;
  if (flags.batchSize != 0)
    options.batchSize = flags.batchSize;
  return options;
}
