// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads images, finds kernels, and checks whether a block of them fits.
#include "runtime/Device/CUDA/Module.h"

#include "runtime/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>

namespace mpc::rt::cuda {
namespace {

uint64_t product(const std::array<uint32_t, 3> &extents) {
  return uint64_t{extents[0]} * extents[1] * extents[2];
}

/// The log of the driver's own compiler for a PTX image, if there is one.
std::string jitLog(const std::array<char, 4096> &log) {
  std::string text(log.data());
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text.empty() ? text : "\n" + text;
}

} // namespace

std::string describe(const LaunchShape &shape) {
  return fmt::format("grid {}x{}x{}, block {}x{}x{}, {} of dynamic shared "
                     "memory",
                     shape.grid[0], shape.grid[1], shape.grid[2],
                     shape.block[0], shape.block[1], shape.block[2],
                     formatBytes(shape.sharedBytes));
}

Result<Module> Module::load(const ContextRef &context,
                            std::span<const char> image,
                            const std::string &name, DriverCode *answer) {
  std::string doing = fmt::format("loading module {}", quote(name));
  Current current(*context);
  if (current.answer() != code::kSuccess)
    return current.check(doing);
  std::array<char, 4096> log{};
  std::array<JitOption, 2> options{JitOption::ErrorLogBuffer,
                                   JitOption::ErrorLogBufferBytes};
  // The size is passed in place of a pointer.
  std::array<void *, 2> values{log.data(),
                               reinterpret_cast<void *>(log.size() - 1)};
  ModuleHandle handle = nullptr;
  DriverCode loaded = context->table().cuModuleLoadDataEx(
      &handle, image.data(), options.size(), options.data(), values.data());
  if (answer)
    *answer = loaded;
  if (loaded != code::kSuccess) {
    Status status = context->check(loaded, "cuModuleLoadDataEx", doing);
    return environmentError(status.message() + jitLog(log));
  }
  return Module(Handle(context, handle), name);
}

Result<Function> Module::function(const std::string &name,
                                  DriverCode *answer) const {
  const Context &context = handle_->context();
  std::string doing =
      fmt::format("finding kernel {} in module {}", quote(name), quote(name_));
  Current current(context);
  if (current.answer() != code::kSuccess)
    return current.check(doing);
  FunctionHandle handle = nullptr;
  DriverCode found = context.table().cuModuleGetFunction(
      &handle, handle_->get(), name.c_str());
  if (answer)
    *answer = found;
  MPC_RETURN_IF_ERROR(context.check(found, "cuModuleGetFunction", doing));
  Function function(handle_, handle, name);
  MPC_RETURN_IF_ERROR(function.queryResources());
  return function;
}

Status Function::queryResources() {
  const std::pair<FunctionAttribute, int *> attributes[] = {
      {FunctionAttribute::MaxThreadsPerBlock, &resources_.maxThreadsPerBlock},
      {FunctionAttribute::SharedBytes, &resources_.staticSharedBytes},
      {FunctionAttribute::LocalBytes, &resources_.localBytes},
      {FunctionAttribute::Registers, &resources_.registers}};
  for (auto [attribute, value] : attributes)
    MPC_CUDA_RETURN_IF_REFUSED(
        context(), cuFuncGetAttribute, (value, attribute, handle_),
        fmt::format("asking for the resources of kernel {}", quote(name_)));
  return Status();
}

Status Function::prepare(const LaunchShape &shape) {
  const DeviceInfo &device = context().info();
  auto tooLarge = [&](const char *what, uint64_t wanted, uint64_t limit) {
    return environmentError(
        fmt::format("{}: kernel {} does not fit: its block has {} {}, and at "
                    "most {} are possible",
                    context().label(), quote(name_), wanted, what, limit));
  };
  uint64_t threads = product(shape.block);
  if (auto limit = static_cast<uint64_t>(resources_.maxThreadsPerBlock);
      threads > limit)
    return tooLarge("threads", threads, limit);
  uint64_t shared = uint64_t{shape.sharedBytes} +
                    static_cast<uint64_t>(resources_.staticSharedBytes);
  // A driver may count memory that the system reserves as the kernel's own. It
  // is not part of the memory that a kernel can opt in to.
  auto limit = static_cast<uint64_t>(device.maxSharedPerBlockOptIn) +
               static_cast<uint64_t>(device.reservedSharedPerBlock);
  if (shared > limit)
    return tooLarge("bytes of shared memory", shared, limit);
  if (shared <= static_cast<uint64_t>(device.maxSharedPerBlock) ||
      shape.sharedBytes <= preparedSharedBytes_)
    return Status();
  MPC_CUDA_RETURN_IF_REFUSED(
      context(), cuFuncSetAttribute,
      (handle_, FunctionAttribute::MaxDynamicSharedBytes,
       static_cast<int>(shape.sharedBytes)),
      fmt::format("preparing kernel {} ({})", quote(name_), describe(shape)));
  preparedSharedBytes_ = shape.sharedBytes;
  return Status();
}

} // namespace mpc::rt::cuda
