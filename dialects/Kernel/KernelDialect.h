// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The kernel dialect and its ops.
#ifndef MPC_DIALECTS_KERNEL_KERNELDIALECT_H
#define MPC_DIALECTS_KERNEL_KERNELDIALECT_H

#include "dialects/Kernel/MultiplyUnit.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mpc::kernel {
class LaunchOp;
class ReturnOp;
} // namespace mpc::kernel

#include "dialects/Kernel/KernelEnums.h.inc"
#include "dialects/Kernel/ScheduleInterface.h.inc"
#include "dialects/Kernel/TargetInterface.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/AttentionInterface.h.inc"
#include "dialects/Kernel/KernelAttrs.h.inc"
// The dialect hands out attributes.
#include "dialects/Kernel/KernelDialect.h.inc"
#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.h.inc"

namespace mpc::kernel {

/// The `kernel.target` of the module around `op`, or of `op` itself; null where
/// that module states none.
TargetAttrInterface getTarget(mlir::Operation *op);

/// The argument in whose memory a result lands, because both are the same
/// state; empty where there is none.
std::optional<unsigned> getTiedArgument(mlir::FunctionOpInterface function,
                                        unsigned result);

/// Whether `value`, a tensor in a function that a loop calls, is the same in
/// all turns, maybe as a view: its argument says so.
bool isInvariant(mlir::Value value);

/// The elements of a rank's part of a tensor, for a kernel.collective, where a
/// part is whole blocks: at least an equal share, and the same for all ranks.
int64_t partOf(int64_t elements, int64_t ranks, int64_t blockSize);

/// The `kernel.emitted` of a function; null where the function is no emitted
/// kernel.
EmittedKernelAttrInterface getEmittedKernel(mlir::Operation *function);

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_KERNELDIALECT_H
