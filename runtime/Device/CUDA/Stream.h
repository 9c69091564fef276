// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Streams, events and graphs: what a device does in which order.
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

/// A point in a stream. Those made with timing can be told apart in time.
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
  /// Copies, fills and launches in it.
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

/// Work that runs in order, asynchronously to the host. Faults of the device
/// may be told by any later call. Host ranges that are copied from or to must
/// live, and stay as they are, until the stream has been synchronized.
class Stream {
public:
  static Result<Stream> create(const ContextRef &context);

  /// Copies to `to` from byte `offset` on.
  Status upload(const DeviceBuffer &to, uint64_t offset,
                std::span<const std::byte> from) const;
  Status download(std::span<std::byte> to, const DeviceBuffer &from,
                  uint64_t offset) const;
  /// Copies the whole of `from` to the start of `to`.
  Status copy(const DeviceBuffer &to, const DeviceBuffer &from) const;
  /// Copies `bytes` from one place of device memory to another.
  Status copy(DevicePointer to, DevicePointer from, uint64_t bytes) const;
  /// Sets every byte.
  Status fill(const DeviceBuffer &to, std::byte value) const;
  /// Sets `bytes` from a place on.
  Status fill(DevicePointer to, std::byte value, uint64_t bytes) const;
  /// `arguments` point to the kernel's parameters, in order; they are read
  /// before this returns. The function is prepared for the shape.
  Status launch(const Function &function, const LaunchShape &shape,
                std::span<void *const> arguments) const;
  Status launch(const Graph &graph) const;

  Status record(const Event &event) const;
  /// What follows in this stream waits for `event`.
  Status wait(const Event &event) const;
  /// Waits on the host until all is done. `doing` names the work in errors.
  Status synchronize(std::string_view doing) const;

  /// Records what `work` gives to this stream, runs none of it, and makes a
  /// graph of it. A failure of `work` ends the recording too.
  Result<Graph> capture(const std::function<Status()> &work) const;

private:
  using Handle = Owned<StreamHandle, &DriverTable::cuStreamDestroy_v2>;
  explicit Stream(Handle handle) : handle_(std::move(handle)) {}
  [[nodiscard]] const Context &context() const { return handle_.context(); }
  Handle handle_;
};

} // namespace mpc::rt::cuda

#endif // MPC_RUNTIME_DEVICE_CUDA_STREAM_H
