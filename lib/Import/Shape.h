// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Shapes of a model's tensors, which are static.
#ifndef MPC_LIB_IMPORT_SHAPE_H
#define MPC_LIB_IMPORT_SHAPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace mpc {

using Shape = llvm::SmallVector<int64_t, 4>;

/// The number of elements of `shape`; empty if a size is negative or if memory
/// cannot hold the product.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// "8x64"; "scalar" for rank 0.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace mpc

#endif // MPC_LIB_IMPORT_SHAPE_H
