// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens the driver, and describes its codes.
#include "runtime/Device/CUDA/Driver.h"

#include <cstdlib>
#include <fmt/format.h>

namespace mpc::rt::cuda {
namespace {

/// The driver's own library has had this soname since CUDA 1. A release changes
/// its version and not its name.
constexpr const char *kDriverName = "libcuda.so.1";

} // namespace

Result<std::shared_ptr<const Driver>> Driver::open() {
  const char *path = std::getenv("MPC_CUDA_DRIVER");
  return open(path && *path ? path : kDriverName);
}

Result<std::shared_ptr<const Driver>> Driver::open(const std::string &path) {
  Result<Library> library = Library::open({path});
  if (!library.ok())
    return library.status().withContext("no CUDA driver");
  std::shared_ptr<Driver> driver(new Driver(*std::move(library)));
  MPC_RETURN_IF_ERROR(driver->load());
  return std::shared_ptr<const Driver>(std::move(driver));
}

Status Driver::load() {
#define MPC_FIND(name, ...)                                                    \
  MPC_RETURN_IF_ERROR(library_.find(#name, table_.name));
  MPC_CUDA_DRIVER_SYMBOLS(MPC_FIND)
#undef MPC_FIND
  std::string doing = "starting the CUDA driver " + library_.name();
  MPC_CUDA_RETURN_IF_ERROR(*this, cuInit, (0), doing);
  MPC_CUDA_RETURN_IF_ERROR(*this, cuDriverGetVersion, (&version_), doing);
  return Status();
}

Result<int> Driver::deviceCount() const {
  int count = 0;
  MPC_CUDA_RETURN_IF_ERROR(*this, cuDeviceGetCount, (&count),
                           "counting devices");
  return count;
}

std::string Driver::describe(DriverCode value) const {
  const char *name = nullptr, *text = nullptr;
  if (table_.cuGetErrorName(value, &name) != code::kSuccess || !name)
    return fmt::format("unknown code ({})", value);
  if (table_.cuGetErrorString(value, &text) != code::kSuccess || !text)
    return fmt::format("{} ({})", name, value);
  return fmt::format("{} ({}), {}", name, value, text);
}

Status Driver::check(DriverCode value, const char *call,
                     std::string_view doing) const {
  if (value == code::kSuccess)
    return Status();
  std::string message =
      fmt::format("{}: {} failed: {}", doing, call, describe(value));
  if (losesContext(value))
    message += fmt::format("; {}", kDeviceLost);
  return environmentError(std::move(message));
}

} // namespace mpc::rt::cuda
