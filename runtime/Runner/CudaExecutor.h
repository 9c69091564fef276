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
#include "runtime/Runner/DeviceProducts.h"
#include "runtime/Runner/DeviceWorkspace.h"
#include "runtime/Runner/Executor.h"
#include "runtime/Runner/LaunchObserver.h"
#include "runtime/Runner/State.h"
#include "runtime/Support/Status.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mpc::rt {

/// Not for concurrent use. The launches of an entry are recorded once into a
/// graph, which a run launches. They are recorded anew where the arena has
/// moved, or where other outputs go to the host. The host waits only in wait()
/// and, when two runs of an entry are under way, for the older one.
class CudaExecutor final : public Executor, private DeviceMachine {
public:
  /// Compiles the modules without machine code for this device.
  static Result<std::unique_ptr<Executor>>
  create(std::shared_ptr<const Program> program, State &state,
         std::vector<KeptTensor> kept, ExecutorOptions options);
  ~CudaExecutor() override;

  Status enqueue(size_t entry, const RunMemory &memory) override;
  Status wait() override;
  Status waitFor(uint64_t run) override;
  [[nodiscard]] uint64_t numRuns() const override { return numRuns_; }
  [[nodiscard]] bool isAsynchronous() const override { return true; }
  Status readSlab(uint32_t slab) override;
  Status writeSlab(uint32_t slab) override;
  Status finishWriting() override;
  Result<DeviceAddress> handOutSlab(uint32_t slab) override;
  [[nodiscard]] bool isHandedOut(uint32_t slab) const override {
    return slabs_[slab]->isHandedOut;
  }
  Status setCallerStream(void *stream) override;
  Status checkDeviceMemory(DeviceAddress begin, uint64_t bytes) const override;
  Status readDevice(std::span<std::byte> to, DeviceAddress from) const override;
  /// An observed run launches each launch alone, between two events, and waits
  /// for all. The times are the device's and include the start of a kernel.
  void observe(LaunchObserver *observer) override { observer_ = observer; }
  [[nodiscard]] bool ownsSome(const void *data, size_t bytes) const override;
  [[nodiscard]] std::shared_ptr<DeviceWorkspace>
  deviceWorkspace() const override {
    return workspace_;
  }
  [[nodiscard]] std::vector<std::string> warnings() const override {
    return warnings_;
  }

private:
  /// The memory of one run of an entry. Two runs may be under way.
  struct Slot {
    const Entry *entry = nullptr;
    std::vector<cuda::DeviceBuffer> inputs, outputs;
    /// Where inputs come from and outputs go on the host; empty for one that
    /// the caller has on the device.
    std::vector<cuda::PinnedBuffer> sources, targets;
    /// The addresses at which the caller wants the outputs; null for one that
    /// he does not want on the host.
    std::vector<void *> wanted;
    std::optional<cuda::Event> uploaded, done;
    std::optional<cuda::Graph> graph;
    /// The inputs that come from the host, the outputs that the graph copies
    /// there, and the move of the arena after which it was recorded.
    std::vector<bool> uploads, downloads;
    uint64_t numMoves = 0;
    bool isPending = false;
  };
  struct Plan {
    std::array<Slot, 2> slots;
    size_t next = 0;
    /// The state that the entry uses, with the values that are kept of it.
    std::vector<Mirror *> state;
  };
  /// A value that is kept, and its copy on the device.
  struct Kept {
    const StateTensor *tensor;
    std::shared_ptr<Mirror> before;
  };

