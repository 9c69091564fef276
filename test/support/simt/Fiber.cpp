// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Switching stacks: by hand on x86-64, where it takes 10 ns, else with
// ucontext, where it takes two system calls.
#include "test/support/simt/Fiber.h"

#include <cstdlib>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MPC_SIMT_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define MPC_SIMT_ASAN 1
#endif
#ifdef MPC_SIMT_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__x86_64__)
extern "C" void mpcSimtSwitch(void **from, void *to);
// Saves what the ABI makes a callee keep, on the old stack.
asm(R"(
.text
.local mpcSimtSwitch
.type mpcSimtSwitch,@function
mpcSimtSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size mpcSimtSwitch,.-mpcSimtSwitch
)");
#endif

namespace simt {
namespace {

constexpr size_t kStackBytes = 64 * 1024;
constexpr size_t kGuardBytes = 4096;

} // namespace

struct Fiber::State {
  char *memory = nullptr; ///< A guard page, then the stack.
  Body body = nullptr;
  void *context = nullptr;
#if defined(__x86_64__)
  void *own = nullptr, *other = nullptr;
#else
  ucontext_t own, other;
#endif
  // The stack that AddressSanitizer has to know of when going back.
  const void *otherStack = nullptr;
  size_t otherBytes = 0;

  [[nodiscard]] char *stack() const { return memory + kGuardBytes; }
  [[noreturn]] void main();
};

void Fiber::State::main() {
#ifdef MPC_SIMT_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &otherStack, &otherBytes);
#endif
  body(context);
  std::abort(); // A body ends by finish().
}

Fiber::Fiber() : state_(std::make_unique<State>()) {
  void *memory =
      ::mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    std::abort();
  (void)::mprotect(memory, kGuardBytes, PROT_NONE);
  state_->memory = static_cast<char *>(memory);
}

Fiber::Fiber(Fiber &&other) noexcept = default;

Fiber::~Fiber() {
  if (state_)
    (void)::munmap(state_->memory, kGuardBytes + kStackBytes);
}

bool Fiber::holds(uintptr_t at) const {
  auto begin = reinterpret_cast<uintptr_t>(state_->stack());
  return at - begin < kStackBytes;
}

#if defined(__x86_64__)

namespace {
thread_local void (*entryBody)(void *) = nullptr;
thread_local void *entryState = nullptr;
// Entered by the `ret` of the switch, so nothing is passed in registers.
void enter() { entryBody(entryState); }
} // namespace

void Fiber::start(Body body, void *context) {
  state_->body = body;
  state_->context = context;
  auto **top = reinterpret_cast<void **>(state_->stack() + kStackBytes);
  *--top = nullptr; // keeps the stack aligned as after a call
  *--top = reinterpret_cast<void *>(&enter);
  for (int saved = 0; saved < 6; ++saved)
    *--top = nullptr;
  state_->own = top;
}

void Fiber::resume() {
  entryBody = [](void *state) { static_cast<State *>(state)->main(); };
  entryState = state_.get();
#ifdef MPC_SIMT_ASAN
  void *fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, state_->stack(), kStackBytes);
#endif
  mpcSimtSwitch(&state_->other, state_->own);
#ifdef MPC_SIMT_ASAN
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

void Fiber::leave([[maybe_unused]] bool isLast) {
#ifdef MPC_SIMT_ASAN
  void *fake = nullptr;
  __sanitizer_start_switch_fiber(isLast ? nullptr : &fake, state_->otherStack,
                                 state_->otherBytes);
#endif
  mpcSimtSwitch(&state_->own, state_->other);
#ifdef MPC_SIMT_ASAN
  __sanitizer_finish_switch_fiber(fake, &state_->otherStack,
                                  &state_->otherBytes);
#endif
}

#else

namespace {
thread_local void *entryState = nullptr;
} // namespace

void Fiber::start(Body body, void *context) {
  state_->body = body;
  state_->context = context;
  ::getcontext(&state_->own);
  state_->own.uc_stack.ss_sp = state_->stack();
  state_->own.uc_stack.ss_size = kStackBytes;
  state_->own.uc_link = nullptr;
  ::makecontext(
      &state_->own, +[] { static_cast<State *>(entryState)->main(); }, 0);
}

void Fiber::resume() {
  entryState = state_.get();
  ::swapcontext(&state_->other, &state_->own);
}

void Fiber::leave(bool) { ::swapcontext(&state_->own, &state_->other); }

#endif

void Fiber::suspend() { leave(/*isLast=*/false); }
void Fiber::finish() { leave(/*isLast=*/true); }

} // namespace simt
