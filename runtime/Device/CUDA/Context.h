// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One GPU: its properties, and its primary context.
#ifndef MPC_RUNTIME_DEVICE_CUDA_CONTEXT_H
#define MPC_RUNTIME_DEVICE_CUDA_CONTEXT_H

#include "runtime/Device/CUDA/Driver.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mpc::rt::cuda {

/// Compute capability: {9, 0} is sm_90.
struct Capability {
  int major = 0;
  int minor = 0;
  [[nodiscard]] int number() const { return major * 10 + minor; }
};

/// The properties of a device, which are queried once.
struct DeviceInfo {
  int ordinal = 0;
  std::string name;
  Capability capability;
  uint64_t memoryBytes = 0;
  int multiprocessors = 0;
  int maxThreadsPerBlock = 0;
  int maxSharedPerBlock = 0;      ///< without opting in, bytes
  int maxSharedPerBlockOptIn = 0; ///< bytes
  int reservedSharedPerBlock = 0; ///< bytes that the system uses in addition
  int l2Bytes = 0;
};

/// The primary context of a device, retained. Objects created in it hold it, so
/// that it is released last. A context may be used from several threads, and
/// each object of it from one thread at a time.
class Context {
public:
  static Result<std::shared_ptr<const Context>>
  create(std::shared_ptr<const Driver> driver, int ordinal);
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  ~Context();

  [[nodiscard]] const Driver &driver() const { return *driver_; }
  [[nodiscard]] const DriverTable &table() const { return driver_->table(); }
  [[nodiscard]] const DeviceInfo &info() const { return info_; }
  /// The device in messages: "cuda:0 (NVIDIA H200)".
  [[nodiscard]] std::string label() const;

  [[nodiscard]] ContextHandle handle() const { return handle_; }
  /// As Driver::check, with the device's label in front.
  [[nodiscard]] Status check(DriverCode code, const char *call,
                             std::string_view doing) const;

private:
  Context(std::shared_ptr<const Driver> driver, DeviceId device)
      : driver_(std::move(driver)), device_(device) {}
  Status queryInfo(int ordinal);

  std::shared_ptr<const Driver> driver_;
  DeviceId device_;
  ContextHandle handle_ = nullptr;
  DeviceInfo info_;
};

using ContextRef = std::shared_ptr<const Context>;

/// Makes the context current in the calling thread during its lifetime, and
/// then restores the previous one, which may be the application's own, or none.
/// Every call of this layer has such an object.
class Current {
public:
  explicit Current(const Context &context);
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;
  ~Current();

  /// The driver's answer, and the answer as an error while doing `doing`.
  [[nodiscard]] DriverCode answer() const { return answer_; }
  [[nodiscard]] Status check(std::string_view doing) const;

private:
  const Context &context_;
  const char *call_ = "cuCtxGetCurrent"; ///< The last call.
  ContextHandle before_ = nullptr;
  DriverCode answer_;
};

/// A handle of the driver that `Destroy` destroys in its context. Movable;
/// empty after a move.
template <typename Handle, DriverCode (*DriverTable::*Destroy)(Handle)>
class Owned {
public:
  Owned() = default;
  Owned(ContextRef context, Handle handle)
      : context_(std::move(context)), handle_(handle) {}
  Owned(Owned &&other) noexcept
      : context_(std::move(other.context_)),
        handle_(std::exchange(other.handle_, Handle{})) {}
  Owned &operator=(Owned &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  // A lost context refuses this too. The error cannot be reported.
  ~Owned() {
    if (!handle_)
      return;
    Current current(*context_);
    if (current.answer() == code::kSuccess)
      (void)(context_->table().*Destroy)(handle_);
  }

  [[nodiscard]] Handle get() const { return handle_; }
  [[nodiscard]] const Context &context() const { return *context_; }

private:
  ContextRef context_;
  Handle handle_{};
};

} // namespace mpc::rt::cuda

/// Returns from the enclosing function with a Status if the driver refuses
/// `call` in `context`, which is current during the call.
#define MPC_CUDA_RETURN_IF_REFUSED(context, call, arguments, doing)            \
  do {                                                                         \
    const ::mpc::rt::cuda::Context &mpcContext = (context);                    \
    const ::mpc::rt::cuda::Current mpcCurrent(mpcContext);                     \
    if (mpcCurrent.answer() != ::mpc::rt::cuda::code::kSuccess)                \
      return mpcCurrent.check(doing);                                          \
    if (::mpc::rt::cuda::DriverCode mpcCode =                                  \
            mpcContext.table().call arguments;                                 \
        mpcCode != ::mpc::rt::cuda::code::kSuccess)                            \
      return mpcContext.check(mpcCode, #call, doing);                          \
  } while (false)

#endif // MPC_RUNTIME_DEVICE_CUDA_CONTEXT_H
