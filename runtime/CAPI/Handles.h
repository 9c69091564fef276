// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Handles of the C ABI. A handle is a number in the form of a pointer. Each
/// names one object and is never used again, so that a destroyed one is
/// detected.
#ifndef MPC_RUNTIME_CAPI_HANDLES_H
#define MPC_RUNTIME_CAPI_HANDLES_H

#include "runtime/Support/Status.h"

#include <cstdint>
#include <memory>

namespace mpc::rt {

enum class HandleKind : uint8_t {
  Error = 1,
  Program,
  Runner,
  Checkpoints,
  Model,
  Data,
  Evaluation,
  Ranks
};

/// A handle of `object`; null where memory is exhausted. All these functions
/// are safe in any thread.
[[nodiscard]] void *insertHandle(HandleKind kind, std::shared_ptr<void> object);
/// The object; null where `handle` is no handle of this kind. The object lives
/// until the handle is removed.
[[nodiscard]] void *findHandle(HandleKind kind, const void *handle);
/// Removes the handle and returns its object; null as above.
std::shared_ptr<void> removeHandle(HandleKind kind, const void *handle);

/// The object type, kind and name of a public handle type.
template <typename Handle>
struct HandleTraits;

/// The object of a public handle, or a usage error.
template <typename Handle>
Result<typename HandleTraits<Handle>::Object *> objectOf(const Handle *handle) {
  using Traits = HandleTraits<Handle>;
  void *object = findHandle(Traits::kKind, handle);
  if (!object)
    return usageError(std::string("the handle of a ") + Traits::kName +
                      (handle ? " is invalid, or was destroyed" : " is NULL"));
  return static_cast<typename Traits::Object *>(object);
}

/// Stores a handle of `object` in `*out`.
template <typename Handle>
Status giveHandle(std::shared_ptr<typename HandleTraits<Handle>::Object> object,
                  Handle **out) {
  void *handle = insertHandle(HandleTraits<Handle>::kKind, std::move(object));
  if (!handle)
    return environmentError("out of memory");
  *out = static_cast<Handle *>(handle);
  return {};
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_HANDLES_H
