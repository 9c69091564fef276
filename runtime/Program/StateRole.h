// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The roles of state tensors in a training step: one list for the compiler,
/// which lays the state out, for program files and for the runtime.
#ifndef MPC_RUNTIME_PROGRAM_STATEROLE_H
#define MPC_RUNTIME_PROGRAM_STATEROLE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mpc::rt {

enum class StateRole : uint8_t {
  Parameter,       ///< A weight; the fp32 master where there is one.
  LowPrecision,    ///< 16-bit copy of a parameter; derived by entry "init".
  Gradient,        ///< Scratch between launches; never saved.
  Slot,            ///< An optimizer's moment or velocity for a parameter.
  Buffer,          ///< Running statistics and the like.
  LossScale,       ///< The loss scaler's state vector (f64).
  Optimizer,       ///< Step count and running products (f64).
  Hyperparameters, ///< A number that the user may set during a run (f64).
  Setting,         ///< A setting of a loss-scale policy (f64).
  Average,         ///< The running average of a parameter.
  Pending,         ///< The change of a buffer by the current window so far.
};

/// The names in IR, in program files and in messages, in the order of the
/// enumerators.
inline constexpr std::array<std::string_view, 11> kStateRoleNames = {
    "parameter", "low_precision", "gradient",  "slot",
    "buffer",    "loss_scale",    "optimizer", "hyperparameters",
    "setting",   "average",       "pending"};

[[nodiscard]] constexpr std::string_view name(StateRole role) {
  return kStateRoleNames[static_cast<size_t>(role)];
}

/// Whether a checkpoint holds tensors of this role. Gradients are scratch, and
/// low-precision copies follow from the parameters.
[[nodiscard]] constexpr bool isSaved(StateRole role) {
  return role != StateRole::LowPrecision && role != StateRole::Gradient;
}

/// Whether each tensor of this role belongs to another tensor of the state.
[[nodiscard]] constexpr bool hasOwner(StateRole role) {
  return role == StateRole::LowPrecision || role == StateRole::Gradient ||
         role == StateRole::Slot || role == StateRole::Average ||
         role == StateRole::Pending;
}

/// The role with that name; empty where there is none.
[[nodiscard]] constexpr std::optional<StateRole>
findStateRole(std::string_view name) {
  for (size_t i = 0; i != kStateRoleNames.size(); ++i)
    if (kStateRoleNames[i] == name)
      return static_cast<StateRole>(i);
  return std::nullopt;
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_PROGRAM_STATEROLE_H
