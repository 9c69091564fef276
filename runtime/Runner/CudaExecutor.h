// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs the entries of a program on a GPU, with one graph for each entry.
#ifndef MPC_RUNTIME_RUNNER_CUDAEXECUTOR_H
#define MPC_RUNTIME_RUNNER_CUDAEXECUTOR_H

#include "runtime/Device/CUDA/Module.h"
#include "runtime/Device/CUDA/Nvrtc.h"
#include "runtime/Device/CUDA/Stream.h"
#include "runtime/Program/Machines.h"
#include "runtime/Program/Program.h"
#include "runtime/Runner/Executor.h"
#include "runtime/Runner/LaunchObserver.h"
#include "runtime/Runner/State.h"
#include "runtime/Support/Status.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mpc::rt {

/// Opens the driver of this machine on its first device. Where there is none,
/// the error says what to do (exit 3).
Result<cuda::ContextRef> openCuda();

/// Not for concurrent use. The launches of an entry are recorded once into a
/// graph, which a run launches. The host waits only in wait() and, when two
/// runs of an entry are under way, for the older one.
class CudaExecutor final : public Executor, private DeviceMachine {
public:
  /// Compiles the modules without machine code for this device.
  static Result<std::unique_ptr<Executor>>
  create(std::shared_ptr<const Program> program, State &state,
         std::vector<KeptTensor> kept);
  ~CudaExecutor() override;

  Status enqueue(size_t entry, std::span<const void *const> inputs,
                 std::span<void *const> outputs) override;
  Status wait() override;
  Status waitFor(uint64_t run) override;
  [[nodiscard]] uint64_t numRuns() const override { return numRuns_; }
  [[nodiscard]] bool isAsynchronous() const override { return true; }
  Status readState() override;
  Status writeState() override;
  /// An observed run launches each launch alone, between two events, and waits
  /// for all. The times are the device's and include the start of a kernel.
  void observe(LaunchObserver *observer) override { observer_ = observer; }
  [[nodiscard]] bool ownsSome(const void * /*data*/,
                              size_t /*bytes*/) const override {
    return false;
  }
  [[nodiscard]] std::vector<std::string> warnings() const override {
    return warnings_;
  }

private:
  /// The memory of one run of an entry. Two runs may be under way.
  struct Slot {
    const Entry *entry = nullptr;
    std::vector<cuda::DeviceBuffer> inputs, outputs;
    std::vector<cuda::PinnedBuffer> sources, targets;
    /// The addresses at which the caller wants the outputs.
    std::vector<void *> wanted;
    std::optional<cuda::Event> uploaded, done;
    std::optional<cuda::Graph> graph;
    bool isPending = false;
  };
  struct Plan {
    std::array<Slot, 2> slots;
    size_t next = 0;
  };

  CudaExecutor(std::shared_ptr<const Program> program, State &state,
               std::vector<KeptTensor> kept)
      : program_(std::move(program)), state_(&state), kept_(std::move(kept)) {}
  Status prepare();
  Status preparePlan(const Entry &entry, Plan &plan);
  [[nodiscard]] std::vector<std::span<const char>> machineCode() const;
  [[nodiscard]] Result<std::vector<cuda::Image>> compileText() const;
  Status loadCode();
  Status load(std::span<const std::span<const char>> images);
  Status prepareLaunches();
  Status allocate();
  Status allocateSlot(const Entry &entry, Slot &slot);
  Status record(const Entry &entry, Slot &slot);
  Status recordKept(const Entry &entry);
  Status recordLaunch(const Launch &launch, uint64_t turn, const Slot &slot);
  Status recordOutputs(const Slot &slot);
  Status makeMarks(size_t count);
  Status launchMarked(const Slot &slot);
  [[nodiscard]] Result<Nanoseconds> timeOfMark(size_t mark) const;
  Status runObserved(const Slot &slot);
  Status upload();
  Status download();
  Status giveState();

  Status prepareKernel(uint32_t module, const std::string &symbol,
                       const Grid &grid) override;
  Status launchKernel(uint32_t module, const std::string &symbol,
                      const Grid &grid,
                      std::span<void *const> arguments) override;
  Status copy(DeviceAddress to, DeviceAddress from, uint64_t bytes) override {
    return stream_->copy(to, from, bytes);
  }
  Status clear(DeviceAddress to, uint64_t bytes) override {
    return stream_->fill(to, std::byte{0}, bytes);
  }
  [[nodiscard]] cuda::DevicePointer address(const BufferRef &ref,
                                            const Slot &slot) const;
  static std::string placeOf(const Slot &slot);
  void deliverOldest();
  Status finishOldest();
  Status begin(Slot &slot, std::span<const void *const> inputs);
  Status provide(Slot &slot, std::span<const void *const> inputs);

  std::shared_ptr<const Program> program_;
  State *state_;
  std::vector<KeptTensor> kept_;
  cuda::ContextRef context_;
  std::optional<cuda::Stream> stream_, uploads_;
  std::vector<cuda::Module> modules_;
  std::map<std::pair<uint32_t, std::string>, cuda::Function> functions_;
  cuda::DriverCode imageAnswer_ = cuda::code::kSuccess;
  std::vector<cuda::DeviceBuffer> slabs_, constants_, before_;
  cuda::DeviceBuffer arena_;
  std::vector<Plan> plans_;
  LaunchObserver *observer_ = nullptr; ///< The observer of runs, or null.
  std::vector<cuda::Event> marks_; ///< Events of observed runs, for any entry.
  std::deque<Slot *> pending_;     ///< The runs under way, oldest first.
  uint64_t numRuns_ = 0;
  /// Whether the device's state is newer than the host's.
  bool isDeviceAhead_ = false;
  bool isHostAhead_ = true; ///< Whether the host's state is newer.
  std::vector<std::string> warnings_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_CUDAEXECUTOR_H
