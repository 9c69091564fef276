// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A view of a caller's memory as a tensor of the C ABI.
#ifndef MPC_TENSOR_H
#define MPC_TENSOR_H

#include "mpc-c/DLPack.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace mpc {

/// DLPack's element type for a C++ type.
template <typename T>
constexpr DLDataType dlpackType() {
  static_assert(std::is_arithmetic_v<T>, "f16 and bf16 are given by name");
  uint8_t code = std::is_same_v<T, bool>       ? uint8_t(kDLBool)
                 : std::is_floating_point_v<T> ? uint8_t(kDLFloat)
                 : std::is_unsigned_v<T>       ? uint8_t(kDLUInt)
                                               : uint8_t(kDLInt);
  return {code, static_cast<uint8_t>(8 * sizeof(T)), 1};
}
inline constexpr DLDataType kF16 = {kDLFloat, 16, 1};
inline constexpr DLDataType kBF16 = {kDLBfloat, 16, 1};

/// A view of memory that is row-major without gaps and that outlives the view.
/// A function that takes a `const Tensor &` reads the view during the call; its
/// documentation says how long the memory is used.
class Tensor {
public:
  template <typename T>
  Tensor(T *data, std::vector<int64_t> shape)
      : Tensor(data, dlpackType<std::remove_const_t<T>>(), std::move(shape)) {}
  /// `device` is that of a GPU ({kDLCUDA, 0}) where `data` is an address there.
  Tensor(const void *data, DLDataType dtype, std::vector<int64_t> shape,
         DLDevice device = {kDLCPU, 0})
      : shape_(std::move(shape)) {
    // DLPack has only one kind of pointer. An input is never written.
    tensor_.data = const_cast<void *>(data);
    tensor_.device = device;
    tensor_.ndim = static_cast<int32_t>(shape_.size());
    tensor_.dtype = dtype;
  }

  /// The DLPack struct; it is valid and unchanged while this object lives.
  const DLTensor *get() const {
    tensor_.shape = shape_.empty() ? nullptr : shape_.data();
    return &tensor_;
  }

private:
  mutable std::vector<int64_t> shape_;
  mutable DLTensor tensor_ = {};
};

} // namespace mpc

#endif // MPC_TENSOR_H
