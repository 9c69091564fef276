// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which of a program's shapes a run takes: by the data, and by --batch-size.
#ifndef MPC_RUNTIME_TRAIN_BATCHSHAPE_H
#define MPC_RUNTIME_TRAIN_BATCHSHAPE_H

#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Data.h"

#include <vector>

namespace mpc::rt {

/// The first of `entries`, which are of one role and at least one, whose inputs
/// the samples of the files fit and whose batches are as large as `options`
/// say. Where there is only one it is that, and what does not fit is
/// DataLoader's to tell; where none of several fits the error names them.
Result<const Entry *> chooseByData(const std::vector<const Entry *> &entries,
                                   const DataFiles &files,
                                   const DataOptions &options);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_BATCHSHAPE_H
