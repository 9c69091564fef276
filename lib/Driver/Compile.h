// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compiles one module with its amp.recipe to a Program, for compileProgram().
#ifndef MPC_LIB_DRIVER_COMPILE_H
#define MPC_LIB_DRIVER_COMPILE_H

#include "lib/Driver/Request.h"

namespace mpc {

/// The passes that compileModule() runs, as a text for `mpc-opt
/// --pass-pipeline`. Together with the module it determines the compilation,
/// except for the CPU.
rt::Result<std::string> passesOf(const ImportedModel &model,
                                 const CompileRequest &request);

/// Compiles the request for one shape. The module is consumed. A module that
/// does not fit the request is an error.
rt::Result<std::shared_ptr<rt::Program>>
compileModule(ImportedModel &model, const CompileRequest &request,
              CompileReport &report);

/// Explains the model as an evaluation computes it, in its mode, with its loss
/// and its casts.
rt::Status explainModule(ImportedModel &model, const CompileRequest &request,
                         CompileReport &report);

} // namespace mpc

#endif // MPC_LIB_DRIVER_COMPILE_H