  CudaExecutor(std::shared_ptr<const Program> program, State &state,
               std::shared_ptr<DeviceWorkspace> workspace, Ranks *ranks)
      : program_(std::move(program)), state_(&state), ranks_(ranks),
        workspace_(std::move(workspace)), context_(workspace_->context()),
        stream_(&workspace_->stream()), uploads_(&workspace_->uploads()),
        products_(context_, *stream_, /*measures=*/!ranks) {}
  Status prepare(std::span<const KeptTensor> kept);
  Status preparePlan(const Entry &entry, Plan &plan);
  [[nodiscard]] std::vector<std::span<const char>> machineCode() const;
  [[nodiscard]] Result<std::vector<cuda::Image>> compileText() const;
  Status loadCode();
  Status load(std::span<const std::span<const char>> images);
  Status prepareLaunches();
  Status allocate(std::span<const KeptTensor> kept);
  Status allocateSlot(const Entry &entry, Slot &slot);
  Status allocateHost(Slot &slot) const;
  void reserveScratch();
  Status chooseProducts(const Slot &slot);
  [[nodiscard]] cuda::DevicePointer scratch() const {
    return workspace_->scratch().pointer();
  }
  [[nodiscard]] PlacedProduct withScratch(PlacedProduct product) const;
  Status adapt(Slot &slot, const RunMemory &memory);
  Status record(Slot &slot);
  Status recordKept(const Entry &entry);
  [[nodiscard]] std::vector<DeviceAddress>
  addressesOf(const Launch &launch, uint64_t turn, const Slot &slot) const;
  Status recordLaunch(const Launch &launch, uint64_t turn, const Slot &slot);
  Status recordOutputs(const Slot &slot);
  Status makeMarks(size_t count);
  Status launchMarked(const Slot &slot);
  [[nodiscard]] Result<Nanoseconds> timeOfMark(size_t mark) const;
  Status runObserved(const Slot &slot);
  Status giveState(const Plan &plan);
  Status forSlab(uint32_t slab, auto &&call);

  Status prepareKernel(uint32_t module, const std::string &symbol,
                       const Grid &grid) override;
  Status launchKernel(uint32_t module, const std::string &symbol,
                      const Grid &grid,
                      std::span<void *const> arguments) override;
  Status chooseProduct(const PlacedProduct &product,
                       const std::function<Status()> &kernel) override {
    return products_.choose(withScratch(product), scratch(), kernel);
  }
  Status launchProduct(const PlacedProduct &product,
                       const std::function<Status()> &kernel) override {
    return products_.launch(withScratch(product), scratch(), kernel);
  }
  Status copy(DeviceAddress to, DeviceAddress from, uint64_t bytes) override {
    return stream_->copy(to, from, bytes);
  }
  Status clear(DeviceAddress to, uint64_t bytes) override {
    return stream_->fill(to, std::byte{0}, bytes);
  }
  [[nodiscard]] Ranks *ranks() const override { return ranks_; }
  Status exchange(const Exchange &messages) override;
  Status synchronize(const std::string &doing) const;
  Status await(const std::function<Status()> &wait) const;
  [[nodiscard]] cuda::DevicePointer address(const BufferRef &ref,
                                            const Slot &slot) const;
  static std::string placeOf(const Slot &slot);
  void deliverOldest();
  Status finishOldest();
  Status begin(Slot &slot, const RunMemory &memory);
  Status provide(Slot &slot, const RunMemory &memory);
  Status deliverOnDevice(const Slot &slot, const RunMemory &memory);
  [[nodiscard]] static bool hasDeviceMemory(const RunMemory &memory);

  std::shared_ptr<const Program> program_;
  State *state_;
  Ranks *ranks_; ///< Null where this process is alone.
  std::shared_ptr<DeviceWorkspace> workspace_;
  cuda::ContextRef context_;
  const cuda::Stream *stream_, *uploads_; ///< Of the workspace.
  DeviceProducts products_;
  std::vector<cuda::Module> modules_;
  std::map<std::pair<uint32_t, std::string>, cuda::Function> functions_;
  cuda::DriverCode imageAnswer_ = cuda::code::kSuccess;
  std::vector<std::shared_ptr<Mirror>> slabs_;
  std::vector<Kept> kept_;
  std::vector<cuda::DeviceBuffer> constants_;
  std::vector<Plan> plans_;
  LaunchObserver *observer_ = nullptr; ///< The observer of runs, or null.
  std::vector<cuda::Event> marks_; ///< Events of observed runs, for any entry.
  std::deque<Slot *> pending_;     ///< The runs under way, oldest first.
  uint64_t numRuns_ = 0;
  std::vector<std::string> warnings_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_CUDAEXECUTOR_H
