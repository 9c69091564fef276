// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The flags for facts that a model's file leaves open.
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
  int64_t batchSize = 0; ///< The size of a batch; 0 where it is not given.
  /// The initializers to which the user gives a role.
  std::vector<std::string> parameters, buffers, constants;
  /// Regular expressions of modules and nodes, "all" or "none".
  std::vector<std::string> frozenBatchNorms, noGrad;
  /// Files FILE.mlir with ops of custom domains.
  std::vector<std::string> opLibraries;
  /// Whether to train the remaining parameters where the exporter removed some
  /// from the file.
  bool allowLosses = false;
};

/// A usage error where a shape is malformed.
rt::Result<ImportOptions> toImportOptions(const ImportFlags &flags);

} // namespace mpc

#endif // MPC_LIB_DRIVER_IMPORTFLAGS_H
