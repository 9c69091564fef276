// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Binds the entries of one optimizer step to a loader's batches.
#ifndef MPC_RUNTIME_TRAIN_STEPCALLS_H
#define MPC_RUNTIME_TRAIN_STEPCALLS_H

#include "runtime/Runner/StepRun.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Data.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mpc::rt {

/// The inputs that training takes from the data: all except rates. `shapes`
/// chooses where the program has several; see Program::findEntry().
[[nodiscard]] std::vector<TensorDesc>
dataInputs(const Program &program, int64_t accumulate = 1,
           const TensorShapes &shapes = {});

/// The shapes of a loader's batches of `rows` samples.
[[nodiscard]] TensorShapes batchShapes(const DataLoader &loader, int64_t rows);

/// The learning rates of a step that begins.
struct StepRates {
  float rate = 0;
  /// Equal to `rate`, except while a step with an unknown outcome is running:
  /// it is then the rate for the case that that step is skipped. See
  /// Entry::choosesRate().
  float afterSkip = 0;
};

class StepCalls {
public:
  /// Binds a step of `accumulate` batches of `loader`, which was opened for
  /// dataInputs() of the program, with `*rates`. All of them must outlive this
  /// object. An error where the loader has a smaller batch for which the
  /// program has no step.
  static Result<StepCalls> bind(Runner &runner, DataLoader &loader,
                                int64_t accumulate, const StepRates *rates);

  /// Begins a step. If the runner is asynchronous, two steps may be under way.
  Status begin();
  /// Waits for the oldest step under way. Its loss is the mean over batches,
  /// and underflows are the sum; all other outputs are the last batch's.
  Status finish();
  /// As StepRun::setShared(), for the step that finishes next.
  void setShared(double own) { steps_[next_].setShared(own); }

  /// The outputs of the step that finished last.
  [[nodiscard]] const StepRun &outcome() const { return steps_[turn(next_)]; }
  /// The names of scalars without a column of their own. All rows have them.
  [[nodiscard]] const std::vector<std::string> &others() const {
    return others_;
  }
  /// Their values in that step.
  [[nodiscard]] std::vector<std::optional<double>> valuesOfOthers() const;

private:
  /// The batches of a step that other ranks have: those before and after this
  /// rank's. The first number is an input of the step.
  struct Share {
    int64_t before = 0, after = 0;
  };

  explicit StepCalls(DataLoader &loader)
      : loader_(&loader), share_(std::make_unique<Share>()) {}
  static Share shareOf(const Runner &runner, int64_t batches);
  [[nodiscard]] const void *place(const TensorDesc &input,
                                  const StepRates &rates) const;
  /// The step after `step` in turn; with two steps, it is also the one before.
  [[nodiscard]] size_t turn(size_t step) const {
    return (step + 1) % steps_.size();
  }
  void findOthers();
  Status findShapes(int64_t accumulate);
  Status fetch(StepRun &step);

  DataLoader *loader_;
  std::unique_ptr<Share> share_; ///< Its address is that of an input.
  /// The shapes' numbers in StepRun: of whole batches and of the rest.
  size_t whole_ = 0, rest_ = 0;
  /// As many steps as may be under way, used in turn.
  std::vector<StepRun> steps_;
  /// The step that begins next, and the one that finishes next.
  size_t begin_ = 0, next_ = 0;
  std::vector<std::string> others_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_STEPCALLS_H
