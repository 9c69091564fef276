// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// From a module of emitted kernels and planned entries to a Program.
#ifndef MPC_LIB_DRIVER_PROGRAMBUILDER_H
#define MPC_LIB_DRIVER_PROGRAMBUILDER_H

#include "lib/Driver/TargetBackend.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Metrics.h"

namespace mpc {

/// Takes the entries' launches out of `module` and makes the code of its
/// kernels, which are emitted for `target`. Consumes the module's contents.
/// Appends how long its stages took to `stages`. What the module must hold:
/// docs/rationale/program.md.
rt::Result<std::shared_ptr<rt::Program>>
buildProgram(mlir::ModuleOp module, const TargetBackend &target,
             rt::StageSeconds *stages = nullptr);

/// The code that it would compile, as the text of one LLVM module. Consumes the
/// module's contents.
rt::Result<std::string> listLLVM(mlir::ModuleOp module,
                                 const TargetBackend &target);

/// A tensor type as the runtime has it; an error where it lacks the elements'.
rt::Result<rt::TensorDesc> describeTensor(llvm::StringRef name,
                                          mlir::Type type);

} // namespace mpc

#endif // MPC_LIB_DRIVER_PROGRAMBUILDER_H
