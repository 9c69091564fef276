// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The resources of runs on a GPU beside the code: streams, the arena, and the
/// device's copies of host memory. Programs that never run at the same time
/// share them.
#ifndef MPC_RUNTIME_RUNNER_DEVICEWORKSPACE_H
#define MPC_RUNTIME_RUNNER_DEVICEWORKSPACE_H

#include "runtime/Device/CUDA/Memory.h"
#include "runtime/Device/CUDA/Stream.h"
#include "runtime/Runner/Executor.h"
#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace mpc::rt {

/// Host memory with a copy on the device, and which of the two is newer.
struct Mirror {
  enum class Newer : uint8_t { Neither, Host, Device };

  std::span<std::byte> host;
  cuda::DeviceBuffer device;
  Newer newer = Newer::Host;
  /// Whether others have the device's copy and may write it at any time
  /// between two runs.
  bool isHandedOut = false;
};

class DeviceWorkspace {
public:
  /// Opens a device: see openCuda().
  static Result<std::shared_ptr<DeviceWorkspace>> open(int device);

  [[nodiscard]] const cuda::ContextRef &context() const { return context_; }
  /// The stream of all runs, and that of copies from the host, which overlap
  /// with them.
  [[nodiscard]] const cuda::Stream &stream() const { return *stream_; }
  [[nodiscard]] const cuda::Stream &uploads() const { return *uploads_; }

  /// Makes the arena at least that large. If it moves, its content is lost, and
  /// no run may be under way.
  Status reserveArena(uint64_t bytes);
  [[nodiscard]] cuda::DevicePointer arena() const { return arena_.pointer(); }
  /// The same for memory that a launch has while it runs. Where the device has
  /// no more, there is none at all.
  Status reserveScratch(uint64_t bytes);
  [[nodiscard]] const cuda::DeviceBuffer &scratch() const { return scratch_; }
  /// How often one of the two has moved. Users that keep addresses in them
  /// compare the number.
  [[nodiscard]] uint64_t numMoves() const { return numMoves_; }

  /// The device's copy of `host`: one for all that ask for this memory, for as
  /// long as one of them keeps it. `what` names the memory in errors.
  Result<std::shared_ptr<Mirror>> mirror(std::span<std::byte> host,
                                         std::string_view what);
  /// Copies what is newer to the other side, after all runs, and waits for it.
  Status toDevice(Mirror &mirror) const;
  Status toHost(Mirror &mirror) const;

  /// The stream in whose order others use device memory that they share with
  /// runs: CUDA's default stream at first.
  void setCallerStream(cuda::StreamHandle stream);
  /// Makes later runs wait for what the caller's stream has to do by now. The
  /// caller waits for a run himself before he uses what it has written.
  Status enter() const;

  /// Whether any of these bytes lie in a mirror, in the arena or in scratch
  /// memory.
  [[nodiscard]] bool meets(cuda::DevicePointer begin, uint64_t bytes) const;

private:
  DeviceWorkspace() = default;

  cuda::ContextRef context_;
  std::optional<cuda::Stream> stream_, uploads_, caller_;
  std::optional<cuda::Event> entered_;
  cuda::DeviceBuffer arena_, scratch_;
  uint64_t numMoves_ = 0;
  std::map<const std::byte *, std::weak_ptr<Mirror>> mirrors_;
};

/// Whether any of these bytes lie in `buffer`.
[[nodiscard]] bool meet(const cuda::DeviceBuffer &buffer,
                        cuda::DevicePointer begin, uint64_t bytes);

/// Opens the driver of this machine on a device. Where there is none, the error
/// says what to do (exit 3).
Result<cuda::ContextRef> openCuda(int device = kDeviceNumber);

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_DEVICEWORKSPACE_H
