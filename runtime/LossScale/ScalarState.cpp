// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of a loss scaler's slots.
#include "runtime/LossScale/ScalarState.h"

#include <array>
#include <cmath>
#include <limits>

namespace mpc::rt {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
/// Integers up to here are exact in an f64.
constexpr double kMost = 0x1p53;

/// The slots in the order of the vector. A scale may fall to 0 (torch has no
/// floor), rise to infinity (keras3 has no cap) and become NaN (logmax, after
/// gradients of zeros: the logarithm of their maximum is infinite, and a
/// difference of infinities is NaN).
constexpr std::array<SlotInfo, kNumStateSlots> kSlots = {{
    {StateSlot::Scale, "scale", SlotKind::Scale, 0, kNoLimit, true},
    {StateSlot::Counter, "counter", SlotKind::Rule, 0, kMost},
    {StateSlot::SkippedTotal, "skipped_total", SlotKind::Count, 0, kMost},
    {StateSlot::AppliedTotal, "applied_total", SlotKind::Count, 0, kMost},
    {StateSlot::SkippedInARow, "skipped_in_a_row", SlotKind::Count, 0, kMost},
    {StateSlot::Error, "error", SlotKind::Rule, 0, 2},
    {StateSlot::Hysteresis, "hysteresis", SlotKind::Rule, -kMost, kMost},
    {StateSlot::Iteration, "iter", SlotKind::Rule, 0, kMost},
    {StateSlot::LastOverflow, "last_overflow_iter", SlotKind::Rule, -1, kMost},
    {StateSlot::Mean, "mean", SlotKind::Rule, -kNoLimit, kNoLimit, true},
    {StateSlot::SlowMean, "slow_mean", SlotKind::Rule, -kNoLimit, kNoLimit,
     true},
    {StateSlot::SlowSquare, "slow_square", SlotKind::Rule, 0, kNoLimit, true},
    {StateSlot::MeanDecay, "mean_decay", SlotKind::Rule, 0, 1},
    {StateSlot::SlowDecay, "slow_decay", SlotKind::Rule, 0, 1},
    {StateSlot::Mu, "mu", SlotKind::Rule, -kNoLimit, kNoLimit, true},
    {StateSlot::Sigma, "sigma", SlotKind::Rule, 0, kNoLimit, true},
}};

constexpr bool isInOrder() {
  for (size_t i = 0; i < kSlots.size(); ++i)
    if (kSlots[i].slot != static_cast<StateSlot>(i))
      return false;
  return true;
}
static_assert(isInOrder());

} // namespace

bool SlotInfo::holds(double value) const {
  return std::isnan(value) ? mayBeNaN : value >= low && value <= high;
}

const SlotInfo &slotInfo(StateSlot slot) {
  return kSlots[static_cast<size_t>(slot)];
}

std::optional<StateSlot> findSlot(std::string_view key) {
  for (const SlotInfo &info : kSlots)
    if (info.key == key)
      return info.slot;
  return std::nullopt;
}

std::string_view slotKey(StateSlot slot) { return slotInfo(slot).key; }

} // namespace mpc::rt
