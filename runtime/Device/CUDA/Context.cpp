// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Retains a primary context, and queries its device.
#include "runtime/Device/CUDA/Context.h"

#include <array>
#include <fmt/format.h>

namespace mpc::rt::cuda {
namespace {

Status checkOrdinal(const Driver &driver, int ordinal) {
  MPC_ASSIGN_OR_RETURN(int count, driver.deviceCount());
  if (ordinal >= 0 && ordinal < count)
    return Status();
  return environmentError(
      count == 0 ? "the CUDA driver reports no device"
                 : fmt::format("no device cuda:{}: the CUDA driver reports {}, "
                               "numbered from 0",
                               ordinal, count));
}

} // namespace

Result<std::shared_ptr<const Context>>
Context::create(std::shared_ptr<const Driver> driver, int ordinal) {
  MPC_RETURN_IF_ERROR(checkOrdinal(*driver, ordinal));
  DeviceId device = 0;
  std::string doing = fmt::format("opening cuda:{}", ordinal);
  MPC_CUDA_RETURN_IF_ERROR(*driver, cuDeviceGet, (&device, ordinal), doing);
  std::shared_ptr<Context> context(new Context(std::move(driver), device));
  MPC_RETURN_IF_ERROR(context->queryInfo(ordinal));
  MPC_CUDA_RETURN_IF_ERROR(context->driver(), cuDevicePrimaryCtxRetain,
                           (&context->handle_, device), doing);
  return ContextRef(std::move(context));
}

Context::~Context() {
  if (handle_)
    (void)table().cuDevicePrimaryCtxRelease_v2(device_);
}

Status Context::queryInfo(int ordinal) {
  std::string doing = fmt::format("asking cuda:{} what it is", ordinal);
  std::array<char, 256> name{};
  MPC_CUDA_RETURN_IF_ERROR(
      *driver_, cuDeviceGetName,
      (name.data(), static_cast<int>(name.size()) - 1, device_), doing);
  size_t bytes = 0;
  MPC_CUDA_RETURN_IF_ERROR(*driver_, cuDeviceTotalMem_v2, (&bytes, device_),
                           doing);
  info_.ordinal = ordinal;
  info_.name = name.data();
  info_.memoryBytes = bytes;
  const std::pair<DeviceAttribute, int *> attributes[] = {
      {DeviceAttribute::CapabilityMajor, &info_.capability.major},
      {DeviceAttribute::CapabilityMinor, &info_.capability.minor},
      {DeviceAttribute::MultiprocessorCount, &info_.multiprocessors},
      {DeviceAttribute::MaxThreadsPerBlock, &info_.maxThreadsPerBlock},
      {DeviceAttribute::MaxSharedPerBlock, &info_.maxSharedPerBlock},
      {DeviceAttribute::MaxSharedPerBlockOptIn, &info_.maxSharedPerBlockOptIn},
      {DeviceAttribute::ReservedSharedPerBlock, &info_.reservedSharedPerBlock},
      {DeviceAttribute::L2CacheSize, &info_.l2Bytes}};
  for (auto [attribute, value] : attributes)
    MPC_CUDA_RETURN_IF_ERROR(*driver_, cuDeviceGetAttribute,
                             (value, attribute, device_), doing);
  return Status();
}

std::string Context::label() const {
  return fmt::format("cuda:{} ({})", info_.ordinal, info_.name);
}

Status Context::check(DriverCode value, const char *call,
                      std::string_view doing) const {
  return driver_->check(value, call, fmt::format("{}: {}", label(), doing));
}

Current::Current(const Context &context)
    : context_(context), answer_(context.table().cuCtxGetCurrent(&before_)) {
  if (answer_ != code::kSuccess || before_ == context.handle())
    return;
  call_ = "cuCtxSetCurrent";
  answer_ = context.table().cuCtxSetCurrent(context.handle());
}

Status Current::check(std::string_view doing) const {
  return context_.check(answer_, call_, doing);
}

Current::~Current() {
  if (answer_ == code::kSuccess && before_ != context_.handle())
    (void)context_.table().cuCtxSetCurrent(before_);
}

} // namespace mpc::rt::cuda
