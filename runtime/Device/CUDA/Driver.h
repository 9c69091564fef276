// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The CUDA driver as a table of functions found at run time, and its codes as
/// Statuses.
#ifndef MPC_RUNTIME_DEVICE_CUDA_DRIVER_H
#define MPC_RUNTIME_DEVICE_CUDA_DRIVER_H

#include "runtime/Device/CUDA/Api.h"
#include "runtime/Device/CUDA/Library.h"
#include "runtime/Support/Status.h"

#include <memory>
#include <string>
#include <string_view>

namespace mpc::rt::cuda {

/// The end of messages of errors after which this process has no device.
inline constexpr std::string_view kDeviceLost =
    "this process cannot use the device any more";

/// One pointer for each symbol of the driver.
struct DriverTable {
#define MPC_MEMBER(name, ...) DriverCode (*name)(__VA_ARGS__) = nullptr;
  MPC_CUDA_DRIVER_SYMBOLS(MPC_MEMBER)
#undef MPC_MEMBER
};

/// An initialized driver. Every object of this layer keeps it loaded.
class Driver {
public:
  /// The driver that $MPC_CUDA_DRIVER names, else libcuda.so.1.
  static Result<std::shared_ptr<const Driver>> open();
  /// The driver at `path`, for tests with the test driver.
  static Result<std::shared_ptr<const Driver>> open(const std::string &path);

  [[nodiscard]] const DriverTable &table() const { return table_; }
  /// 13000 for CUDA 13.0.
  [[nodiscard]] int version() const { return version_; }
  [[nodiscard]] Result<int> deviceCount() const;

  /// Success, or the failure of `call` while doing `doing`:
  /// "doing: call failed: NAME (code), text".
  [[nodiscard]] Status check(DriverCode code, const char *call,
                             std::string_view doing) const;
  /// "CUDA_ERROR_OUT_OF_MEMORY (2), out of memory".
  [[nodiscard]] std::string describe(DriverCode code) const;

private:
  explicit Driver(Library library) : library_(std::move(library)) {}
  Status load();

  Library library_;
  DriverTable table_;
  int version_ = 0;
};

} // namespace mpc::rt::cuda

/// Returns from the enclosing function with a Status if the driver refuses:
/// MPC_CUDA_RETURN_IF_ERROR(driver, cuStreamSynchronize, (stream), "doing").
#define MPC_CUDA_RETURN_IF_ERROR(driver, call, arguments, doing)               \
  do {                                                                         \
    const ::mpc::rt::cuda::Driver &mpcDriver = (driver);                       \
    if (::mpc::rt::cuda::DriverCode mpcCode =                                  \
            mpcDriver.table().call arguments;                                  \
        mpcCode != ::mpc::rt::cuda::code::kSuccess)                            \
      return mpcDriver.check(mpcCode, #call, doing);                           \
  } while (false)

#endif // MPC_RUNTIME_DEVICE_CUDA_DRIVER_H
