// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The one way to run an entry of a program. Its inputs are found by name, and
/// its outputs have memory of their own.
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
  /// Finds the address of an input, aligned for its elements and of its
  /// declared size; null where it is not known. Each run() reads it.
  using Find = std::function<const void *(const TensorDesc &input)>;
  /// Writes an input's value to zeroed memory that belongs to the call.
  using Fill = std::function<Status(const TensorDesc &input, std::byte *data)>;

  /// `runner` must outlive the call, and `entry` must belong to its program.
  /// Each input must be set before the first run().
  static Result<EntryCall> create(Runner &runner, const Entry &entry);
  static Result<EntryCall> bind(Runner &runner, const Entry &entry,
                                const Find &find);
  static Result<EntryCall> fill(Runner &runner, const Entry &entry,
                                const Fill &fill);
  /// Creates a call by the entry's name.
  static Result<EntryCall> fill(Runner &runner, std::string_view entry,
                                const Fill &fill);

  Status run() {
    MPC_RETURN_IF_ERROR(enqueue());
    return runner_->wait();
  }
  /// Begins a run. Its outputs are there after the runner has waited for it.
  Status enqueue() {
    return runner_->enqueue(
        index_, RunMemory{inputs_, outputs_, deviceInputs_, deviceOutputs_});
  }

  /// The addresses from which an input is read and to which an output is
  /// written, from the next run on: see Find. A null output goes to the call's
  /// own memory.
  void setInput(size_t input, const void *data) {
    inputs_[input] = data;
    deviceInputs_[input] = 0;
  }
  void setOutput(size_t output, void *data);
  /// The same in memory of the program's device. Of such outputs only single
  /// numbers are on the host, too.
  void setDeviceInput(size_t input, DeviceAddress address);
  void setDeviceOutput(size_t output, DeviceAddress address);
  /// Null where the output is not on the host.
  [[nodiscard]] void *outputMemory(size_t output) const {
    return outputs_[output];
  }
  /// The address of an input on the host; null where it is not there.
  [[nodiscard]] const void *input(size_t input) const { return inputs_[input]; }
  /// Their addresses in the device's memory; 0 where they are not there.
  [[nodiscard]] DeviceAddress deviceInput(size_t input) const {
    return deviceInputs_[input];
  }
  [[nodiscard]] DeviceAddress deviceOutput(size_t output) const {
    return deviceOutputs_[output];
  }

  [[nodiscard]] const Entry &entry() const {
    return runner_->program().entries[index_];
  }
  /// The current value of a scalar input; empty where there is none.
  [[nodiscard]] std::optional<double> number(std::string_view input) const;
  /// The outputs of the last run, in the entry's order; zeros before one. The
  /// data of one that is not on the host is null.
  [[nodiscard]] std::vector<TensorView> outputs() const;
  /// The index of a scalar output; empty where there is none.
  [[nodiscard]] std::optional<size_t> findScalar(std::string_view name) const;
  /// An output by name; empty where there is none.
  [[nodiscard]] std::optional<TensorView> output(std::string_view name) const;
  /// A scalar output by name; empty where there is none.
  [[nodiscard]] std::optional<double> scalar(std::string_view name) const;

private:
  EntryCall(Runner &runner, size_t index) : runner_(&runner), index_(index) {}
  Result<std::byte *> allocate(const char *what, const TensorDesc &desc);

  Runner *runner_;
  size_t index_;
  std::vector<const void *> inputs_;
  std::vector<void *> outputs_;
  std::vector<DeviceAddress> deviceInputs_, deviceOutputs_;
  /// The call's own memory; that of the outputs comes first.
  std::vector<HostBuffer> memory_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_RUNNER_ENTRYCALL_H
