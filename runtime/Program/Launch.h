// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Launches: what an entry does, one after the other. Each has a command, of
/// which there is one class for each kind. A kind is one class with its row in
/// a manifest, and one function for each machine that can run it. Commands.h
/// has the kinds of which programs consist.
#ifndef MPC_RUNTIME_PROGRAM_LAUNCH_H
#define MPC_RUNTIME_PROGRAM_LAUNCH_H

#include "runtime/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

class DeviceMachine;
class FieldReader;
class HostMachine;
struct Launch;
struct Program;

/// An address in the memory of a GPU.
using DeviceAddress = uint64_t;

/// The memory in which a buffer lies.
enum class Space : uint8_t {
  Arena,    ///< The entry's arena; index is 0.
  State,    ///< A slab of the state; index is the slab.
  Constant, ///< A constant of the program; index is the constant.
  Input,    ///< A tensor given to the run; index is the input.
  Output,   ///< A tensor the run fills in; index is the output.
};

/// A range of memory: `bytes` of a space, from `offset` on. In a loop it may
/// move from turn to turn.
struct BufferRef {
  Space space = Space::Arena;
  uint32_t index = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  /// By how many bytes it moves from one turn of its loop to the next.
  int64_t stride = 0;
  /// After so many turns it is where it was at first; 0 for never.
  uint32_t period = 0;

  /// Its offset at turn `turn`, which counts from 0.
  [[nodiscard]] uint64_t offsetAt(uint64_t turn) const {
    uint64_t moves = period != 0 ? turn % period : turn;
    // Unsigned arithmetic wraps around, as a negative stride needs it.
    return offset + moves * static_cast<uint64_t>(stride);
  }
};

/// The distance from the start of the linked code to the start of a program's
/// own code: see linkPrograms().
struct CodeShift {
  uint64_t imageBytes = 0; ///< In bytes of a CPU's image.
  uint32_t modules = 0;    ///< In modules of a GPU.
};

/// The action of a launch on its buffers. Commands are immutable, and programs
/// share them.
class Command {
public:
  Command() = default;
  Command(const Command &) = delete;
  Command &operator=(const Command &) = delete;
  virtual ~Command() = default;

  /// The name of the kind in a manifest and in mpc-inspect.
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// Its numbers, for people who read a list of launches: ", 12 chunks".
  [[nodiscard]] virtual std::string describe() const { return ""; }
  /// Adds its fields to the launch's own in a manifest. A CommandRow reads
  /// them.
  virtual void write(nlohmann::json &fields) const { (void)fields; }

  /// The reason why `launch`, whose command this is, cannot run; empty where it
  /// can. Whether its buffers lie inside of their memory is checked elsewhere.
  [[nodiscard]] virtual std::string fault(const Program &program,
                                          const Launch &launch) const = 0;

  /// The command with its code moved by that distance; null where it names no
  /// code, and so stays the same.
  [[nodiscard]] virtual std::shared_ptr<const Command>
  shifted(const CodeShift &shift) const {
    (void)shift;
    return nullptr;
  }

  /// The scratch memory that a worker of a CPU needs, or a launch on a GPU, in
  /// bytes.
  [[nodiscard]] virtual uint64_t scratchBytes() const { return 0; }
  /// Runs `launch` on a CPU and returns when it is done. Allocates nothing. An
  /// error unless the kind supports it; the same holds for record().
  virtual Status run(const Launch &launch, void *const *buffers,
                     HostMachine &machine) const;

  /// Prepares for record(), once, when a program is loaded.
  virtual Status prepare(const Launch &launch, DeviceMachine &machine) const;
  /// Chooses by measuring among several ways to do the same, before anything is
  /// recorded. May write to the buffers, which hold nothing yet, and waits.
  virtual Status choose(const Launch &launch,
                        std::span<const DeviceAddress> buffers,
                        DeviceMachine &machine) const;
  /// Adds `launch` to a GPU's stream. Does not wait, and may be recorded.
  virtual Status record(const Launch &launch,
                        std::span<const DeviceAddress> buffers,
                        DeviceMachine &machine) const;
};

/// Reads a kind of command from a launch of a manifest.
struct CommandRow {
  std::string_view kind;
  std::shared_ptr<const Command> (*read)(const nlohmann::json &launch,
                                         FieldReader &fields);
};

/// One action of an entry. Launches run in order.
struct Launch {
  std::string symbol;  ///< The name in messages and tables: that of a kernel.
  std::string sources; ///< The names of the model's nodes that it computes.
  std::vector<BufferRef> buffers;
  /// The number of buffers that are read, which come first; the others are
  /// written.
  uint32_t numRead = 0;
  std::shared_ptr<const Command> command;

  /// Its command if it is of this kind, else null.
  template <typename Kind>
  [[nodiscard]] const Kind *as() const {
    return dynamic_cast<const Kind *>(command.get());
  }
};

/// Neighbouring launches of an entry that it runs several times, one turn after
/// the other.
struct LaunchLoop {
  uint64_t first = 0; ///< The number of the first launch.
  uint64_t count = 0; ///< The number of launches.
  uint64_t turns = 0;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_LAUNCH_H
