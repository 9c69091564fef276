// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Chooses the shape of a program for a run: by the data, and by --batch-size.
#ifndef MPC_RUNTIME_TRAIN_BATCHSHAPE_H
#define MPC_RUNTIME_TRAIN_BATCHSHAPE_H

#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Data.h"

#include <vector>

namespace mpc::rt {

/// The first of `entries` whose inputs fit the samples of the files, and whose
/// batches have the size in `options`. There is at least one entry, and all
/// have one role. A single entry is always chosen; DataLoader then reports what
/// does not fit. Where none of several fits, the error lists them.
Result<const Entry *> chooseByData(const std::vector<const Entry *> &entries,
                                   const DataFiles &files,
                                   const DataOptions &options);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_BATCHSHAPE_H
