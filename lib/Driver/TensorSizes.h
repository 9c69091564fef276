// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A check of tensor sizes before anything is computed with them.
#ifndef MPC_LIB_DRIVER_TENSORSIZES_H
#define MPC_LIB_DRIVER_TENSORSIZES_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mpc {

/// 2^47 bytes is what a process can address; elements are up to 8 bytes. Below
/// it no size of a tensor, or of many, overflows an integer.
inline constexpr int64_t kMaxElements = int64_t(1) << 44;

/// What is wrong with the first tensor of the module that is larger, behind the
/// path of its file and its line there; empty where none is.
std::optional<std::string> findHugeTensor(mlir::ModuleOp module,
                                          const std::string &path);

} // namespace mpc

#endif // MPC_LIB_DRIVER_TENSORSIZES_H
