// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The amp dialect and its ops.
#ifndef MPC_DIALECTS_AMP_AMPDIALECT_H
#define MPC_DIALECTS_AMP_AMPDIALECT_H

#include "dialects/Interfaces/OpInterfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/AMP/AMPDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/AMP/AMPAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/AMP/AMPOps.h.inc"

namespace mpc::amp {

/// Elements of a block: the unit of the finite check. Slabs are whole blocks.
inline constexpr int64_t kBlockSize = 4096;

/// The attribute of a function's argument or result that is a slab's value.
inline constexpr llvm::StringLiteral kSlabAttrName = "amp.slab";

} // namespace mpc::amp

#endif // MPC_DIALECTS_AMP_AMPDIALECT_H
