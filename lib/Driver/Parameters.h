// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// First values of a program's parameters.
#ifndef MPC_LIB_DRIVER_PARAMETERS_H
#define MPC_LIB_DRIVER_PARAMETERS_H

#include "lib/Driver/ModelFile.h"
#include "runtime/Runner/Runner.h"

namespace mpc {

/// How each parameter of a module is first set; taken before compilation
/// consumes the module.
struct ParameterInit {
  std::string name;
  std::string kind; ///< zeros, ones, uniform, normal or external.
  double argument = 0.0;
};

std::vector<ParameterInit> listParameterInits(mlir::ModuleOp module);

/// Writes the parameters' values into the runner's state: those of `initFile`
/// where it has them (empty for none), else the model's own, else what the
/// initializer says, drawn from `seed`. An external parameter without a value
/// is an error that names it, and so is a value of the wrong shape.
rt::Status initializeParameters(rt::Runner &runner, const ImportedModel &model,
                                const std::vector<ParameterInit> &inits,
                                const std::string &initFile, uint64_t seed);

/// Replaces each parameter by its average (NAME/ema) in `initFile`, a
/// checkpoint of a training with --ema; those without one stay.
rt::Status initializeAverages(rt::Runner &runner,
                              const std::vector<ParameterInit> &inits,
                              const std::string &initFile);

/// The size of a batch: the first dimension of the model's inputs. A usage
/// error where `wanted`, if not 0, is another.
rt::Result<int64_t> checkBatchSize(ImportedModel &model, int64_t wanted);

} // namespace mpc

#endif // MPC_LIB_DRIVER_PARAMETERS_H
