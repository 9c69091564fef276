// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The multiply units of a machine, as data.
#ifndef MPC_DIALECTS_KERNEL_MULTIPLYUNIT_H
#define MPC_DIALECTS_KERNEL_MULTIPLYUNIT_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace mpc {
enum class Precision : uint32_t;
} // namespace mpc

namespace mpc::kernel {

/// How the factors of a unit are spread over the lanes that run it.
enum class OperandLayout : uint8_t {
  Elements, ///< Each lane has the factors of its own sums, in any order of k.
  Pairs,    ///< The same, with two neighbouring k of 16 bits in each lane.
  Matrices, ///< 8 by 8 elements of 16 bits, spread over a warp (ldmatrix).
};

/// An instruction that adds products to a tile of sums in f32:
/// d[i, j] += a[i, 0] * b[0, j] + ... + a[i, depth - 1] * b[depth - 1, j].
struct MultiplyUnit {
  llvm::StringLiteral name; ///< "mma.m16n8k16".
  Precision factors;        ///< The type of the elements of a and b.
  int64_t rows, columns, depth;
  OperandLayout layout;
};

} // namespace mpc::kernel

#endif // MPC_DIALECTS_KERNEL_MULTIPLYUNIT_H
