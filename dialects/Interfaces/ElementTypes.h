// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Element types of tensors in MLIR, by the runtime's table of them.
#ifndef MPC_DIALECTS_INTERFACES_ELEMENTTYPES_H
#define MPC_DIALECTS_INTERFACES_ELEMENTTYPES_H

#include "mlir/IR/Types.h"
#include "runtime/Support/DType.h"

namespace mpc {

/// Nothing for a type that the runtime does not have, as an i4 or f8.
std::optional<rt::DType> dtypeOf(mlir::Type elementType);

/// The inverse. Signed integers are signless in MLIR, a bool is an i1.
mlir::Type typeOf(mlir::MLIRContext *context, rt::DType dtype);

} // namespace mpc

#endif // MPC_DIALECTS_INTERFACES_ELEMENTTYPES_H
