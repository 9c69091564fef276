// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between descriptions of tensors.
#include "lib/Python/Tensors.h"

#include <iterator>

namespace mpc::python {
namespace {

/// The names are in the order of MpcDType.
constexpr const char *kNames[] = {
    "float64", "float32", "float16", "bfloat16", "int64",  "int32", "int16",
    "int8",    "uint8",   "bool",    "uint16",   "uint32", "uint64"};
static_assert(std::size(kNames) == MPC_DTYPE_U64 + 1);

} // namespace

ArrayTensor::ArrayTensor(nb::ndarray<nb::ro> array, bool isBF16)
    : array_(std::move(array)),
      shape_(array_.shape_ptr(), array_.shape_ptr() + array_.ndim()) {
  nb::dlpack::dtype dtype = array_.dtype();
  // DLPack has only one kind of pointer. An input is never written.
  tensor_.data = const_cast<void *>(array_.data());
  tensor_.device = {static_cast<DLDeviceType>(array_.device_type()),
                    array_.device_id()};
  tensor_.ndim = int32_t(shape_.size());
  tensor_.dtype = {dtype.code, dtype.bits, dtype.lanes};
  if (isBF16 && dtype.code == kDLUInt && dtype.bits == 16)
    tensor_.dtype = {kDLBfloat, 16, 1};
}

TensorInfo toInfo(const MpcTensorInfo &info) {
  return {info.name, kNames[info.dtype],
          std::vector<int64_t>(info.shape, info.shape + info.rank)};
}

} // namespace mpc::python
