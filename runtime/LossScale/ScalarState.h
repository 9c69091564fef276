// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The scalars of a program's state: their names, the meaning of each slot of a
/// loss scaler, and its valid values.
#ifndef MPC_RUNTIME_LOSSSCALE_SCALARSTATE_H
#define MPC_RUNTIME_LOSSSCALE_SCALARSTATE_H

#include "runtime/LossScale/Policies.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mpc::rt {

/// The prefix of a number that the user sets: "amp.hyper.beta1"; where a module
/// has several of a kind, "amp.hyper.critic.beta1".
inline constexpr std::string_view kHyperPrefix = "amp.hyper.";
/// The name of a loss scaler's vector; of one of several
/// "amp.loss_scale.critic".
inline constexpr std::string_view kScalerName = "amp.loss_scale";
/// The prefix of an optimizer's counters: "amp.optimizer.step"; of one of
/// several "amp.optimizer.critic.step".
inline constexpr std::string_view kOptimizerName = "amp.optimizer";

/// A number that group `index` of an optimizer's parameters, counted from 1,
/// has in place of all parameters' own: "group1.weight_decay".
[[nodiscard]] inline std::string groupKey(size_t index, std::string_view key) {
  return "group" + std::to_string(index) + "." + std::string(key);
}
[[nodiscard]] constexpr bool isGroupKey(std::string_view key) {
  return key.starts_with("group") && key.find('.') != std::string_view::npos;
}
/// The number that is a group's learning rate, as a multiple of the step's.
inline constexpr std::string_view kRateFactor = "lr_factor";

enum class SlotKind : uint8_t {
  Scale, ///< The scale itself.
  Count, ///< A count of steps, which goes on whatever the scale does.
  Rule,  ///< The memory of the policy's rule.
};

/// A slot of a loss scaler's vector. The range has the values that steps
/// produce, so that a checkpoint with any other value is damaged.
struct SlotInfo {
  StateSlot slot;
  std::string_view key; ///< Its name in files.
  SlotKind kind;
  double low, high;
  bool mayBeNaN = false;

  [[nodiscard]] bool holds(double value) const;
};

[[nodiscard]] const SlotInfo &slotInfo(StateSlot slot);
/// A slot's name in files: "skipped_in_a_row".
[[nodiscard]] std::string_view slotKey(StateSlot slot);
/// The slot that is called `key`.
[[nodiscard]] std::optional<StateSlot> findSlot(std::string_view key);

} // namespace mpc::rt

#endif // MPC_RUNTIME_LOSSSCALE_SCALARSTATE_H
