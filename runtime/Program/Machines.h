// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The machines that commands run on, as commands see them. Executors are such
/// machines.
#ifndef MPC_RUNTIME_PROGRAM_MACHINES_H
#define MPC_RUNTIME_PROGRAM_MACHINES_H

#include "runtime/Program/Launch.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mpc::rt {

/// A compiled CPU kernel. `buffers` are the launch's buffers in order; the
/// kernel does chunks [begin, end) of its launch's chunks. `scratch` is this
/// worker's own memory of the command's scratchBytes(), 64-byte aligned. Chunks
/// are independent: any split over workers gives the same bits.
using KernelFunction = void (*)(void *const *buffers, int64_t begin,
                                int64_t end, void *scratch);

/// A CPU: workers that share the chunks of a command.
class HostMachine {
public:
  /// Does chunks [begin, end) as worker number `worker`.
  using Body = void (*)(void *context, int worker, int64_t begin, int64_t end);

  virtual ~HostMachine() = default;
  /// Calls `body` on ranges that cover [0, chunks) and returns when all are
  /// done.
  virtual void share(int64_t chunks, Body body, void *context) = 0;
  /// The function that begins there in the program's image.
  [[nodiscard]] virtual KernelFunction code(uint64_t offset) const = 0;
  [[nodiscard]] virtual std::byte *scratch(int worker) const = 0;
};

/// The grid of a GPU's kernel, along one axis.
struct Grid {
  int64_t blocks = 1;
  uint32_t threads = 1;     ///< Of a block.
  uint32_t sharedBytes = 0; ///< Of a block, beyond what the code declares.
};

/// A GPU whose stream takes one command after the other.
class DeviceMachine {
public:
  virtual ~DeviceMachine() = default;
  /// Looks up the kernel `symbol` of the program's module number `module`, and
  /// checks that the device holds a block of `grid`.
  virtual Status prepareKernel(uint32_t module, const std::string &symbol,
                               const Grid &grid) = 0;
  /// `arguments` point to the kernel's parameters, which are read before this
  /// returns. The kernel is prepared.
  virtual Status launchKernel(uint32_t module, const std::string &symbol,
                              const Grid &grid,
                              std::span<void *const> arguments) = 0;
  virtual Status copy(DeviceAddress to, DeviceAddress from, uint64_t bytes) = 0;
  /// Sets every byte to zero.
  virtual Status clear(DeviceAddress to, uint64_t bytes) = 0;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_MACHINES_H
