// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The shapes of batches for which one program is compiled.
#ifndef MPC_LIB_DRIVER_BATCHSHAPES_H
#define MPC_LIB_DRIVER_BATCHSHAPES_H

#include "lib/Driver/ImportFlags.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mpc {

/// The import flags for each shape. A list of batch sizes, and an --input-shape
/// given several times for one input, take each value in turn. A flag with one
/// value has that value in all shapes. A usage error where flags have different
/// numbers of values, or where two shapes are equal.
rt::Result<std::vector<ImportFlags>>
splitShapes(const ImportFlags &flags, const std::vector<int64_t> &batchSizes);

/// A usage error where a model of several shapes would be read more than once,
/// and cannot be. `inMemory` says that the model lies in memory.
rt::Status checkReadAgain(const std::string &path, bool inMemory);

/// The flags for batches of `rows` samples in place of `batch`.
ImportFlags withBatch(ImportFlags flags, int64_t batch, int64_t rows,
                      const std::vector<std::string> &shared);

} // namespace mpc

#endif // MPC_LIB_DRIVER_BATCHSHAPES_H
