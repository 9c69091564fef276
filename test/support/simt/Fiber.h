// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Coroutines with stacks of their own: one for each thread of a CUDA block.
#ifndef MPC_TEST_SUPPORT_SIMT_FIBER_H
#define MPC_TEST_SUPPORT_SIMT_FIBER_H

#include <cstddef>
#include <cstdint>
#include <memory>

namespace simt {

/// A function that can stop in the middle. Used from one OS thread.
class Fiber {
public:
  using Body = void (*)(void *context);

  Fiber();
  Fiber(Fiber &&other) noexcept;
  ~Fiber();

  /// Makes the next resume() begin `body`; what ran before is forgotten, and no
  /// destructor of it runs.
  void start(Body body, void *context);
  /// Runs until the body suspends or ends.
  void resume();
  /// Called on the fiber: goes back to whoever resumed it.
  void suspend();
  /// The same for the last time before the next start(). Without it what
  /// AddressSanitizer keeps of the fiber's frames is never given back.
  void finish();

  /// Whether `at` lies on this fiber's stack.
  [[nodiscard]] bool holds(uintptr_t at) const;

private:
  void leave(bool isLast);

  struct State;
  std::unique_ptr<State> state_;
};

} // namespace simt

#endif // MPC_TEST_SUPPORT_SIMT_FIBER_H
