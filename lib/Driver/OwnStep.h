// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Facts about a training step that a module writes out.
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
/// Whether there is an entry @eval beside the step.
bool hasOwnEvaluation(const ImportedModel &model);
/// Whether the step takes a window of batches.
bool hasOwnWindow(const ImportedModel &model);

/// Erases the step that the module writes out beside @model: functions that
/// neither @model nor @loss uses, and the optimizers' and scalers' state.
void keepModelOnly(mlir::ModuleOp module);
/// Names results without a name `output0` and so on, by their positions.
void nameResults(mlir::ModuleOp module);
/// Fails with a diagnostic where an entry cannot be compiled and run.
llvm::LogicalResult checkEntries(mlir::ModuleOp module);

/// A usage error where no result of the step tells whether it was finite;
/// `flag` is the flag that needs it.
rt::Status checkTellsFinite(ImportedModel &model, const std::string &flag);

/// The name of the scale's floor among the numbers that the step returns, for
/// Runner::readNumber; a usage error of `flag` where the step returns none.
rt::Result<std::string> findFloor(ImportedModel &model,
                                  const std::string &flag);

} // namespace mpc

#endif // MPC_LIB_DRIVER_OWNSTEP_H
