// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the test driver holds: memory that only the device sees, streams whose
/// work waits until somebody synchronizes, modules, graphs.
#ifndef MPC_TEST_SUPPORT_CUDA_FAKESTATE_H
#define MPC_TEST_SUPPORT_CUDA_FAKESTATE_H

#include "runtime/Device/CUDA/Api.h"
#include "test/support/cuda/FakeDriver.h"
#include "test/support/simt/Emulator.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace mpc::rt::cuda::test {

/// Device memory: no access from the host but while the device works; poisoned
/// when given out; an address is never given out twice.
class FakeMemory {
public:
  FakeMemory();
  FakeMemory(const FakeMemory &) = delete;
  FakeMemory &operator=(const FakeMemory &) = delete;
  ~FakeMemory();

  void reset(size_t limit);
  DriverCode allocate(DevicePointer &pointer, size_t bytes);
  DriverCode free(DevicePointer pointer);
  [[nodiscard]] bool holds(DevicePointer pointer, size_t bytes) const;
  [[nodiscard]] std::vector<simt::Range> ranges() const;
  [[nodiscard]] size_t used() const { return used_; }
  [[nodiscard]] size_t limit() const { return limit_; }
  [[nodiscard]] int alive() const { return static_cast<int>(live_.size()); }
  void setVisible(bool visible) const;
  /// From now on the host sees it, too: what has no other way to be "on the
  /// device" then works on it from there.
  void openToHost() { isOpen_ = true; }

private:
  char *base_;
  size_t next_ = 0, used_ = 0, limit_ = 0;
  std::map<DevicePointer, size_t> live_;
  bool isOpen_ = false;
};

struct FakeEvent {
  int recorded = 0; ///< Times that it was given to a stream.
  int reached = 0;  ///< Times that a stream has reached it.
  struct FakeStream *stream = nullptr;
  struct FakeCapture *capture = nullptr;
  bool timed = false;
  double time = 0;
};

/// Something to do; `run` is empty for events.
struct Operation {
  enum class Kind { Work, Record, Wait };
  Kind kind = Kind::Work;
  std::function<DriverCode()> run;
  FakeEvent *event = nullptr;
  int use = 0; ///< Which recording of the event.
};

struct FakeGraph {
  std::vector<Operation> operations;
};

/// A recording that one stream began and others may have joined.
struct FakeCapture {
  FakeGraph graph;
  struct FakeStream *origin = nullptr;
  std::set<struct FakeStream *> unjoined;
  bool invalid = false;
};

struct FakeStream {
  std::deque<Operation> queue;
  std::shared_ptr<FakeCapture> capture;
};

struct FakeModule;

struct FakeFunction {
  FakeModule *module = nullptr;
  const simt::Kernel *kernel = nullptr;
  size_t maxDynamicShared = 0;
};

struct FakeModule {
  void *library = nullptr;
  int file = -1;
  int arch = 0;
  simt::Module module{};
  std::vector<simt::Range> image;
  std::map<std::string, std::unique_ptr<FakeFunction>> functions;
  ~FakeModule();

  [[nodiscard]] size_t sharedBytes() const {
    return static_cast<size_t>(module.sharedEnd - module.sharedBegin);
  }
};

/// All state of the driver behind one lock.
class FakeState final : public FakeDriver {
public:
  static FakeState &get();
  /// As $MPC_FAKE_CUDA wants it, for tests of whole programs: words apart by
  /// spaces, `sm=86`, `devices=N`, `memory=BYTES`, `shared=BYTES` of a block,
  /// `fail=SYMBOL:USE:CODE` as failAt(), `wrong=KERNEL`, whose last block never
  /// runs, and `open=1` for memory that the host sees.
  FakeState();
  /// Frees the pinned memory that a lost device keeps.
  ~FakeState();

  void reset(const FakeMachine &machine) override;
  void failAt(std::string_view symbol, int use, int code) override;
  [[nodiscard]] int count(std::string_view symbol) const override;
  [[nodiscard]] int countBeside(std::string_view symbol,
                                std::string_view other) const override;
  [[nodiscard]] int kernelsRun() const override { return kernelsRun_; }
  [[nodiscard]] int alive() const override;
  void setSeed(uint32_t seed) override { seed_ = seed; }
  [[nodiscard]] std::string fault() const override { return fault_; }

  /// Counts a call; its injected failure, or that of a lost context.
  DriverCode enter(const char *symbol);

  /// The stream, or null. A null handle is the default stream, which is always
  /// there.
  FakeStream *streamOf(StreamHandle handle);
  DriverCode push(StreamHandle handle, Operation operation);
  DriverCode drain(FakeStream &stream);
  DriverCode drainUntil(FakeEvent &event, int use);
  DriverCode drainAll();
  /// Fails if the calling thread's stream is being captured.
  DriverCode refuseWhileCapturing();
  DriverCode wait(FakeStream &stream, FakeEvent &event);
  DriverCode beginCapture(FakeStream &stream);
  DriverCode endCapture(FakeStream &stream, GraphHandle &graph);
  DriverCode launch(FakeFunction &function, const simt::Launch &launch,
                    void **arguments, StreamHandle stream);
  DriverCode load(FakeModule &module, const void *image) const;
  /// Removes `handle` from its set; false if it is not alive.
  template <typename T>
  static bool destroy(std::map<T *, std::unique_ptr<T>> &set, void *handle) {
    return set.erase(static_cast<T *>(handle)) == 1;
  }
  template <typename T>
  static T *create(std::map<T *, std::unique_ptr<T>> &set) {
    auto object = std::make_unique<T>();
    T *pointer = object.get();
    set.emplace(pointer, std::move(object));
    return pointer;
  }

  std::recursive_mutex mutex;
  FakeMachine machine;
  FakeMemory memory;
  bool initialized = false;
  int contexts = 0;
  std::map<FakeStream *, std::unique_ptr<FakeStream>> streams;
  std::map<FakeEvent *, std::unique_ptr<FakeEvent>> events;
  std::map<FakeModule *, std::unique_ptr<FakeModule>> modules;
  std::map<FakeGraph *, std::unique_ptr<FakeGraph>> graphs;
  std::map<struct FakeExec *, std::unique_ptr<struct FakeExec>> execs;
  std::map<void *, size_t> pinned;

private:
  void freePinned();
  void set(std::string setting);
  DriverCode runOperation(FakeStream &stream);
  DriverCode runKernel(simt::Launch launch,
                       const std::vector<std::vector<char>> &arguments,
                       int arch);

  std::map<std::string, int, std::less<>> counts_;
  const char *entered_ = ""; ///< The call that goes on.
  std::map<FakeStream *, std::map<std::string, int, std::less<>>> given_;
  std::map<std::string, std::pair<int, int>, std::less<>> failures_;
  DriverCode lost_ = code::kSuccess;
  int kernelsRun_ = 0;
  uint32_t seed_ = 1;
  double clock_ = 0;
  FakeStream defaultStream_;
  std::string fault_, wrong_;
};

/// An instantiated graph: its own copy of the operations.
struct FakeExec {
  std::vector<Operation> operations;
};

} // namespace mpc::rt::cuda::test

#endif // MPC_TEST_SUPPORT_CUDA_FAKESTATE_H
