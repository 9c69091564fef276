// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tensors of DLPack as tensors of the runtime, and back.
#ifndef MPC_RUNTIME_CAPI_HOSTTENSOR_H
#define MPC_RUNTIME_CAPI_HOSTTENSOR_H

#include "mpc-c/DLPack.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <memory>
#include <string_view>

namespace mpc::rt {

/// A tensor whose memory this thread can read: row-major without gaps, with the
/// alignment of its elements.
struct HostTensor {
  TensorDesc desc;
  void *data = nullptr;

  [[nodiscard]] TensorView view() const { return {desc, data}; }
};

/// Checks all fields; `name` is for messages and the description.
Result<HostTensor> hostTensor(std::string_view name, const DLTensor *tensor);

/// Copies `source` into `target`, which has the same shape, and the same
/// element type or one that holds all its values.
Status copyTensor(const TensorView &source, const DLTensor *target);

/// A DLPack tensor over memory with another owner; `desc` must outlive it.
DLTensor toDLPack(const TensorDesc &desc, void *data);

/// The access that others have to memory that they are given.
enum class Access : uint8_t { Read, Write };

/// Shares `view` with others; `owner` keeps its memory until they are done.
DLManagedTensorVersioned *
shareTensor(const TensorView &view, std::shared_ptr<void> owner, Access access);

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_HOSTTENSOR_H
