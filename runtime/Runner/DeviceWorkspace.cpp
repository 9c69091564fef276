// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a device that several programs use, and its order with other
// streams.
#include "runtime/Runner/DeviceWorkspace.h"

#include <algorithm>
#include <fmt/format.h>

namespace mpc::rt {

Result<cuda::ContextRef> openCuda(int device) {
  auto hint = [](const Status &status) {
    return environmentError(status.message() +
                            "; without a GPU use --target=cpu");
  };
  auto driver = cuda::Driver::open();
  if (!driver.ok())
    return hint(driver.status());
  MPC_ASSIGN_OR_RETURN(int devices, (*driver)->deviceCount());
  if (devices == 0)
    return hint(environmentError("the CUDA driver finds no device"));
  return cuda::Context::create(*driver, device);
}

bool meet(const cuda::DeviceBuffer &buffer, cuda::DevicePointer begin,
          uint64_t bytes) {
  return begin < buffer.pointer() + buffer.size() &&
         buffer.pointer() < begin + bytes;
}

Result<std::shared_ptr<DeviceWorkspace>> DeviceWorkspace::open(int device) {
  std::shared_ptr<DeviceWorkspace> workspace(new DeviceWorkspace());
  MPC_ASSIGN_OR_RETURN(cuda::ContextRef context, openCuda(device));
  MPC_ASSIGN_OR_RETURN(workspace->stream_, cuda::Stream::create(context));
  MPC_ASSIGN_OR_RETURN(workspace->uploads_, cuda::Stream::create(context));
  MPC_ASSIGN_OR_RETURN(workspace->entered_, cuda::Event::create(context));
  workspace->context_ = std::move(context);
  workspace->setCallerStream(nullptr);
  return workspace;
}

Status DeviceWorkspace::reserveArena(uint64_t bytes) {
  if (numMoves_ != 0 && bytes <= arena_.size())
    return {};
  // The old arena is freed first, so that there are never two.
  MPC_RETURN_IF_ERROR(stream_->synchronize("leaving the arena"));
  arena_ = {};
  ++numMoves_;
  MPC_ASSIGN_OR_RETURN(
      arena_, cuda::DeviceBuffer::allocate(context_, bytes, "the arena"));
  return {};
}

Status DeviceWorkspace::reserveScratch(uint64_t bytes) {
  if (bytes <= scratch_.size())
    return {};
  MPC_RETURN_IF_ERROR(stream_->synchronize("leaving scratch memory"));
  scratch_ = {};
  ++numMoves_;
  MPC_ASSIGN_OR_RETURN(scratch_, cuda::DeviceBuffer::allocate(
                                     context_, bytes, "scratch memory"));
  return {};
}

Result<std::shared_ptr<Mirror>>
DeviceWorkspace::mirror(std::span<std::byte> host, std::string_view what) {
  std::weak_ptr<Mirror> &known = mirrors_[host.data()];
  if (std::shared_ptr<Mirror> mirror = known.lock())
    return mirror;
  auto mirror = std::make_shared<Mirror>();
  mirror->host = host;
  MPC_ASSIGN_OR_RETURN(mirror->device, cuda::DeviceBuffer::allocate(
                                           context_, host.size(), what));
  known = mirror;
  return mirror;
}

Status DeviceWorkspace::toDevice(Mirror &mirror) const {
  if (mirror.newer != Mirror::Newer::Host)
    return {};
  if (mirror.isHandedOut)
    MPC_RETURN_IF_ERROR(enter());
  MPC_RETURN_IF_ERROR(stream_->upload(mirror.device, 0, mirror.host));
  MPC_RETURN_IF_ERROR(stream_->synchronize("copying the state to the device"));
  mirror.newer = Mirror::Newer::Neither;
  return {};
}

Status DeviceWorkspace::toHost(Mirror &mirror) const {
  bool isNewer = mirror.newer == Mirror::Newer::Device ||
                 (mirror.isHandedOut && mirror.newer != Mirror::Newer::Host);
  if (!isNewer)
    return {};
  if (mirror.isHandedOut)
    MPC_RETURN_IF_ERROR(enter());
  MPC_RETURN_IF_ERROR(stream_->download(mirror.host, mirror.device, 0));
  MPC_RETURN_IF_ERROR(
      stream_->synchronize("copying the state from the device"));
  mirror.newer = Mirror::Newer::Neither;
  return {};
}

void DeviceWorkspace::setCallerStream(cuda::StreamHandle stream) {
  caller_ = cuda::Stream::borrow(context_, stream);
}

Status DeviceWorkspace::enter() const {
  MPC_RETURN_IF_ERROR(caller_->record(*entered_));
  return stream_->wait(*entered_);
}

bool DeviceWorkspace::meets(cuda::DevicePointer begin, uint64_t bytes) const {
  return meet(arena_, begin, bytes) || meet(scratch_, begin, bytes) ||
         std::any_of(mirrors_.begin(), mirrors_.end(), [&](const auto &known) {
           std::shared_ptr<Mirror> mirror = known.second.lock();
           return mirror && meet(mirror->device, begin, bytes);
         });
}

} // namespace mpc::rt
