// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of DLPack's structs.
#include "runtime/CAPI/CallerTensor.h"

#include "runtime/Support/CheckedSize.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/ElementFormat.h"
#include "runtime/Support/Text.h"

#include <fmt/format.h>
#include <optional>
#include <span>

namespace mpc::rt {
namespace {

static_assert(elementFormatOf(DType::I64).dlpackCode == kDLInt &&
              elementFormatOf(DType::U64).dlpackCode == kDLUInt &&
              elementFormatOf(DType::F64).dlpackCode == kDLFloat &&
              elementFormatOf(DType::BF16).dlpackCode == kDLBfloat &&
              elementFormatOf(DType::Bool).dlpackCode == kDLBool);

std::optional<DType> dtypeOf(DLDataType type) {
  for (const ElementFormat &known : kElementFormats)
    if (known.dlpackCode == type.code && type.lanes == 1 &&
        type.bits == known.bits)
      return known.dtype;
  return std::nullopt;
}

DLDataType dlpackType(DType dtype) {
  const ElementFormat &format = elementFormatOf(dtype);
  return {format.dlpackCode, static_cast<uint8_t>(format.bits), 1};
}

/// The stride of a dimension of one element has no meaning.
bool isRowMajor(const DLTensor &tensor) {
  int64_t expected = 1;
  for (int32_t i = tensor.ndim; tensor.strides && i-- > 0;) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected)
      return false;
    expected *= tensor.shape[i];
  }
  return true;
}

/// The fault of the struct itself; empty for none.
std::string layoutFault(const DLTensor &tensor) {
  DLDeviceType device = tensor.device.device_type;
  if (device != kDLCPU && device != kDLCUDAHost && device != kDLCUDA)
    return fmt::format("lies in memory of device type {}, neither of a CPU nor "
                       "of an NVIDIA GPU",
                       static_cast<int>(device));
  if (tensor.ndim < 0 || (tensor.ndim > 0 && !tensor.shape))
    return "has no shape";
  if (!dtypeOf(tensor.dtype))
    return fmt::format("has elements of DLPack's code {} with {} bits and {} "
                       "lanes, which mpc does not support",
                       tensor.dtype.code, tensor.dtype.bits,
                       tensor.dtype.lanes);
  std::span shape(tensor.shape, static_cast<size_t>(tensor.ndim));
  if (!checkedBytes(shape, *dtypeOf(tensor.dtype)))
    return "is larger than any memory";
  return "";
}

/// The fault of its memory, which has `bytes`; empty for none.
std::string memoryFault(const DLTensor &tensor, size_t bytes,
                        size_t alignment) {
  if (bytes == 0)
    return "";
  if (!isRowMajor(tensor))
    return "is not row-major without gaps: copy it first";
  auto begin = reinterpret_cast<uintptr_t>(tensor.data);
  uintptr_t end = 0;
  if (!tensor.data)
    return "has no memory";
  if (__builtin_add_overflow(begin, tensor.byte_offset, &begin) ||
      __builtin_add_overflow(begin, bytes, &end))
    return "has an offset larger than any memory";
  if (begin % alignment)
    return fmt::format("is not aligned to its elements of {} bytes", alignment);
  return "";
}

Status refuse(std::string_view name, const std::string &fault) {
  return invalidInput(fmt::format("tensor {} {}", quote(name), fault));
}

/// The object that a shared tensor's deleter destroys.
struct SharedTensor {
  DLManagedTensorVersioned managed = {};
  TensorDesc desc;
  std::shared_ptr<void> owner;
};

void deleteShared(DLManagedTensorVersioned *self) {
  delete static_cast<SharedTensor *>(self->manager_ctx);
}

} // namespace

Result<CallerTensor> callerTensor(std::string_view name,
                                  const DLTensor *tensor) {
  if (!tensor)
    return usageError(fmt::format("tensor {} is NULL", quote(name)));
  if (std::string fault = layoutFault(*tensor); !fault.empty())
    return refuse(name, fault);
  CallerTensor given;
  if (tensor->device.device_type == kDLCUDA)
    given.gpu = tensor->device.device_id;
  given.desc = {std::string(name),
                *dtypeOf(tensor->dtype),
                {tensor->shape, tensor->shape + tensor->ndim}};
  std::string fault =
      memoryFault(*tensor, given.desc.numBytes(), byteSize(given.desc.dtype));
  if (!fault.empty())
    return refuse(name, fault);
  if (tensor->data)
    given.data = static_cast<std::byte *>(tensor->data) + tensor->byte_offset;
  return given;
}

Result<CallerTensor> hostTensor(std::string_view name, const DLTensor *tensor) {
  MPC_ASSIGN_OR_RETURN(CallerTensor host, callerTensor(name, tensor));
  if (host.gpu)
    return refuse(name, "lies in memory of a GPU, and must lie in a CPU's");
  return host;
}

Status copyTensor(const TensorView &source, const DLTensor *target) {
  MPC_ASSIGN_OR_RETURN(CallerTensor to, hostTensor(source.desc.name, target));
  bool fits = to.desc.shape == source.desc.shape &&
              conversion(source.desc.dtype, to.desc.dtype) == Conversion::Exact;
  if (!fits)
    return invalidInput(fmt::format(
        "tensor {} is {}, which cannot be copied to {}",
        quote(source.desc.name), toString(source.desc), toString(to.desc)));
  // An exact conversion cannot fail.
  if (to.desc.numElements() != 0)
    (void)convert(source.data, source.desc.dtype, to.data, to.desc.dtype,
                  to.desc.numElements());
  return {};
}

DLTensor toDLPack(const TensorDesc &desc, void *data, DLDevice device) {
  DLTensor tensor = {};
  tensor.data = data;
  tensor.device = device;
  tensor.ndim = static_cast<int32_t>(desc.shape.size());
  tensor.dtype = dlpackType(desc.dtype);
  // DLPack has only one kind of pointer for shapes too. Shapes are only read.
  tensor.shape = const_cast<int64_t *>(desc.shape.data());
  return tensor;
}

DLManagedTensorVersioned *shareTensor(const TensorView &view,
                                      std::shared_ptr<void> owner,
                                      Access access, DLDevice device) {
  auto shared = std::make_unique<SharedTensor>();
  shared->desc = view.desc;
  shared->owner = std::move(owner);
  DLManagedTensorVersioned &managed = shared->managed;
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.deleter = deleteShared;
  managed.flags = access == Access::Read ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
  // DLPack has only one kind of pointer. The flag says whether it may be
  // written.
  managed.dl_tensor =
      toDLPack(shared->desc, const_cast<void *>(view.data), device);
  managed.manager_ctx = shared.get();
  return &shared.release()->managed;
}

} // namespace mpc::rt
