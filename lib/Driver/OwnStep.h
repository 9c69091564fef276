// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is known of a training step that a module writes out.
#ifndef MPC_LIB_DRIVER_OWNSTEP_H
#define MPC_LIB_DRIVER_OWNSTEP_H

#include "lib/Driver/ModelFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/Support/Status.h"

#include <string>

namespace mpc {

/// Whether the module has a model to evaluate.
bool hasModel(const ImportedModel &model);
/// Whether the module writes its training step out: it has an entry @step, or
/// @accumulate and @apply.
bool hasOwnStep(const ImportedModel &model);
/// Whether there is an entry @eval beside it.
bool hasOwnEvaluation(const ImportedModel &model);
/// Whether that step takes a window of batches.
bool hasOwnWindow(const ImportedModel &model);

/// Names results without a name `output0` and so on, by their places.
void nameResults(mlir::ModuleOp module);
/// Fails with a diagnostic where an entry is not one that can be compiled and
/// run.
llvm::LogicalResult checkEntries(mlir::ModuleOp module);

/// A usage error where nothing that the step returns says whether it was
/// finite; `flag` is what asks.
rt::Status checkTellsFinite(ImportedModel &model, const std::string &flag);

/// Runner::readNumber's name of the floor of the scale that the step returns; a
/// usage error of `flag` where that has none.
rt::Result<std::string> findFloor(ImportedModel &model,
                                  const std::string &flag);

} // namespace mpc

#endif // MPC_LIB_DRIVER_OWNSTEP_H
