// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The shapes of batches that one program is compiled for.
#ifndef MPC_LIB_DRIVER_BATCHSHAPES_H
#define MPC_LIB_DRIVER_BATCHSHAPES_H

#include "lib/Driver/ImportFlags.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mpc {

/// The flags of an import for each shape: of a list of batch sizes, and of an
/// --input-shape that is given several times for one input, each value in turn.
/// What has one value has it in all. A usage error where there are not as many
/// of one as of another, or where two shapes are the same.
rt::Result<std::vector<ImportFlags>>
splitShapes(const ImportFlags &flags, const std::vector<int64_t> &batchSizes);

/// A usage error where a model of several shapes is to be read more than once,
/// and cannot be: `inMemory` says that it lies there.
rt::Status checkReadAgain(const std::string &path, bool inMemory);

/// The flags for batches of `rows` samples in the place of `batch`.
ImportFlags withBatch(ImportFlags flags, int64_t batch, int64_t rows,
                      const std::vector<std::string> &shared);

} // namespace mpc

#endif // MPC_LIB_DRIVER_BATCHSHAPES_H
