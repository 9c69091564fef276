// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The flags that fix what a model leaves open.
#ifndef MPC_LIB_DRIVER_IMPORTFLAGS_H
#define MPC_LIB_DRIVER_IMPORTFLAGS_H

#include "lib/Driver/ModelFile.h"
#include "runtime/Support/Status.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace mpc {

struct ImportFlags {
  std::vector<std::string> inputShapes; ///< "NAME=DIMS".
  int64_t batchSize = 0;                ///< 0 where it is not given.
};

/// --input-shape, which all tools have.
void addInputShapeFlag(CLI::App &app, ImportFlags &flags);
/// --batch-size where no data is read in batches.
void addBatchSizeFlag(CLI::App &app, ImportFlags &flags);

/// A usage error where a shape is none.
rt::Result<ImportOptions> toImportOptions(const ImportFlags &flags);

} // namespace mpc

#endif // MPC_LIB_DRIVER_IMPORTFLAGS_H
