// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signal handlers of a training tool.
#include "runtime/Train/Interrupt.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <unistd.h>

namespace mpc::rt {
namespace {

// The signal that came. A handler can only use such a variable.
std::atomic<int> gSignal{0};
std::atomic<int64_t> gSignalTimeNs{0};
static_assert(std::atomic<int64_t>::is_always_lock_free);

constexpr int64_t kAgainNs = 2'000'000'000;

int64_t nowNs() {
  struct timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// Async-signal-safe.
void onSignal(int signal) {
  int error = errno;
  int64_t now = nowNs();
  if (gSignal.exchange(signal) != 0 && now - gSignalTimeNs.load() < kAgainNs)
    ::_exit(128 + signal);
  gSignalTimeNs.store(now);
  errno = error;
}

/// Async-signal-safe.
void onLostFile(int) {
  constexpr char kMessage[] =
      "error: a file was truncated while it was read, or its disk failed\n";
  (void)!::write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  ::_exit(3);
}

} // namespace

SignalGuard::SignalGuard() {
  gSignal.store(0);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &oldInt_);
  ::sigaction(SIGTERM, &action, &oldTerm_);
  action.sa_handler = onLostFile;
  ::sigaction(SIGBUS, &action, &oldBus_);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, &oldPipe_);
}

SignalGuard::~SignalGuard() {
  ::sigaction(SIGINT, &oldInt_, nullptr);
  ::sigaction(SIGTERM, &oldTerm_, nullptr);
  ::sigaction(SIGPIPE, &oldPipe_, nullptr);
  ::sigaction(SIGBUS, &oldBus_, nullptr);
}

int SignalGuard::received() { return gSignal.load(); }

} // namespace mpc::rt
