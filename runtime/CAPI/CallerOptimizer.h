// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An optimizer of the caller's, which updates the parameters by the gradients
/// of a step. It is an observer of the training.
#ifndef MPC_RUNTIME_CAPI_CALLEROPTIMIZER_H
#define MPC_RUNTIME_CAPI_CALLEROPTIMIZER_H

#include "mpc-c/Runner.h"
#include "runtime/Runner/Runner.h"
#include "runtime/Runner/StepRun.h"
#include "runtime/Support/Status.h"
#include "runtime/Train/Training.h"

#include <cstddef>
#include <vector>

namespace mpc::rt {

class CallerOptimizer : public TrainObserver {
public:
  /// Both must outlive this object.
  Status open(Runner &runner, const StepRun &step);

  /// A null function ends the registration.
  Status set(const MpcOptimizer &optimizer);
  /// Fails where a step could not update its parameters.
  [[nodiscard]] Status check() const;
  /// Calls the function with the outcome of the step and its gradients.
  Status afterStep(Training &training, StepReport &report) override;

private:
  [[nodiscard]] bool isNeeded() const { return !names_.empty(); }
  [[nodiscard]] Result<DLTensor> parameter(size_t index) const;
  [[nodiscard]] DLTensor gradient(size_t index) const;

  Runner *runner_ = nullptr;
  const StepRun *step_ = nullptr;
  MpcOptimizer optimizer_ = {};
  std::vector<const StateTensor *> tensors_;
  std::vector<const char *> names_;
  /// For each parameter the output of the last entry that is its gradient.
  std::vector<size_t> outputs_;
  std::vector<DLTensor> parameters_, gradients_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_CAPI_CALLEROPTIMIZER_H
