// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One block of threads: a fiber each, their barriers and warp-wide
/// instructions, and the check of every access.
#ifndef MPC_TEST_SUPPORT_SIMT_BLOCK_H
#define MPC_TEST_SUPPORT_SIMT_BLOCK_H

#include "test/support/simt/Emulator.h"
#include "test/support/simt/Fiber.h"
#include "test/support/simt/Shadow.h"

#include <array>
#include <deque>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace simt {

/// Runs the blocks of a launch one after another. Kernels reach it as Machine.
class Block final : public Machine {
public:
  explicit Block(const Launch &launch);

  std::optional<Fault> run(Dim index);

  void access(const void *at, size_t bytes, Access kind,
              const void *code) override;
  void requireAlignment(const void *at, size_t bytes, int line) override;
  void syncBlock(int line) override;
  void syncWarp(uint32_t mask, int line) override;
  uint32_t ballot(uint32_t mask, bool yes, int line) override;
  uint32_t shuffle(uint32_t mask, uint32_t value, int lane, int line) override;
  void loadMatrices(uint32_t *matrices, const void *row, bool transposed,
                    int line) override;
  void multiply(Product product, float *d, const uint32_t *a, const uint32_t *b,
                int line) override;
  void copyAsync(void *to, const void *from, int bytes, int line) override;
  void commitCopies() override;
  void waitForCopies(int pending) override;
  void *dynamicShared() override { return dynamic_.data(); }

private:
  struct Copy {
    void *to;
    const void *from;
    int bytes;
    int line;
  };
  using Copies = std::vector<Copy>;
  enum class State { Ready, AtBarrier, AtCollective, Done };

  struct Thread {
    Fiber fiber;
    State state = State::Done;
    // Where it waits, with whom, and what it brought along. Each collective has
    // its one text.
    const char *what = "";
    int line = 0;
    uint32_t mask = 0;
    void *request = nullptr;
    Copies uncommitted;
    std::deque<Copies> groups;
  };
  using Requests = std::span<void *const, 32>;
  /// Computes a collective from the requests of all 32 lanes, of which those
  /// outside of the mask are null. Refers to a lambda of the caller's and owns
  /// nothing, since a fiber may never be resumed.
  class Compute {
  public:
    template <typename Lambda>
    Compute(const Lambda &lambda)
        : lambda_(&lambda), call_([](const void *self, Requests requests) {
            (*static_cast<const Lambda *>(self))(requests);
          }) {}
    void operator()(Requests requests) const { call_(lambda_, requests); }

  private:
    const void *lambda_;
    void (*call_)(const void *, Requests);
  };

  void startThreads(Dim index);
  void runWarp(uint32_t warp);
  void findReadyWarps();
  [[nodiscard]] std::span<Thread> lanesOf(uint32_t warp);
  void releaseBarrier();
  void collective(const char *what, uint32_t mask, int line, void *request,
                  const Compute &compute);
  bool completeCollective(uint32_t first, uint32_t mask,
                          const Compute &compute);
  void wholeWarp(const char *what, int line, void *request,
                 const Compute &compute);
  void land(const Copies &copies);

  void checkAccess(uintptr_t at, size_t bytes, Access kind, int line);
  void checkShadow(Shadow &shadow, uintptr_t at, size_t bytes, Access kind);
  [[nodiscard]] bool isShared(uintptr_t at, size_t bytes) const;
  [[nodiscard]] bool isGlobal(uintptr_t at, size_t bytes) const;
  [[nodiscard]] bool isOther(uintptr_t at, size_t bytes, Access kind) const;
  [[nodiscard]] std::string describeAddress(uintptr_t at) const;
  [[nodiscard]] std::string describeAccess(const char *what, uintptr_t at,
                                           size_t bytes, int line) const;
  [[nodiscard]] std::string waiters() const;
  [[nodiscard]] Moment now() const;

  /// Ends the launch. On a fiber it does not return, nor does anything of the
  /// caller's run again: the caller moves its text here and owns nothing else.
  void fail(Fault::Kind kind, std::string text);
  void leave();

  const Launch &launch_;
  std::vector<char> dynamic_;
  std::vector<Range> shared_;
  std::vector<Thread> threads_;
  std::vector<uint16_t> warpTimes_;
  std::vector<uint32_t> ready_; ///< Warps with a lane that may run.
  uint16_t blockTime_ = 0;
  uint32_t blockNumber_ = 0;
  uint32_t current_ = 0;
  bool onFiber_ = false;
  int line_ = 0;
  const void *code_ = nullptr;
  Dim index_;
  Shadow sharedShadow_{true}, globalShadow_{false};
  std::minstd_rand random_;
  std::optional<Fault> fault_;
};

} // namespace simt

#endif // MPC_TEST_SUPPORT_SIMT_BLOCK_H
