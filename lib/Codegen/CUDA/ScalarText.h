// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Scalar ops and types as CUDA C++ over the names of Prelude/.
#ifndef MPC_LIB_CODEGEN_CUDA_SCALARTEXT_H
#define MPC_LIB_CODEGEN_CUDA_SCALARTEXT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace mpc::cuda {

/// The type of a value of `type` in registers. Integers are unsigned, so that
/// they wrap around; 16-bit floats are their bits; an index is signed.
std::string getTypeText(mlir::Type type);
/// The type of an element of `type` in memory: a truth value is a byte.
std::string getStorageText(mlir::Type type);
/// Bytes of an element in memory.
int64_t getStorageBytes(mlir::Type type);

/// A number as a literal that is exact to the bit.
std::string getLiteral(mlir::Attribute value);

/// The expression of `op`, which has one result, for `operands`, which are
/// names, literals or calls; where `isNear` by the device's approximate
/// instructions, if there are such. An error where the op has no spelling.
mlir::FailureOr<std::string>
spell(mlir::Operation *op, llvm::ArrayRef<std::string> operands, bool isNear);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_SCALARTEXT_H
