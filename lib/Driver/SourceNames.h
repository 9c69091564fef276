// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Names for the nodes of a module that is written by hand.
#ifndef MPC_LIB_DRIVER_SOURCENAMES_H
#define MPC_LIB_DRIVER_SOURCENAMES_H

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"

namespace mpc {

/// Gives each op whose location names no node the name of its first result as
/// the text has it, `h` of `%h = nn.tanh ...`. Where several models of the
/// module have that name it is `FUNCTION.h`; of numbered results it is made of
/// op and line, `tanh:12`. So reports can say which op they mean, and
/// --keep-fp32 and --at-floor=fp32 can ask for it.
void nameNodes(mlir::ModuleOp module, const mlir::AsmParserState &text);

} // namespace mpc

#endif // MPC_LIB_DRIVER_SOURCENAMES_H
