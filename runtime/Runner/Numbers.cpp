// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of the state, read and set by name during a run.
#include "runtime/Runner/Runner.h"

#include "runtime/LossScale/ScalarState.h"
#include "runtime/Support/Text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

namespace mpc::rt {
namespace {

const std::string_view kScaleName = slotKey(StateSlot::Scale);

Status noScaler() {
  return invalidInput("the program has no such loss scaler; of several, name "
                      "one");
}

} // namespace

/// The state's tensor that is a number of this name.
Result<const StateTensor *> Runner::findNumber(std::string_view name) const {
  for (const std::string &candidate :
       {std::string(kHyperPrefix) + std::string(name), std::string(name)}) {
    const StateTensor *tensor = program_->findState(candidate);
    if (tensor && tensor->desc.dtype == DType::F64 &&
        tensor->desc.numElements() == 1)
      return tensor;
  }
  return invalidInput(fmt::format("the program has no number {}", quote(name)));
}

double &Runner::numberIn(const StateTensor &tensor) const {
  void *data = state_.bytes(tensor).data();
  return *static_cast<double *>(data);
}

void Runner::findScalers(const Runner *other) {
  for (const StateTensor &tensor : program_->state) {
    if (tensor.role != StateRole::LossScale || tensor.desc.dtype != DType::F64)
      continue;
    void *data = state_.bytes(tensor).data();
    auto size = static_cast<size_t>(tensor.desc.numElements());
    Scaler scaler{&tensor, {static_cast<double *>(data), size}, {}};
    for (const Scaler &known : other ? other->scalers_ : scalers_)
      if (known.now.data() == scaler.now.data())
        scaler.before = known.before;
    if (!scaler.before) {
      scaler.before = std::make_shared<std::vector<double>>();
      scaler.remember();
    }
    scalers_.push_back(std::move(scaler));
  }
}

/// The scaler of that name; without a name the only one, else null.
const Runner::Scaler *Runner::findScaler(std::string_view name) const {
  if (name.empty())
    return scalers_.size() == 1 ? scalers_.data() : nullptr;
  std::string full = fmt::format("{}.{}", kScalerName, name);
  for (const Scaler &scaler : scalers_)
    if (scaler.tensor->desc.name == full)
      return &scaler;
  return nullptr;
}

std::optional<ScalerSlot> Runner::findScalerSlot(std::string_view name) const {
  size_t dot = name.rfind('.');
  bool hasName = dot != std::string_view::npos;
  const Scaler *scaler =
      findScaler(hasName ? name.substr(0, dot) : std::string_view());
  std::optional<StateSlot> slot =
      findSlot(hasName ? name.substr(dot + 1) : name);
  auto index = static_cast<size_t>(slot.value_or(StateSlot::Scale));
  if (!scaler || !slot || index >= scaler->now.size())
    return std::nullopt;
  return ScalerSlot{scaler->tensor, *slot, scaler->now[index]};
}

Result<double> Runner::readNumber(std::string_view name) const {
  if (auto slot = findScalerSlot(name)) {
    MPC_RETURN_IF_ERROR(executor_->readSlab(slot->scaler->slab));
    return findScalerSlot(name)->value;
  }
  MPC_ASSIGN_OR_RETURN(const StateTensor *number, findNumber(name));
  MPC_RETURN_IF_ERROR(executor_->readSlab(number->slab));
  return numberIn(*number);
}

/// The scale in the policy's type. It must be valid as f32, since the loss is
/// multiplied by it in f32.
static Result<double> checkedScale(double scale, bool isWide) {
  auto rounded = static_cast<float>(scale);
  if (!std::isfinite(rounded) || rounded <= 0)
    return invalidInput(fmt::format("a loss scale must be positive and finite "
                                    "in f32, not {}",
                                    shortestDecimal(scale)));
  return isWide ? scale : static_cast<double>(rounded);
}

Status Runner::writeNumber(std::string_view name, double value) {
  if (name == kScaleName || name.ends_with("." + std::string(kScaleName))) {
    size_t dot = name.rfind('.');
    const Scaler *scaler =
        findScaler(dot == std::string_view::npos ? std::string_view()
                                                 : name.substr(0, dot));
    if (!scaler)
      return noScaler();
    MPC_ASSIGN_OR_RETURN(value,
                         checkedScale(value, scaler->tensor->hasWideScale));
    MPC_RETURN_IF_ERROR(executor_->writeSlab(scaler->tensor->slab));
    scaler->now[static_cast<size_t>(StateSlot::Scale)] = value;
    return executor_->finishWriting();
  }
  MPC_ASSIGN_OR_RETURN(const StateTensor *number, findNumber(name));
  if (!std::isfinite(value))
    return invalidInput(fmt::format("{}: expected a finite number, found {}",
                                    quote(name), shortestDecimal(value)));
  MPC_RETURN_IF_ERROR(executor_->writeSlab(number->slab));
  numberIn(*number) = value;
  return executor_->finishWriting();
}

Status Runner::updateScale(double newScale, std::string_view name) {
  const Scaler *found = findScaler(name);
  if (!found)
    return noScaler();
  MPC_RETURN_IF_ERROR(executor_->writeSlab(found->tensor->slab));
  Scaler &scaler = scalers_[static_cast<size_t>(found - scalers_.data())];
  MPC_ASSIGN_OR_RETURN(newScale,
                       checkedScale(newScale, scaler.tensor->hasWideScale));
  for (size_t i = 0; i < scaler.now.size(); ++i)
    if (slotInfo(static_cast<StateSlot>(i)).kind != SlotKind::Count)
      scaler.now[i] = (*scaler.before)[i];
  scaler.now[static_cast<size_t>(StateSlot::Scale)] = newScale;
  scaler.remember();
  return executor_->finishWriting();
}

} // namespace mpc::rt
