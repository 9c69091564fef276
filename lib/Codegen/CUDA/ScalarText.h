// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Scalar ops and types as CUDA C++ over the names of Prelude/.
#ifndef MPC_LIB_CODEGEN_CUDA_SCALARTEXT_H
#define MPC_LIB_CODEGEN_CUDA_SCALARTEXT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace mpc::cuda {

/// What a value of `type` is in registers. Integers have no sign, so that they
/// wrap around; floats of 16 bits are their bits; an index is signed.
std::string getTypeText(mlir::Type type);
/// What an element of `type` is in memory: a truth value is a byte.
std::string getStorageText(mlir::Type type);
/// Bytes of an element in memory.
int64_t getStorageBytes(mlir::Type type);

/// A number, to the bit.
std::string getLiteral(mlir::Attribute value);

/// The expression that `op`, of one result, is of its `operands`, which are
/// names, literals or calls; an error where it has no spelling.
mlir::FailureOr<std::string> spell(mlir::Operation *op,
                                   llvm::ArrayRef<std::string> operands);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_SCALARTEXT_H
