// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The kinds of commands in programs.
#ifndef MPC_RUNTIME_PROGRAM_COMMANDS_H
#define MPC_RUNTIME_PROGRAM_COMMANDS_H

#include "runtime/Program/Launch.h"
#include "runtime/Program/Machines.h"
#include "runtime/Ranks/Ranks.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mpc::rt {

/// The rows of all kinds: those below, and LibraryProduct.
[[nodiscard]] std::span<const CommandRow> commandRows();

/// The work of a kernel, for people; nothing runs by it.
struct KernelWork {
  std::string kind; ///< "map", "rows", "contraction", ...
  /// Floating-point operations, where a fused multiplication and addition
  /// counts as two; 0 where they are not known.
  uint64_t flops = 0;
  /// The instruction that computes them, where it is none for f32: "vdpbf16ps".
  std::string unit = {};
};

/// Code that was compiled for this program.
class Kernel : public Command {
public:
  [[nodiscard]] const KernelWork &work() const { return work_; }
  void write(nlohmann::json &fields) const override;

protected:
  explicit Kernel(KernelWork work) : work_(std::move(work)) {}

private:
  KernelWork work_;
};

/// The work of a launch; empty where it runs no kernel.
[[nodiscard]] KernelWork workOf(const Launch &launch);

/// A function in a CPU's image.
class HostKernel final : public Kernel {
public:
  struct Place {
    uint64_t codeOffset = 0; ///< The function's offset in the image.
    /// The number of chunks. It depends on shapes and never on threads.
    int64_t chunks = 1;
    uint64_t scratchBytes = 0; ///< Scratch memory of each worker.
    int64_t tile = 1; ///< Neighbouring chunks that share work: see Chunks.
  };
  explicit HostKernel(Place place, KernelWork work = {})
      : Kernel(std::move(work)), place_(place) {}
  static const CommandRow kRow;

  [[nodiscard]] const Place &place() const { return place_; }

  [[nodiscard]] std::string_view kind() const override { return kRow.kind; }
  [[nodiscard]] std::string describe() const override;
  void write(nlohmann::json &fields) const override;
  [[nodiscard]] std::string fault(const Program &program,
                                  const Launch &launch) const override;
  [[nodiscard]] std::shared_ptr<const Command>
  shifted(const CodeShift &shift) const override;
  [[nodiscard]] uint64_t scratchBytes() const override {
    return place_.scratchBytes;
  }
  Status run(const Launch &launch, void *const *buffers,
             HostMachine &machine) const override;

private:
  Place place_;
};

/// A parameter of a GPU's kernel: the address of one of the launch's buffers.
struct PointerParameter {
  uint32_t buffer = 0;
};
/// A parameter that is a number in its memory format.
struct ScalarParameter {
  uint64_t bits = 0;
  uint32_t bytes = 8; ///< The number of low bytes of `bits`: 1, 2, 4 or 8.
};
using KernelParameter = std::variant<PointerParameter, ScalarParameter>;

/// A pointer for each of `buffers` buffers, in their order.
[[nodiscard]] std::vector<KernelParameter> pointerParameters(size_t buffers);

/// A kernel of one of a GPU's modules, named by the launch's symbol.
class DeviceKernel : public Kernel {
public:
  DeviceKernel(uint32_t module, Grid grid,
               std::vector<KernelParameter> parameters, KernelWork work = {})
      : Kernel(std::move(work)), module_(module), grid_(grid),
        parameters_(std::move(parameters)) {}
  static const CommandRow kRow;

  [[nodiscard]] uint32_t module() const { return module_; }
  [[nodiscard]] const Grid &grid() const { return grid_; }
  [[nodiscard]] const std::vector<KernelParameter> &parameters() const {
    return parameters_;
  }

  [[nodiscard]] std::string_view kind() const override { return kRow.kind; }
  [[nodiscard]] std::string describe() const override;
  void write(nlohmann::json &fields) const override;
  [[nodiscard]] std::string fault(const Program &program,
                                  const Launch &launch) const override;
  [[nodiscard]] std::shared_ptr<const Command>
  shifted(const CodeShift &shift) const override;
  Status prepare(const Launch &launch, DeviceMachine &machine) const override;
  Status record(const Launch &launch, std::span<const DeviceAddress> buffers,
                DeviceMachine &machine) const override;

private:
  uint32_t module_;
  Grid grid_;
  std::vector<KernelParameter> parameters_;
};

/// Copies the first buffer to the second, which has the same size.
class Copy final : public Command {
public:
  static const CommandRow kRow;
  [[nodiscard]] std::string_view kind() const override { return kRow.kind; }
  [[nodiscard]] std::string fault(const Program &program,
                                  const Launch &launch) const override;
  Status run(const Launch &launch, void *const *buffers,
             HostMachine &machine) const override;
  Status record(const Launch &launch, std::span<const DeviceAddress> buffers,
                DeviceMachine &machine) const override;
};

/// What a collective does: see Ranks. TakePart moves nothing between ranks: it
/// copies a rank's own part, and zeroes what lies behind a shorter one.
enum class CollectiveKind : uint8_t { AllToAll, AllGather, TakePart };

/// The error of a program for `ranks` where there are `size`.
[[nodiscard]] Status wrongNumberOfRanks(uint32_t ranks, uint32_t size);

/// Moves parts of tensors between ranks, with one wait for others: from the
/// first half of the buffers to the second.
class Collective final : public Command {
public:
  /// `parts` has a shape for each tensor, all of as many ranks.
  Collective(CollectiveKind collective, std::vector<Parts> parts)
      : collective_(collective), parts_(std::move(parts)) {}
  static const CommandRow kRow;

  [[nodiscard]] CollectiveKind collective() const { return collective_; }
  [[nodiscard]] const std::vector<Parts> &parts() const { return parts_; }

  [[nodiscard]] std::string_view kind() const override { return kRow.kind; }
  [[nodiscard]] std::string describe() const override;
  void write(nlohmann::json &fields) const override;
  [[nodiscard]] std::string fault(const Program &program,
                                  const Launch &launch) const override;
  Status run(const Launch &launch, void *const *buffers,
             HostMachine &machine) const override;
  Status record(const Launch &launch, std::span<const DeviceAddress> buffers,
                DeviceMachine &machine) const override;

private:
  [[nodiscard]] uint32_t ranks() const {
    return parts_.empty() ? 0 : parts_.front().ranks;
  }
  Status checkRanks(const Ranks *ranks) const;
  [[nodiscard]] std::vector<MovedTensor>
  tensorsAt(const std::function<std::byte *(size_t)> &address) const;

  CollectiveKind collective_;
  std::vector<Parts> parts_;
};

/// Fills its only buffer with zeros.
class Fill final : public Command {
public:
  static const CommandRow kRow;
  [[nodiscard]] std::string_view kind() const override { return kRow.kind; }
  [[nodiscard]] std::string fault(const Program &program,
                                  const Launch &launch) const override;
  Status run(const Launch &launch, void *const *buffers,
             HostMachine &machine) const override;
  Status record(const Launch &launch, std::span<const DeviceAddress> buffers,
                DeviceMachine &machine) const override;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_COMMANDS_H
