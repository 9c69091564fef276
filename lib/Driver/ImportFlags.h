// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The flags that fix what a model leaves open.
#ifndef MPC_LIB_DRIVER_IMPORTFLAGS_H
#define MPC_LIB_DRIVER_IMPORTFLAGS_H

#include "lib/Driver/ModelFile.h"
#include "runtime/Support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mpc {

struct ImportFlags {
  std::vector<std::string> inputShapes; ///< "NAME=DIMS".
  std::vector<std::string> inputValues; ///< "NAME=NUMBERS".
  int64_t batchSize = 0;                ///< 0 where it is not given.
  /// Initializers by the role that the user gives them.
  std::vector<std::string> parameters, buffers, constants;
  /// Of modules and nodes: regular expressions, "all" or "none".
  std::vector<std::string> frozenBatchNorms, noGrad;
  /// FILE.mlir, with ops of custom domains.
  std::vector<std::string> opLibraries;
  /// Train what is left where the exporter took parameters from the file.
  bool allowLosses = false;
};

/// A usage error where a shape is none.
rt::Result<ImportOptions> toImportOptions(const ImportFlags &flags);

} // namespace mpc

#endif // MPC_LIB_DRIVER_IMPORTFLAGS_H
