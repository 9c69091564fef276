// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The header of NumPy's .npy format.
#ifndef MPC_RUNTIME_SUPPORT_NPY_H
#define MPC_RUNTIME_SUPPORT_NPY_H

#include "runtime/Support/DType.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mpc::rt {

/// The layout of an array's bytes.
struct ArrayLayout {
  bool isBigEndian = false;
  /// Whether the first index runs fastest, as in Fortran.
  bool isColumnMajor = false;

  /// Whether the layout is that of this machine's memory.
  [[nodiscard]] bool isNative() const { return !isBigEndian && !isColumnMajor; }
};

struct NpyHeader {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  ArrayLayout layout;
  size_t bytes = 0; ///< The size of the header, after which the elements begin.
};

/// Whether a file that begins with these bytes is an array.
[[nodiscard]] bool isNpy(std::span<const std::byte> bytes);

/// Reads a header of version 1 to 3 at the beginning of `start`, which need not
/// have more than kMaxNpyHeader bytes. Fails on element types without a DType,
/// as objects and records.
Result<NpyHeader> readNpyHeader(std::span<const std::byte> start);

inline constexpr size_t kMaxNpyHeader = 65536;

} // namespace mpc::rt

#endif // MPC_RUNTIME_SUPPORT_NPY_H
