// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The one way to run an entry of a program: its inputs matched by name, its
/// outputs in memory of their own.
#ifndef MPC_RUNTIME_RUNNER_ENTRYCALL_H
#define MPC_RUNTIME_RUNNER_ENTRYCALL_H

#include "runtime/Device/CPU/Memory.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Support/Safetensors.h"
#include "runtime/Support/Status.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace mpc::rt {

class EntryCall {
public:
  /// Where an input lies, 64-byte aligned and of the size that it declares;
  /// null where it is not known. It is read at each run().
  using Find = std::function<const void *(const TensorDesc &input)>;
  /// Puts an input's value into memory that is all zeros and the call's own.
  using Fill = std::function<Status(const TensorDesc &input, std::byte *data)>;

  /// `runner` must outlive the call, and `entry` be one of its program.
  static Result<EntryCall> bind(Runner &runner, const Entry &entry,
                                const Find &find);
  static Result<EntryCall> fill(Runner &runner, const Entry &entry,
                                const Fill &fill);
  /// The same by the entry's name.
  static Result<EntryCall> fill(Runner &runner, std::string_view entry,
                                const Fill &fill);

  Status run() { return runner_->run(index_, inputs_, outputs_); }

  [[nodiscard]] const Entry &entry() const {
    return runner_->program().entries[index_];
  }
  /// The outputs of the last run, in the entry's order; zeros before one.
  [[nodiscard]] std::vector<TensorView> outputs() const;
  /// A scalar output by name; empty where there is none.
  [[nodiscard]] std::optional<double> scalar(std::string_view name) const;

private:
  EntryCall(Runner &runner, size_t index) : runner_(&runner), index_(index) {}
  static Result<EntryCall> create(Runner &runner, const Entry &entry);
  Result<std::byte *> allocate(const char *what, const TensorDesc &desc);

  Runner *runner_;
  size_t index_;
  std::vector<const void *> inputs_;
  std::vector<void *> outputs_;
  std::vector<HostBuffer> memory_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_ENTRYCALL_H
