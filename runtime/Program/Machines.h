// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The machines that run commands, as commands see them. Executors implement
/// these interfaces.
#ifndef MPC_RUNTIME_PROGRAM_MACHINES_H
#define MPC_RUNTIME_PROGRAM_MACHINES_H

#include "runtime/Program/Launch.h"
#include "runtime/Support/Chunks.h"
#include "runtime/Support/MatrixProduct.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace mpc::rt {

class Ranks;
struct Exchange;

/// A compiled CPU kernel. `buffers` are the launch's buffers in order. The
/// kernel computes chunks [begin, end) of its launch's chunks. `scratch` is
/// this worker's own memory, of the command's scratchBytes(), 64-byte aligned.
/// Chunks are independent: any division among workers gives the same bits.
using KernelFunction = void (*)(void *const *buffers, int64_t begin,
                                int64_t end, void *scratch);

/// A CPU whose workers share the chunks of a command.
class HostMachine {
public:
  /// Runs chunks [begin, end) as worker number `worker`.
  using Body = void (*)(void *context, int worker, int64_t begin, int64_t end);

  virtual ~HostMachine() = default;
  /// Calls `body` on ranges that cover `chunks` and returns when all are done.
  virtual void share(Chunks chunks, Body body, void *context) = 0;
  /// The function at that offset of the program's image.
  [[nodiscard]] virtual KernelFunction code(uint64_t offset) const = 0;
  [[nodiscard]] virtual std::byte *scratch(int worker) const = 0;
  /// The ranks of the training; null where this process is alone.
  [[nodiscard]] virtual Ranks *ranks() const = 0;
};

/// The one-dimensional grid of a GPU's kernel.
struct Grid {
  int64_t blocks = 1;
  uint32_t threads = 1; ///< The threads of a block.
  /// The shared memory of a block, in addition to what the code declares.
  uint32_t sharedBytes = 0;
};

/// A product at its place in memory of a GPU.
struct PlacedProduct {
  const MatrixProduct &product;
  DeviceAddress a, b, d;
  DeviceAddress bias = 0, input = 0; ///< 0 where the product has none.
  /// The scratch memory that a library may use for it: the machine has it.
  uint64_t scratchBytes = 0;
};

/// A GPU whose stream runs one command after the other.
class DeviceMachine {
public:
  virtual ~DeviceMachine() = default;
  /// Finds the kernel `symbol` in the program's module number `module`, and
  /// checks that the device can hold a block of `grid`.
  virtual Status prepareKernel(uint32_t module, const std::string &symbol,
                               const Grid &grid) = 0;
  /// `arguments` point to the kernel's parameters, which are read before the
  /// call returns. The kernel must be prepared.
  virtual Status launchKernel(uint32_t module, const std::string &symbol,
                              const Grid &grid,
                              std::span<void *const> arguments) = 0;
  /// Chooses how to compute the product: by a library of the device, or by
  /// `kernel`, which adds a kernel that does the same to the stream. May run
  /// both, and waits.
  virtual Status chooseProduct(const PlacedProduct &product,
                               const std::function<Status()> &kernel) = 0;
  /// Computes the product as was chosen.
  virtual Status launchProduct(const PlacedProduct &product,
                               const std::function<Status()> &kernel) = 0;
  virtual Status copy(DeviceAddress to, DeviceAddress from, uint64_t bytes) = 0;
  /// Sets every byte to zero.
  virtual Status clear(DeviceAddress to, uint64_t bytes) = 0;
  /// The ranks of the training; null where this process is alone.
  [[nodiscard]] virtual Ranks *ranks() const = 0;
  /// Exchanges messages with other ranks, at addresses in memory of the device.
  virtual Status exchange(const Exchange &messages) = 0;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_MACHINES_H
