// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of the state, read and set by name while a program runs.
#include "runtime/Runner/Runner.h"

#include "runtime/LossScale/PolicyInfo.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

namespace mpc::rt {
namespace {

constexpr std::string_view kHyperPrefix = "amp.hyper.";

/// Where a loss scaler's vector has what is called `name`.
std::optional<size_t> slotOf(std::string_view name) {
  for (size_t i = 0; i < kNumStateSlots; ++i)
    if (slotKey(static_cast<StateSlot>(i)) == name)
      return i;
  return std::nullopt;
}

constexpr auto kScale = static_cast<size_t>(StateSlot::Scale);

} // namespace

/// The memory of a state tensor's numbers, or of a single hyper-parameter.
Result<std::span<double>> Runner::findNumber(std::string_view name) const {
  for (const std::string &candidate :
       {std::string(kHyperPrefix) + std::string(name), std::string(name)}) {
    const StateTensor *tensor = program_->findState(candidate);
    if (!tensor || tensor->desc.dtype != DType::F64 ||
        tensor->desc.numElements() != 1)
      continue;
    void *data = state_.bytes(*tensor).data();
    return std::span<double>(static_cast<double *>(data), 1);
  }
  return invalidInput(fmt::format("the program has no number {}", quote(name)));
}

void Runner::findScaler() {
  bool found = false;
  for (const StateTensor &tensor : program_->state) {
    if (tensor.role != StateRole::LossScale || tensor.desc.dtype != DType::F64)
      continue;
    void *data = state_.bytes(tensor).data();
    auto size = static_cast<size_t>(tensor.desc.numElements());
    scaler_ = {static_cast<double *>(data), found ? 0 : size};
    found = true;
  }
  scalerBefore_.assign(scaler_.begin(), scaler_.end());
}

Result<std::span<double>> Runner::scalerState() const {
  if (scaler_.empty())
    return invalidInput("the program has no loss scaler, or several");
  return scaler_;
}

void Runner::rememberScaler() {
  std::copy(scaler_.begin(), scaler_.end(), scalerBefore_.begin());
}

Result<double> Runner::readNumber(std::string_view name) const {
  if (auto slot = slotOf(name); slot && *slot < scaler_.size())
    return scaler_[*slot];
  MPC_ASSIGN_OR_RETURN(std::span<double> number, findNumber(name));
  return number.front();
}

/// The scale as the loss is multiplied with it, which must make sense.
static Result<double> checkedScale(double scale) {
  auto rounded = static_cast<float>(scale);
  if (!std::isfinite(rounded) || rounded <= 0)
    return invalidInput(fmt::format("a loss scale must be positive and finite "
                                    "in f32, not {}",
                                    shortestDecimal(scale)));
  return static_cast<double>(rounded);
}

Status Runner::writeNumber(std::string_view name, double value) {
  if (slotOf(name) == kScale) {
    MPC_ASSIGN_OR_RETURN(std::span<double> scaler, scalerState());
    MPC_ASSIGN_OR_RETURN(scaler[kScale], checkedScale(value));
    return {};
  }
  MPC_ASSIGN_OR_RETURN(std::span<double> number, findNumber(name));
  if (!std::isfinite(value))
    return invalidInput(fmt::format("{}: {} is no number to set it to",
                                    quote(name), shortestDecimal(value)));
  number.front() = value;
  return {};
}

Status Runner::updateScale(double newScale) {
  MPC_ASSIGN_OR_RETURN(std::span<double> scaler, scalerState());
  MPC_ASSIGN_OR_RETURN(newScale, checkedScale(newScale));
  for (size_t i = 0; i < scaler.size(); ++i) {
    auto slot = static_cast<StateSlot>(i);
    bool counts = slot == StateSlot::SkippedTotal ||
                  slot == StateSlot::AppliedTotal ||
                  slot == StateSlot::SkippedInARow;
    if (!counts)
      scaler[i] = scalerBefore_[i];
  }
  scaler[kScale] = newScale;
  rememberScaler();
  return {};
}

} // namespace mpc::rt
