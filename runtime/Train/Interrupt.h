// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The signals of a tool: requests to stop, and a lost file.
#ifndef MPC_RUNTIME_TRAIN_INTERRUPT_H
#define MPC_RUNTIME_TRAIN_INTERRUPT_H

#include <csignal>

namespace mpc::rt {

/// Catches SIGINT and SIGTERM during its lifetime, and ignores SIGPIPE, so that
/// a closed pipe is an error of write(). A second signal within two seconds
/// ends the process at once, with 128 + its number. SIGBUS, which reading a
/// mapped file raises after someone truncated it, ends the process with a
/// message and exit code 3. For tools only, one at a time: signal handlers
/// belong to the process.
class SignalGuard {
public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard &) = delete;
  SignalGuard &operator=(const SignalGuard &) = delete;

  /// The signal that came, else 0.
  [[nodiscard]] static int received();

private:
  struct sigaction oldInt_, oldTerm_, oldPipe_, oldBus_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_INTERRUPT_H
