// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Checks the sizes of tensors before anything is computed from them.
#ifndef MPC_LIB_DRIVER_TENSORSIZES_H
#define MPC_LIB_DRIVER_TENSORSIZES_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mpc {

/// The most elements of a tensor. A process can address 2^47 bytes, and
/// elements have up to 8 bytes. Below the limit no size of one tensor or of
/// many overflows an integer.
inline constexpr int64_t kMaxElements = int64_t(1) << 44;

/// The fault of the first tensor of the module that is larger, after the path
/// of its file and its line; empty where there is none.
std::optional<std::string> findHugeTensor(mlir::ModuleOp module,
                                          const std::string &path);

} // namespace mpc

#endif // MPC_LIB_DRIVER_TENSORSIZES_H
