// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The nn dialect and its ops.
#ifndef MPC_DIALECTS_NN_NNDIALECT_H
#define MPC_DIALECTS_NN_NNDIALECT_H

#include "dialects/Interfaces/OpInterfaces.h"
#include "dialects/NN/NNEnums.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/NN/NNDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/NN/NNAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/NN/NNOps.h.inc"

namespace mpc::nn {

/// On a function's result: the parameter whose next value the result is.
inline constexpr llvm::StringLiteral kBuffer = "nn.buffer";

} // namespace mpc::nn

#endif // MPC_DIALECTS_NN_NNDIALECT_H
