// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Builds a Program from a module of emitted kernels and planned entries.
#ifndef MPC_LIB_DRIVER_PROGRAMBUILDER_H
#define MPC_LIB_DRIVER_PROGRAMBUILDER_H

#include "lib/Driver/TargetBackend.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Metrics.h"

namespace mpc {

/// Takes the entries' launches out of `module`, and compiles its kernels, which
/// were emitted for `target`. Consumes the module's contents. Appends the time
/// of each stage to `stages`. The requirements on the module are in
/// docs/rationale/program.md.
rt::Result<std::shared_ptr<rt::Program>>
buildProgram(mlir::ModuleOp module, const TargetBackend &target,
             rt::StageSeconds *stages = nullptr);

/// The code that would be compiled, as the text of one LLVM module. Consumes
/// the module's contents.
rt::Result<std::string> listLLVM(mlir::ModuleOp module,
                                 const TargetBackend &target);

/// A tensor type as the runtime's description; an error where the runtime lacks
/// the element type.
rt::Result<rt::TensorDesc> describeTensor(llvm::StringRef name,
                                          mlir::Type type);

} // namespace mpc

#endif // MPC_LIB_DRIVER_PROGRAMBUILDER_H
