// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Element types of tensors in MLIR, by the one table of element formats.
#ifndef MPC_DIALECTS_INTERFACES_ELEMENTTYPES_H
#define MPC_DIALECTS_INTERFACES_ELEMENTTYPES_H

#include "mlir/IR/Types.h"
#include "runtime/Support/ElementFormat.h"

namespace mpc {

/// The row of a type; null for a type that the table does not have, as an i4.
const rt::ElementFormat *elementFormatOf(mlir::Type elementType);

/// Empty for a type that the runtime does not have, as an i4 or f8.
std::optional<rt::DType> dtypeOf(mlir::Type elementType);

/// The type of a row, and of a DType. Signed integers are signless in MLIR, and
/// a bool is an i1.
mlir::Type typeOf(mlir::MLIRContext *context, const rt::ElementFormat &format);
mlir::Type typeOf(mlir::MLIRContext *context, rt::DType dtype);

} // namespace mpc

#endif // MPC_DIALECTS_INTERFACES_ELEMENTTYPES_H
