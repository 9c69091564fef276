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

/// A tensor whose memory this thread can read: row-major without gaps, aligned
/// as its elements.
struct HostTensor {
  TensorDesc desc;
  void *data = nullptr;

  [[nodiscard]] TensorView view() const { return {desc, data}; }
};

/// Checks all that is passed; `name` is for messages and the description.
Result<HostTensor> hostTensor(std::string_view name, const DLTensor *tensor);

/// Copies `source` into `target`: of its shape, and of its element type or one
/// that has all values of that.
Status copyTensor(const TensorView &source, const DLTensor *target);

/// A tensor of DLPack over memory of others; `desc` must outlive it.
DLTensor toDLPack(const TensorDesc &desc, void *data);

/// What others may do with memory that they are given.
enum class Access : uint8_t { Read, Write };

/// `view` for others; `owner` keeps its memory until they are done.
DLManagedTensorVersioned *
shareTensor(const TensorView &view, std::shared_ptr<void> owner, Access access);

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_HOSTTENSOR_H
