// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs the entries of a program on a GPU: its memory, and one graph an entry.
#ifndef MPC_RUNTIME_RUNNER_CUDAEXECUTOR_H
#define MPC_RUNTIME_RUNNER_CUDAEXECUTOR_H

#include "runtime/Device/CUDA/Module.h"
#include "runtime/Device/CUDA/Nvrtc.h"
#include "runtime/Device/CUDA/Stream.h"
#include "runtime/Program/Program.h"
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

/// The driver of this machine, on its first device. Where there is none the
/// error says what to do (exit 3).
Result<cuda::ContextRef> openCuda();

/// Not for concurrent use. Launches of an entry are recorded once into a graph,
/// which a run launches; the host waits for nothing but wait() and, beyond two
/// runs of an entry under way, the oldest of them.
class CudaExecutor {
public:
  /// `kept` are tensors of the state whose value from before the last run of
  /// an entry that uses them is to be had. Allocates all memory that any run
  /// needs, and compiles what is no machine code of this device.
  static Result<std::unique_ptr<CudaExecutor>>
  create(std::shared_ptr<const Program> program,
         std::vector<const StateTensor *> kept);
  ~CudaExecutor();

  /// Begins a run. Inputs are read before this returns, outputs are written
  /// by wait() at the latest. Where choosesRate(), `rateAfterSkip` takes the
  /// place of the learning rate if the entry's run before was skipped.
  Status enqueue(size_t entry, std::span<const void *const> inputs,
                 std::span<void *const> outputs,
                 const float *rateAfterSkip = nullptr);
  /// Whether the device knows which of two learning rates is meant.
  [[nodiscard]] bool choosesRate() const { return lateRate_.has_value(); }
  /// Waits until all runs are done and their outputs written.
  Status wait();
  /// The same of the first `run` runs; later ones go on.
  Status waitFor(uint64_t run);
  /// A run whose launches are given to the device one by one, each between two
  /// events, and which is waited for: milliseconds of each launch, as the
  /// device tells them, a kernel's own start among them. Its outputs are
  /// dropped.
  Result<std::vector<float>> timeLaunches(size_t entry,
                                          std::span<const void *const> inputs);
  /// How many have begun.
  [[nodiscard]] uint64_t numRuns() const { return numRuns_; }

  /// Makes the device's state that of `state`.
  Status upload(const State &state);
  /// Waits, and makes `state` the device's; `before` gets what `kept` were.
  Status download(const State &state,
                  std::span<const std::span<std::byte>> before);

  [[nodiscard]] const cuda::DeviceInfo &device() const {
    return context_->info();
  }
  /// What went otherwise than the program would have it.
  [[nodiscard]] const std::vector<std::string> &warnings() const {
    return warnings_;
  }

private:
  /// Memory of one run of an entry, of which two can be under way.
  struct Slot {
    const Entry *entry = nullptr;
    const Slot *other = nullptr;  ///< That of the run before.
    std::optional<LateRate> late; ///< Its input has room for both rates.
    std::vector<cuda::DeviceBuffer> inputs, outputs;
    std::vector<cuda::PinnedBuffer> sources, targets;
    std::vector<void *> wanted; ///< Where the caller wants the outputs.
    std::optional<cuda::Event> uploaded, done;
    std::optional<cuda::Graph> graph;
    bool isPending = false;
  };
  struct Plan {
    std::array<Slot, 2> slots;
    size_t next = 0;
  };

  CudaExecutor(std::shared_ptr<const Program> program,
               std::vector<const StateTensor *> kept)
      : program_(std::move(program)), kept_(std::move(kept)) {}
  Status prepare();
  Status preparePlan(const Entry &entry, Plan &plan);
  [[nodiscard]] std::vector<std::span<const char>> machineCode() const;
  [[nodiscard]] Result<std::vector<cuda::Image>> compileText() const;
  Status loadCode();
  /// Modules and kernels of `images`; `answer` is the driver's last one.
  Status load(std::span<const std::span<const char>> images,
              cuda::DriverCode &answer);
  Status loadKernels(cuda::DriverCode &answer);
  void loadLateRate();
  Status allocate();
  Status allocateSlot(const Entry &entry, Slot &slot);
  Status record(const Entry &entry, Slot &slot);
  Status recordLateRate(const Slot &slot);
  Status recordKept(const Entry &entry);
  Status recordLaunch(const Launch &launch, const Slot &slot);
  [[nodiscard]] cuda::DevicePointer address(const BufferRef &ref,
                                            const Slot &slot) const;
  static std::string placeOf(const Slot &slot);
  void deliverOldest();
  Status finishOldest();
  Status begin(Slot &slot, std::span<const void *const> inputs,
               const float *rateAfterSkip);
  Status provide(Slot &slot, std::span<const void *const> inputs,
                 const float *rateAfterSkip = nullptr);

  std::shared_ptr<const Program> program_;
  std::vector<const StateTensor *> kept_;
  cuda::ContextRef context_;
  std::optional<cuda::Stream> stream_, uploads_;
  std::vector<cuda::Module> modules_;
  std::map<std::pair<uint64_t, std::string>, cuda::Function> functions_;
  std::optional<cuda::Function> lateRate_;
  std::vector<cuda::DeviceBuffer> slabs_, constants_, before_;
  cuda::DeviceBuffer arena_;
  std::vector<Plan> plans_;
  std::deque<Slot *> pending_; ///< The oldest first.
  uint64_t numRuns_ = 0;
  std::vector<std::string> warnings_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_CUDAEXECUTOR_H
