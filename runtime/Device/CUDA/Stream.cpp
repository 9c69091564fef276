// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, events and graphs over the driver's calls.
#include "runtime/Device/CUDA/Stream.h"

#include "runtime/Support/Text.h"

#include <fmt/format.h>

namespace mpc::rt::cuda {
namespace {

/// A copy beyond the end of a buffer is a bug in mpc, which the driver would
/// often not notice.
Status checkRange(const DeviceBuffer &buffer, uint64_t offset, uint64_t bytes) {
  if (offset <= buffer.size() && bytes <= buffer.size() - offset)
    return Status();
  return internalError(
      fmt::format("a copy of bytes [{}, {}) of a device buffer of {} bytes",
                  offset, offset + bytes, buffer.size()));
}

} // namespace

Result<Event> Event::create(const ContextRef &context, Timing timing) {
  EventHandle handle = nullptr;
  unsigned flags = timing == Timing::On ? kEventDefault : kEventDisableTiming;
  MPC_CUDA_RETURN_IF_REFUSED(*context, cuEventCreate, (&handle, flags),
                             "creating an event");
  return Event(Handle(context, handle));
}

Status Event::synchronize() const {
  MPC_CUDA_RETURN_IF_REFUSED(handle_.context(), cuEventSynchronize,
                             (handle_.get()), "waiting for an event");
  return Status();
}

Result<bool> Event::reached() const {
  const Context &context = handle_.context();
  Current current(context);
  DriverCode answer = current.answer();
  if (answer == code::kSuccess)
    answer = context.table().cuEventQuery(handle_.get());
  if (answer == code::kSuccess || answer == code::kNotReady)
    return answer == code::kSuccess;
  return context.check(answer, "cuEventQuery", "asking for an event");
}

Result<float> Event::millisecondsSince(const Event &start) const {
  float milliseconds = 0;
  MPC_CUDA_RETURN_IF_REFUSED(
      handle_.context(), cuEventElapsedTime,
      (&milliseconds, start.handle_.get(), handle_.get()),
      "taking the time between events");
  return milliseconds;
}

Result<Graph> Graph::instantiate(const ContextRef &context,
                                 GraphHandle captured) {
  Owned<GraphHandle, &DriverTable::cuGraphDestroy> graph(context, captured);
  size_t nodes = 0;
  MPC_CUDA_RETURN_IF_REFUSED(*context, cuGraphGetNodes,
                             (graph.get(), nullptr, &nodes),
                             "counting the nodes of a graph");
  GraphExecHandle exec = nullptr;
  MPC_CUDA_RETURN_IF_REFUSED(
      *context, cuGraphInstantiateWithFlags, (&exec, graph.get(), 0),
      fmt::format("instantiating a graph of {} nodes", nodes));
  return Graph(Exec(context, exec), nodes);
}

Result<Stream> Stream::create(const ContextRef &context) {
  StreamHandle handle = nullptr;
  MPC_CUDA_RETURN_IF_REFUSED(*context, cuStreamCreate,
                             (&handle, kStreamNonBlocking),
                             "creating a stream");
  return Stream(context, handle, Owner(context, handle));
}

Status Stream::upload(const DeviceBuffer &to, uint64_t offset,
                      std::span<const std::byte> from) const {
  MPC_RETURN_IF_ERROR(checkRange(to, offset, from.size()));
  if (from.empty())
    return Status();
  MPC_CUDA_RETURN_IF_REFUSED(
      context(), cuMemcpyHtoDAsync_v2,
      (to.pointer() + offset, from.data(), from.size(), handle_),
      fmt::format("copying {} to the device", formatBytes(from.size())));
  return Status();
}

Status Stream::download(std::span<std::byte> to, const DeviceBuffer &from,
                        uint64_t offset) const {
  MPC_RETURN_IF_ERROR(checkRange(from, offset, to.size()));
  return download(to, from.pointer() + offset);
}

Status Stream::download(std::span<std::byte> to, DevicePointer from) const {
  if (to.empty())
    return Status();
  MPC_CUDA_RETURN_IF_REFUSED(
      context(), cuMemcpyDtoHAsync_v2, (to.data(), from, to.size(), handle_),
      fmt::format("copying {} from the device", formatBytes(to.size())));
  return Status();
}

Status Stream::copy(const DeviceBuffer &to, const DeviceBuffer &from) const {
  MPC_RETURN_IF_ERROR(checkRange(to, 0, from.size()));
  return copy(to.pointer(), from.pointer(), from.size());
}

Status Stream::copy(DevicePointer to, DevicePointer from,
                    uint64_t bytes) const {
  if (bytes == 0)
    return Status();
  MPC_CUDA_RETURN_IF_REFUSED(
      context(), cuMemcpyDtoDAsync_v2, (to, from, bytes, handle_),
      fmt::format("copying {} on the device", formatBytes(bytes)));
  return Status();
}

Status Stream::fill(const DeviceBuffer &to, std::byte value) const {
  return fill(to.pointer(), value, to.size());
}

Status Stream::fill(DevicePointer to, std::byte value, uint64_t bytes) const {
  if (bytes == 0)
    return Status();
  MPC_CUDA_RETURN_IF_REFUSED(
      context(), cuMemsetD8Async,
      (to, static_cast<unsigned char>(value), bytes, handle_),
      fmt::format("filling {}", formatBytes(bytes)));
  return Status();
}

Status Stream::launch(const Function &function, const LaunchShape &shape,
                      std::span<void *const> arguments) const {
  // The driver only reads the array, although the parameter's type allows
  // writing.
  auto **pointers = const_cast<void **>(arguments.data());
  MPC_CUDA_RETURN_IF_REFUSED(
      context(), cuLaunchKernel,
      (function.handle(), shape.grid[0], shape.grid[1], shape.grid[2],
       shape.block[0], shape.block[1], shape.block[2], shape.sharedBytes,
       handle_, pointers, nullptr),
      fmt::format("launching kernel {} ({})", quote(function.name()),
                  describe(shape)));
  return Status();
}

Status Stream::launch(const Graph &graph) const {
  MPC_CUDA_RETURN_IF_REFUSED(
      context(), cuGraphLaunch, (graph.exec_.get(), handle_),
      fmt::format("launching a graph of {} nodes", graph.nodes()));
  return Status();
}

Status Stream::record(const Event &event) const {
  MPC_CUDA_RETURN_IF_REFUSED(context(), cuEventRecord,
                             (event.handle_.get(), handle_),
                             "recording an event");
  return Status();
}

Status Stream::wait(const Event &event) const {
  MPC_CUDA_RETURN_IF_REFUSED(context(), cuStreamWaitEvent,
                             (handle_, event.handle_.get(), 0),
                             "waiting for an event in a stream");
  return Status();
}

Status Stream::synchronize(std::string_view doing) const {
  MPC_CUDA_RETURN_IF_REFUSED(context(), cuStreamSynchronize, (handle_), doing);
  return Status();
}

Result<Graph> Stream::capture(const std::function<Status()> &work) const {
  MPC_CUDA_RETURN_IF_REFUSED(context(), cuStreamBeginCapture_v2,
                             (handle_, kCaptureThreadLocal),
                             "beginning to record a graph");
  Status worked = work();
  Current current(context());
  GraphHandle captured = nullptr;
  DriverCode ended = context().table().cuStreamEndCapture(handle_, &captured);
  if (!worked.ok()) {
    if (captured)
      (void)context().table().cuGraphDestroy(captured);
    return worked;
  }
  if (ended != code::kSuccess)
    return context().check(ended, "cuStreamEndCapture", "recording a graph");
  return Graph::instantiate(context_, captured);
}

} // namespace mpc::rt::cuda
