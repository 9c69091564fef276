// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The kernel dialect and its ops.
#ifndef MPC_DIALECTS_KERNEL_KERNELDIALECT_H
#define MPC_DIALECTS_KERNEL_KERNELDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mpc::kernel {
class ReturnOp;
} // namespace mpc::kernel

#include "dialects/Kernel/KernelEnums.h.inc"
#include "dialects/Kernel/ScheduleInterface.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/KernelAttrs.h.inc"
// The dialect hands out attributes.
#include "dialects/Kernel/KernelDialect.h.inc"
#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.h.inc"

#endif // MPC_DIALECTS_KERNEL_KERNELDIALECT_H
