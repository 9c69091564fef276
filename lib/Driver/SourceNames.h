// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Names the nodes of a module that was written by hand.
#ifndef MPC_LIB_DRIVER_SOURCENAMES_H
#define MPC_LIB_DRIVER_SOURCENAMES_H

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"

namespace mpc {

/// Gives each op whose location names no node the name of its first result in
/// the text: `h` for `%h = nn.tanh ...`. Where several models of the module
/// have that name it is `FUNCTION.h`. For numbered results it consists of op
/// and line, `tanh:12`. Reports can then name the op, and so can --keep-fp32
/// and --at-floor=fp32.
void nameNodes(mlir::ModuleOp module, const mlir::AsmParserState &text);

} // namespace mpc

#endif // MPC_LIB_DRIVER_SOURCENAMES_H
