// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Streams, events and graphs: the work of a device in its order.
#ifndef MPC_RUNTIME_DEVICE_CUDA_STREAM_H
#define MPC_RUNTIME_DEVICE_CUDA_STREAM_H

#include "runtime/Device/CUDA/Context.h"
#include "runtime/Device/CUDA/Memory.h"
#include "runtime/Device/CUDA/Module.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace mpc::rt::cuda {

/// A point in a stream. Events with timing can measure time.
class Event {
public:
  enum class Timing { Off, On };
  static Result<Event> create(const ContextRef &context,
                              Timing timing = Timing::Off);

  /// Waits on the host until the device has reached it.
  [[nodiscard]] Status synchronize() const;
  /// Whether the device has reached it; does not wait.
  [[nodiscard]] Result<bool> reached() const;
  /// Milliseconds since `start`; both are timed and reached.
  [[nodiscard]] Result<float> millisecondsSince(const Event &start) const;

private:
  friend class Stream;
  using Handle = Owned<EventHandle, &DriverTable::cuEventDestroy_v2>;
  explicit Event(Handle handle) : handle_(std::move(handle)) {}
  Handle handle_;
};

/// Work recorded once and launched many times with one call.
class Graph {
public:
  /// The number of copies, fills and launches.
  [[nodiscard]] size_t nodes() const { return nodes_; }

private:
  friend class Stream;
  using Exec = Owned<GraphExecHandle, &DriverTable::cuGraphExecDestroy>;
  Graph(Exec exec, size_t nodes) : exec_(std::move(exec)), nodes_(nodes) {}
  static Result<Graph> instantiate(const ContextRef &context,
                                   GraphHandle captured);
  Exec exec_;
  size_t nodes_;
};

/// Work that runs in order, asynchronously to the host. Any later call may
/// report an error of the device. Host memory of a copy must live and stay
/// unchanged until the stream has been synchronized.
class Stream {
public:
  static Result<Stream> create(const ContextRef &context);
  /// A stream of the context with another owner, which keeps it alive; null is
  /// CUDA's default stream.
  static Stream borrow(const ContextRef &context, StreamHandle handle) {
    return {context, handle, {}};
  }

  /// The driver's handle, which stays this object's.
  [[nodiscard]] StreamHandle handle() const { return handle_; }

  /// Copies to `to` at byte `offset`.
  Status upload(const DeviceBuffer &to, uint64_t offset,
                std::span<const std::byte> from) const;
  Status download(std::span<std::byte> to, const DeviceBuffer &from,
                  uint64_t offset) const;
  /// Copies from device memory with another owner.
  Status download(std::span<std::byte> to, DevicePointer from) const;
  /// Copies the whole of `from` to the start of `to`.
  Status copy(const DeviceBuffer &to, const DeviceBuffer &from) const;
  /// Copies `bytes` from one place of device memory to another.
  Status copy(DevicePointer to, DevicePointer from, uint64_t bytes) const;
  /// Sets every byte.
  Status fill(const DeviceBuffer &to, std::byte value) const;
  /// Sets `bytes` from an address on.
  Status fill(DevicePointer to, std::byte value, uint64_t bytes) const;
  /// `arguments` point to the kernel's parameters, in order. They are read
  /// before the call returns. The function must be prepared for the shape.
  Status launch(const Function &function, const LaunchShape &shape,
                std::span<void *const> arguments) const;
  Status launch(const Graph &graph) const;

  Status record(const Event &event) const;
  /// Makes later work in this stream wait for `event`.
  Status wait(const Event &event) const;
  /// Waits on the host until all is done. `doing` names the work in errors.
  Status synchronize(std::string_view doing) const;

  /// Records the work that `work` adds to this stream, without running it, as a
  /// graph. A failure of `work` also ends the recording.
  Result<Graph> capture(const std::function<Status()> &work) const;

private:
  using Owner = Owned<StreamHandle, &DriverTable::cuStreamDestroy_v2>;
  Stream(ContextRef context, StreamHandle handle, Owner owner)
      : context_(std::move(context)), handle_(handle),
        owner_(std::move(owner)) {}
  [[nodiscard]] const Context &context() const { return *context_; }

  ContextRef context_;
  StreamHandle handle_;
  Owner owner_; ///< Empty for a borrowed stream.
};

} // namespace mpc::rt::cuda

#endif // MPC_RUNTIME_DEVICE_CUDA_STREAM_H
