// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Accesses of 2 to 16 bytes to neighbouring elements, for the emitters in
/// which a thread has several of them.
#ifndef MPC_LIB_CODEGEN_CUDA_VECTORS_H
#define MPC_LIB_CODEGEN_CUDA_VECTORS_H

#include "lib/Codegen/CUDA/KernelText.h"

namespace mpc::cuda {

/// The bytes of the widest access.
inline constexpr int64_t kWidestAccess = 16;

/// Whether `vector` neighbours along the last of `numDims` dimensions are
/// contiguous in an argument, from a multiple of their number on, and it has
/// the alignment for them.
bool isVector(const kernel::Access &access, unsigned numDims, int64_t vector);

/// The type of `vector` elements of `tensor`.
std::string vectorText(mlir::Value tensor, int64_t vector);

/// Such an access: the expression of the elements from `dims` on.
std::string loadVector(KernelText &text, const kernel::Access &access,
                       int64_t vector, llvm::ArrayRef<std::string> dims);
void storeVector(KernelText &text, const kernel::Access &access, int64_t vector,
                 llvm::ArrayRef<std::string> dims, const std::string &value);

/// Element `lane` of a vector of elements of `tensor`.
std::string elementOf(mlir::Value tensor, const std::string &vector,
                      const std::string &lane);

} // namespace mpc::cuda

#endif // MPC_LIB_CODEGEN_CUDA_VECTORS_H
