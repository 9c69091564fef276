// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tensors of DLPack as tensors of the runtime, and back.
#ifndef MPC_RUNTIME_CAPI_CALLERTENSOR_H
#define MPC_RUNTIME_CAPI_CALLERTENSOR_H

#include "mpc-c/DLPack.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <memory>
#include <optional>
#include <string_view>

namespace mpc::rt {

/// A tensor of the caller's: row-major without gaps, with the alignment of its
/// elements.
struct CallerTensor {
  TensorDesc desc;
  void *data = nullptr;
  /// The number of the GPU in whose memory it lies; empty for a CPU's, which
  /// this thread can read.
  std::optional<int32_t> gpu = std::nullopt;

  [[nodiscard]] TensorView view() const { return {desc, data}; }
};

/// Checks all fields; `name` is for messages and the description.
Result<CallerTensor> callerTensor(std::string_view name,
                                  const DLTensor *tensor);
/// As callerTensor(), and refuses a tensor in memory of a GPU.
Result<CallerTensor> hostTensor(std::string_view name, const DLTensor *tensor);

/// Copies `source` into `target`, which has the same shape, and the same
/// element type or one that holds all its values.
Status copyTensor(const TensorView &source, const DLTensor *target);

/// A DLPack tensor over memory with another owner; `desc` must outlive it.
DLTensor toDLPack(const TensorDesc &desc, void *data,
                  DLDevice device = {kDLCPU, 0});

/// The access that others have to memory that they are given.
enum class Access : uint8_t { Read, Write };

/// Shares `view` with others; `owner` keeps its memory until they are done.
DLManagedTensorVersioned *shareTensor(const TensorView &view,
                                      std::shared_ptr<void> owner,
                                      Access access,
                                      DLDevice device = {kDLCPU, 0});

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_CALLERTENSOR_H
