// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// First values of a program's parameters.
#ifndef MPC_LIB_DRIVER_PARAMETERS_H
#define MPC_LIB_DRIVER_PARAMETERS_H

#include "lib/Driver/ModelFile.h"
#include "runtime/Program/Program.h"

namespace mpc {

/// The first value of each parameter. The memory of the model's values moves to
/// the result.
std::vector<rt::InitialValue> takeInitialValues(ImportedModel &model);

/// Gives the program the values that it uses.
void setInitialValues(rt::Program &program,
                      const std::vector<rt::InitialValue> &values);

/// Makes the run's seed the seed of the step's random numbers, where it draws
/// any.
void drawBySeed(rt::Program &program);

/// The size of a batch: the first dimension of the model's inputs, except those
/// that all batches share; 0 where there is none. A usage error where `wanted`
/// is not 0 and differs.
rt::Result<int64_t> checkBatchSize(ImportedModel &model, int64_t wanted,
                                   llvm::ArrayRef<std::string> shared);

/// The names of the model's inputs whose first dimension is the batch.
std::vector<std::string> batchInputs(ImportedModel &model,
                                     llvm::ArrayRef<std::string> shared);

} // namespace mpc

#endif // MPC_LIB_DRIVER_PARAMETERS_H
