// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An entry of a program, bound to the data that it runs on.
#ifndef MPC_RUNTIME_TRAIN_BOUNDENTRY_H
#define MPC_RUNTIME_TRAIN_BOUNDENTRY_H

#include "runtime/Runner/Runner.h"
#include "runtime/Support/Convert.h"
#include "runtime/Support/Text.h"
#include "runtime/Train/Data.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace mpc::rt {

/// The input that the schedule sets.
inline constexpr std::string_view kLearningRate = "lr";

/// An entry with memory for its outputs and places of its inputs.
class BoundEntry {
public:
  static Result<BoundEntry> bind(Runner &runner, std::string_view name,
                                 const DataLoader &loader,
                                 const std::vector<TensorDesc> &dataInputs,
                                 const float *lr) {
    std::optional<size_t> index = runner.findEntry(name);
    if (!index)
      return invalidInput(
          fmt::format("the program has no entry {}", quote(name)));
    BoundEntry bound;
    bound.index_ = *index;
    bound.entry_ = &runner.program().entries[*index];
    for (const TensorDesc &input : bound.entry_->inputs) {
      bool isRate = input.name == kLearningRate;
      if (isRate && (input.dtype != DType::F32 || !input.shape.empty()))
        return invalidInput("input 'lr' is " + toString(input) +
                            ", expected f32[]");
      auto known = std::find_if(
          dataInputs.begin(), dataInputs.end(),
          [&](const TensorDesc &desc) { return desc.name == input.name; });
      bound.inputs_.push_back(isRate ? lr
                                     : loader.batch(static_cast<size_t>(
                                           known - dataInputs.begin())));
    }
    for (const TensorDesc &output : bound.entry_->outputs) {
      MPC_ASSIGN_OR_RETURN(
          HostBuffer buffer,
          HostBuffer::allocate(output.numBytes(),
                               "output " + quote(output.name)));
      bound.outputs_.push_back(buffer.data());
      bound.buffers_.push_back(std::move(buffer));
    }
    return bound;
  }

  Status run(Runner &runner) const {
    return runner.run(index_, inputs_, outputs_);
  }

  /// A scalar output by name; empty where there is none.
  [[nodiscard]] std::optional<double> scalar(std::string_view name) const {
    for (size_t i = 0; i < entry_->outputs.size(); ++i) {
      const TensorDesc &desc = entry_->outputs[i];
      if (desc.name != name || desc.numElements() != 1)
        continue;
      double value = 0;
      (void)convert(outputs_[i], desc.dtype, &value, DType::F64, 1);
      return value;
    }
    return std::nullopt;
  }

  [[nodiscard]] const std::vector<TensorDesc> &outputs() const {
    return entry_->outputs;
  }

private:
  size_t index_ = 0;
  const Entry *entry_ = nullptr;
  std::vector<const void *> inputs_;
  std::vector<void *> outputs_;
  std::vector<HostBuffer> buffers_;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_BOUNDENTRY_H
