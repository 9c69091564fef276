// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From one module with its amp.recipe to a Program, for compileProgram().
#ifndef MPC_LIB_DRIVER_COMPILE_H
#define MPC_LIB_DRIVER_COMPILE_H

#include "lib/Driver/Request.h"

namespace mpc {

/// The passes that compileModule() runs as a text, which
/// `mpc-opt --pass-pipeline` runs: with the module all that there is to say of
/// the compilation but the CPU.
rt::Result<std::string> passesOf(const ImportedModel &model,
                                 const CompileRequest &request);

/// What the request asks for, of one shape. The module is done afterwards. One
/// that cannot be what is asked for is an error in its own words.
rt::Result<std::shared_ptr<rt::Program>>
compileModule(ImportedModel &model, const CompileRequest &request,
              CompileReport &report);

/// The model as an evaluation computes it, in its mode, with its loss and its
/// casts.
rt::Status explainModule(ImportedModel &model, const CompileRequest &request,
                         CompileReport &report);

} // namespace mpc

#endif // MPC_LIB_DRIVER_COMPILE_H
