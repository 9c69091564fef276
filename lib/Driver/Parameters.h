// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// First values of a program's parameters.
#ifndef MPC_LIB_DRIVER_PARAMETERS_H
#define MPC_LIB_DRIVER_PARAMETERS_H

#include "lib/Driver/ModelFile.h"
#include "runtime/Program/Program.h"

namespace mpc {

/// How each parameter of the model is first set. The model's memory becomes
/// that of the values.
std::vector<rt::InitialValue> takeInitialValues(ImportedModel &model);

/// Gives the program those of `values` that it uses.
void setInitialValues(rt::Program &program,
                      const std::vector<rt::InitialValue> &values);

/// Lets the step draw by the run's seed, where it draws random numbers.
void drawBySeed(rt::Program &program);

/// The size of a batch: the first dimension of the model's inputs, but of those
/// that all batches share; 0 where there is none. A usage error where `wanted`,
/// if not 0, is another.
rt::Result<int64_t> checkBatchSize(ImportedModel &model, int64_t wanted,
                                   llvm::ArrayRef<std::string> shared);

/// The names of the model's inputs whose first dimension is the batch.
std::vector<std::string> batchInputs(ImportedModel &model,
                                     llvm::ArrayRef<std::string> shared);

} // namespace mpc

#endif // MPC_LIB_DRIVER_PARAMETERS_H
