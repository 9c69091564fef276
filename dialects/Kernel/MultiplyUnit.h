// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a machine multiplies by, as data.
#ifndef MPC_DIALECTS_KERNEL_MULTIPLYUNIT_H
#define MPC_DIALECTS_KERNEL_MULTIPLYUNIT_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace mpc {
enum class Precision : uint32_t;
} // namespace mpc

namespace mpc::kernel {

/// How the lanes that run a unit have its factors.
enum class OperandLayout : uint8_t {
  Elements, ///< Each lane those of its own sums, in any order of k.
  Matrices, ///< 8 by 8 elements of 16 bits, spread over a warp (ldmatrix).
};

/// An instruction that adds products to a tile of sums in f32:
/// d[i, j] += a[i, 0] * b[0, j] + ... + a[i, depth - 1] * b[depth - 1, j].
struct MultiplyUnit {
  llvm::StringLiteral name; ///< "mma.m16n8k16".
  Precision factors;        ///< What a and b hold.
  int64_t rows, columns, depth;
  OperandLayout layout;
};

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_MULTIPLYUNIT_H
