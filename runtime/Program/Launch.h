// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What an entry does, one thing after the other: launches. Each says what it
/// does by a command, of which there is one class for each kind. A kind is one
/// class with its row in a manifest, and one function for each machine that can
/// run it; Commands.h has those that programs are made of.
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

/// What memory a buffer lies in.
enum class Space : uint8_t {
  Arena,    ///< The entry's arena; index is 0.
  State,    ///< A slab of the state; index is the slab.
  Constant, ///< A constant of the program; index is the constant.
  Input,    ///< A tensor given to the run; index is the input.
  Output,   ///< A tensor the run fills in; index is the output.
};

/// A place in memory: `bytes` of a space, from `offset` on.
struct BufferRef {
  Space space = Space::Arena;
  uint32_t index = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// How far the code of a program lies behind that of another which it is linked
/// to: see linkPrograms().
struct CodeShift {
  uint64_t imageBytes = 0; ///< Of a CPU's image.
  uint32_t modules = 0;    ///< Of a GPU.
};

/// What a launch does to its buffers. Commands do not change, and programs
/// share them.
class Command {
public:
  Command() = default;
  Command(const Command &) = delete;
  Command &operator=(const Command &) = delete;
  virtual ~Command() = default;

  /// The word that a manifest and mpc-inspect have for the kind.
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// Its numbers, for a person who reads a list of launches: ", 12 chunks".
  [[nodiscard]] virtual std::string describe() const { return ""; }
  /// Adds its fields to the launch's own in a manifest. A CommandRow reads
  /// them.
  virtual void write(nlohmann::json &fields) const { (void)fields; }

  /// What keeps `launch`, whose command this is, from running; empty where
  /// nothing does. That its buffers lie in their memory is checked elsewhere.
  [[nodiscard]] virtual std::string fault(const Program &program,
                                          const Launch &launch) const = 0;

  /// The same command where the code that it names lies so much further on;
  /// null where it names none, and is the same itself.
  [[nodiscard]] virtual std::shared_ptr<const Command>
  shifted(const CodeShift &shift) const {
    (void)shift;
    return nullptr;
  }

  /// Memory of its own that a worker of a CPU needs, in bytes.
  [[nodiscard]] virtual uint64_t scratchBytes() const { return 0; }
  /// Does `launch` on a CPU and returns when it is done. Allocates nothing. An
  /// error unless the kind has it, as record() is.
  virtual Status run(const Launch &launch, void *const *buffers,
                     HostMachine &machine) const;

  /// Makes ready what record() needs, once, when a program is loaded.
  virtual Status prepare(const Launch &launch, DeviceMachine &machine) const;
  /// Gives `launch` to a GPU. Does not wait, and may be part of a recording.
  virtual Status record(const Launch &launch,
                        std::span<const DeviceAddress> buffers,
                        DeviceMachine &machine) const;
};

/// How a kind of command is read from a launch of a manifest.
struct CommandRow {
  std::string_view kind;
  std::shared_ptr<const Command> (*read)(const nlohmann::json &launch,
                                         FieldReader &fields);
};

/// One thing an entry does. Launches run in order.
struct Launch {
  std::string symbol;  ///< What messages and tables call it: a kernel's name.
  std::string sources; ///< Names of the model's nodes in it.
  std::vector<BufferRef> buffers;
  uint32_t numRead = 0; ///< Of the buffers, the first; the others are written.
  std::shared_ptr<const Command> command;

  /// Its command where that is of this kind, else null.
  template <typename Kind>
  [[nodiscard]] const Kind *as() const {
    return dynamic_cast<const Kind *>(command.get());
  }
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_LAUNCH_H
