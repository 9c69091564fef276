// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The loss-scale state machine: every policy as a pure, branch-free function
/// (state, settings, event) -> state over a scalar builder. The runtime
/// instantiates it with numbers (NumberBuilder.h), the compiler with a builder
/// that emits IR, so that both run the same rules.
#ifndef MPC_RUNTIME_LOSSSCALE_POLICIES_H
#define MPC_RUNTIME_LOSSSCALE_POLICIES_H

#include "runtime/LossScale/ScalarExpr.h"

#include <array>
#include <cstddef>

namespace mpc::rt {

enum class PolicyKind {
  Dynamic,        ///< PyTorch's rule with a floor, a cap and a named error.
  Torch,          ///< torch.amp.GradScaler
  Keras,          ///< tf_keras LossScaleOptimizer
  KerasFixed,     ///< tf_keras LossScaleOptimizer(dynamic=False)
  Keras3,         ///< keras.optimizers.LossScaleOptimizer of Keras 3
  Backoff,        ///< OpenSeq2Seq's Backoff
  LogMax,         ///< OpenSeq2Seq's LogMax, also called LogNormal
  LogNormal,      ///< LogMax with its two faults mended
  DeepSpeed,      ///< DeepSpeed's DynamicLossScaler
  Jmp,            ///< jmp.DynamicLossScale
  Flax,           ///< flax.training.dynamic_scale.DynamicScale
  Megatron,       ///< Megatron-LM's DynamicGradScaler
  Apex,           ///< Apex amp's LossScaler
  ApexHysteresis, ///< Apex's update_scale_hysteresis kernel
  Ort,            ///< ONNX Runtime training's DynamicLossScaler
  TeDelayed,      ///< Transformer Engine's delayed scaling of an fp8 tensor
  Fixed,          ///< A constant scale; non-finite steps are skipped.
  None,           ///< Scale 1, no check, every step is applied.
};
inline constexpr size_t kNumPolicies = 18;

/// The slots of the state vector. One layout for all policies, all f64; a slot
/// that a policy does not use stays 0. It is part of checkpoints: append only.
enum class StateSlot {
  Scale,         ///< The scale used in the next step.
  Counter,       ///< Finite steps counted towards the next growth.
  SkippedTotal,  ///< The number of all steps that were not applied.
  AppliedTotal,  ///< The number of all steps that were applied.
  SkippedInARow, ///< Steps not applied since the last applied one.
  Error,         ///< A ScaleError.
  Hysteresis,    ///< Overflows still tolerated before the scale falls.
  Iteration,     ///< Updates so far (deepspeed, backoff).
  LastOverflow,  ///< Iteration of the last overflow; -1 before any.
  Mean,          ///< EMA by beta1 of log2 of the largest gradient.
  SlowMean,      ///< The same by beta2.
  SlowSquare,    ///< EMA by beta2 of its square.
  MeanDecay,     ///< beta1^t, for bias correction.
  SlowDecay,     ///< beta2^t.
  Mu,            ///< Bias-corrected mean, as last used.
  Sigma,         ///< Standard deviation, as last used.
};
inline constexpr size_t kNumStateSlots = 16;

/// The settings of all policies, all f64, which may change during a run. Flags
/// are 0 or 1. The policy table (PolicyInfo.h) says which policy reads which.
enum class Setting {
  InitScale,             ///< Read when the state is created, and not by a step.
  GrowthFactor,          ///< Also the divisor where a policy has one factor.
  BackoffFactor,         ///<
  GrowthInterval,        ///< Finite steps between growths.
  MinScale,              ///<
  MaxScale,              ///<
  Hysteresis,            ///< Overflows tolerated before the scale falls.
  ConsecutiveHysteresis, ///< Flag: any finite step refills the hysteresis.
  RaiseAtMinScale,       ///< Flag: an overflow at MinScale is an error.
  MaxSkipsInARow,        ///< Skips in a row that are an error; 0 for never.
  LogMax,                ///< log2 of the target for the largest value.
  Beta1,                 ///< Decay of the mean of log2 gradients.
  Beta2,                 ///< Decay of the moments for their deviation.
  OverflowStdDev,        ///< Standard deviations kept between mean and LogMax.
  Fp8Max,                ///< Largest finite value of the fp8 format.
  Margin,                ///< Powers of two kept free below Fp8Max.
  HistoryLength,         ///< Maxima remembered (outside of the state).
  MostRecent,            ///< Flag: use the newest maximum, not the largest.
};
inline constexpr size_t kNumSettings = 18;

/// The reason why a policy gave up: the value of StateSlot::Error, for the last
/// step alone.
enum class ScaleError {
  None,
  AtMinScale,   ///< An overflow although the scale is at its minimum.
  TooManySkips, ///< MaxSkipsInARow reached.
};

/// Whether `kind` applies a step whose gradients are not finite.
constexpr bool appliesNonFinite(PolicyKind kind) {
  return kind == PolicyKind::KerasFixed || kind == PolicyKind::None;
}

template <ScalarBuilder B>
using StateValues = std::array<typename B::Value, kNumStateSlots>;
template <ScalarBuilder B>
using SettingValues = std::array<typename B::Value, kNumSettings>;

/// The findings of a step about its gradients, as the builder's values.
template <ScalarBuilder B>
struct ScaleEvent {
  typename B::Bool foundInf;
  /// The largest |unscaled gradient|, which logmax, lognormal and te-delayed
  /// read (for the last one already reduced over its window). Any value for
  /// other policies.
  typename B::Value gradMaxAbs;
};

/// The operands of one transition; a policy overwrites slots of `state`.
template <ScalarBuilder B>
struct PolicyStep {
  std::array<Num<B>, kNumStateSlots> state;
  std::array<Num<B>, kNumSettings> settings;
  Flag<B> foundInf;
  Num<B> gradMaxAbs;

  Num<B> &operator[](StateSlot slot) {
    return state[static_cast<size_t>(slot)];
  }
  Num<B> operator[](Setting setting) const {
    return settings[static_cast<size_t>(setting)];
  }
};

namespace detail {

/// PyTorch: one rounding of the f64 product. Growth to inf is suppressed but
/// still ends the interval.
template <ScalarBuilder B>
void stepTorch(PolicyStep<B> &p) {
  Num<B> scale = p[StateSlot::Scale];
  Num<B> counted = p[StateSlot::Counter] + 1.0;
  Flag<B> due = counted == p[Setting::GrowthInterval];
  Num<B> grown = f32(scale * p[Setting::GrowthFactor]);
  grown = select(due & isFinite(grown), grown, scale);
  Num<B> backedOff = f32(scale * p[Setting::BackoffFactor]);
  p[StateSlot::Scale] = select(p.foundInf, backedOff, grown);
  p[StateSlot::Counter] = select(p.foundInf | due, 0.0, counted);
}

/// PyTorch's rule, with each new scale kept in [MinScale, MaxScale].
template <ScalarBuilder B>
void stepDynamic(PolicyStep<B> &p) {
  Num<B> scale = p[StateSlot::Scale];
  Flag<B> due = p[StateSlot::Counter] + 1.0 == p[Setting::GrowthInterval];
  stepTorch(p);
  Num<B> bounded =
      atMost(atLeast(p[StateSlot::Scale], f32(p[Setting::MinScale])),
             f32(p[Setting::MaxScale]));
  p[StateSlot::Scale] = select(p.foundInf | due, bounded, scale);
}

/// tf_keras: a floor that raises lower scales, and `>=` at the interval.
template <ScalarBuilder B>
void stepKeras(PolicyStep<B> &p) {
  Num<B> scale = p[StateSlot::Scale];
  Num<B> counted = p[StateSlot::Counter] + 1.0;
  Flag<B> due = p[Setting::GrowthInterval] <= counted;
  Num<B> grown = f32(scale * p[Setting::GrowthFactor]);
  grown = select(due & isFinite(grown), grown, scale);
  Num<B> backedOff = atLeast(f32(scale * p[Setting::BackoffFactor]),
                             f32(p[Setting::MinScale]));
  p[StateSlot::Scale] = select(p.foundInf, backedOff, grown);
  p[StateSlot::Counter] = select(p.foundInf | due, 0.0, counted);
}

/// Keras 3: no floor, no ceiling; grows to inf and stays there.
template <ScalarBuilder B>
void stepKeras3(PolicyStep<B> &p) {
  Num<B> scale = p[StateSlot::Scale];
  Num<B> counted = p[StateSlot::Counter] + 1.0;
  Flag<B> due = counted == p[Setting::GrowthInterval];
  Num<B> grown = select(due, f32(scale * p[Setting::GrowthFactor]), scale);
  Num<B> backedOff = f32(scale * p[Setting::BackoffFactor]);
  p[StateSlot::Scale] = select(p.foundInf, backedOff, grown);
  p[StateSlot::Counter] = select(p.foundInf | due, 0.0, counted);
}

/// jmp: one factor that multiplies and divides; the counter is a remainder.
template <ScalarBuilder B>
void stepJmp(PolicyStep<B> &p) {
  Num<B> scale = p[StateSlot::Scale];
  Num<B> counted = p[StateSlot::Counter] + 1.0;
  Num<B> period = p[Setting::GrowthInterval];
  Num<B> factor = f32(p[Setting::GrowthFactor]);
  Num<B> grown = f32(scale * factor);
  grown = select((counted == period) & isFinite(grown), grown, scale);
  Num<B> backedOff = atLeast(f32(scale / factor), f32(p[Setting::MinScale]));
  p[StateSlot::Scale] = select(p.foundInf, backedOff, grown);
  p[StateSlot::Counter] = select(p.foundInf, 0.0, moduloOf(counted, period));
}

/// flax: compares before it counts, so that growth takes interval + 1 finite
/// steps; saturates at FLT_MAX.
template <ScalarBuilder B>
void stepFlax(PolicyStep<B> &p) {
  Num<B> scale = p[StateSlot::Scale];
  Num<B> counter = p[StateSlot::Counter];
  Flag<B> due = counter == p[Setting::GrowthInterval];
  Num<B> grown = atMost(f32(scale * f32(p[Setting::GrowthFactor])),
                        f32(p[Setting::MaxScale]));
  Num<B> backedOff = atLeast(f32(scale * f32(p[Setting::BackoffFactor])),
                             f32(p[Setting::MinScale]));
  p[StateSlot::Scale] =
      select(p.foundInf, backedOff, select(due, grown, scale));
  p[StateSlot::Counter] = select(p.foundInf | due, 0.0, counter + 1.0);
}

/// OpenSeq2Seq Backoff: counts from the last overflow, and clips both ways. The
/// counter is only for display.
template <ScalarBuilder B>
void stepBackoff(PolicyStep<B> &p) {
  Num<B> scale = p[StateSlot::Scale];
  Num<B> iteration = p[StateSlot::Iteration];
  Num<B> window = p[Setting::GrowthInterval];
  Num<B> factor = f32(p[Setting::GrowthFactor]);
  Num<B> since = iteration - p[StateSlot::LastOverflow];
  Flag<B> due = moduloOf(since, window) == 0.0;
  Num<B> grown = select(due, f32(scale * factor), scale);
  Num<B> moved = select(p.foundInf, f32(scale / factor), grown);
  Num<B> clipped = atMost(atLeast(moved, f32(p[Setting::MinScale])),
                          f32(p[Setting::MaxScale]));
  p[StateSlot::Scale] = select(p.foundInf | due, clipped, scale);
  p[StateSlot::LastOverflow] =
      select(p.foundInf, iteration, p[StateSlot::LastOverflow]);
  p[StateSlot::Iteration] = iteration + 1.0;
  p[StateSlot::Counter] =
      moduloOf(iteration - p[StateSlot::LastOverflow], window);
}

/// DeepSpeed, all f64: hysteresis, a named error at the floor that leaves the
/// state unchanged, and growth at multiples of the window after the last
/// overflow.
template <ScalarBuilder B>
void stepDeepSpeed(PolicyStep<B> &p) {
  Num<B> scale = p[StateSlot::Scale];
  Num<B> iteration = p[StateSlot::Iteration];
  Num<B> last = p[StateSlot::LastOverflow];
  Num<B> left = p[StateSlot::Hysteresis];
  Num<B> factor = p[Setting::GrowthFactor];

  Flag<B> tolerated = p[Setting::Hysteresis].literal(1.0) < left;
  Flag<B> raises = p.foundInf & !tolerated & (scale == p[Setting::MinScale]) &
                   !(p[Setting::RaiseAtMinScale] == 0.0);
  Num<B> backedOff = atLeast(scale / factor, p[Setting::MinScale]);
  Num<B> afterOverflow = select(tolerated, scale, backedOff);
  Num<B> leftAfterOverflow = select(tolerated, left - 1.0, left);

  Num<B> stable = iteration - last - 1.0;
  Flag<B> due = (moduloOf(stable, p[Setting::GrowthInterval]) == 0.0) &
                (stable.literal(0.0) < stable);
  Flag<B> refills = due | !(p[Setting::ConsecutiveHysteresis] == 0.0);
  Num<B> leftAfterFinite = select(refills, p[Setting::Hysteresis], left);

  Num<B> next =
      select(p.foundInf, afterOverflow, select(due, scale * factor, scale));
  p[StateSlot::Scale] = select(raises, scale, next);
  p[StateSlot::Hysteresis] = select(
      raises, left, select(p.foundInf, leftAfterOverflow, leftAfterFinite));
  p[StateSlot::LastOverflow] = select(p.foundInf & !raises, iteration, last);
  p[StateSlot::Iteration] = select(raises, iteration, iteration + 1.0);
  p[StateSlot::Counter] =
      p[StateSlot::Iteration] - p[StateSlot::LastOverflow] - 1.0;
  p[StateSlot::Error] = select(
      raises, static_cast<double>(ScaleError::AtMinScale), p[StateSlot::Error]);
}

/// Megatron: hysteresis that only growth refills, and growth without a limit.
template <ScalarBuilder B>
void stepMegatron(PolicyStep<B> &p) {
  Num<B> scale = p[StateSlot::Scale];
  Num<B> counted = p[StateSlot::Counter] + 1.0;
  Num<B> left = p[StateSlot::Hysteresis];
  Flag<B> due = counted == p[Setting::GrowthInterval];
  Num<B> grown = select(due, f32(scale * f32(p[Setting::GrowthFactor])), scale);
  Num<B> backedOff = atLeast(f32(scale * f32(p[Setting::BackoffFactor])),
                             f32(p[Setting::MinScale]));
  Num<B> afterOverflow = select(left - 1.0 <= 0.0, backedOff, scale);
  p[StateSlot::Scale] = select(p.foundInf, afterOverflow, grown);
  p[StateSlot::Counter] = select(p.foundInf | due, 0.0, counted);
  p[StateSlot::Hysteresis] =
      select(p.foundInf, left - 1.0, select(due, p[Setting::Hysteresis], left));
}

/// Apex's kernel: PyTorch's rule with hysteresis that any finite step refills.
template <ScalarBuilder B>
void stepApexHysteresis(PolicyStep<B> &p) {
  Num<B> scale = p[StateSlot::Scale];
  Num<B> left = p[StateSlot::Hysteresis] - 1.0;
  Flag<B> tolerated = p.foundInf & (left.literal(0.0) < left);
  stepTorch(p);
  p[StateSlot::Scale] = select(tolerated, scale, p[StateSlot::Scale]);
  p[StateSlot::Hysteresis] = select(p.foundInf, left, p[Setting::Hysteresis]);
}

/// Apex amp, f64: floor and cap; the counter is compared with `==`.
template <ScalarBuilder B>
void stepApex(PolicyStep<B> &p) {
  Num<B> scale = p[StateSlot::Scale];
  Num<B> counted = p[StateSlot::Counter] + 1.0;
  Flag<B> due = counted == p[Setting::GrowthInterval];
  Num<B> grown = atMost(scale * p[Setting::GrowthFactor], p[Setting::MaxScale]);
  Num<B> backedOff =
      atLeast(scale / p[Setting::GrowthFactor], p[Setting::MinScale]);
  p[StateSlot::Scale] =
      select(p.foundInf, backedOff, select(due, grown, scale));
  p[StateSlot::Counter] = select(p.foundInf | due, 0.0, counted);
}

/// ONNX Runtime, f64: as Apex, but with `>=` at the interval.
template <ScalarBuilder B>
void stepOrt(PolicyStep<B> &p) {
  Num<B> scale = p[StateSlot::Scale];
  Num<B> counted = p[StateSlot::Counter] + 1.0;
  Flag<B> due = p[Setting::GrowthInterval] <= counted;
  Num<B> grown = atMost(scale * p[Setting::GrowthFactor], p[Setting::MaxScale]);
  Num<B> backedOff =
      atLeast(scale / p[Setting::GrowthFactor], p[Setting::MinScale]);
  p[StateSlot::Scale] =
      select(p.foundInf, backedOff, select(due, grown, scale));
  p[StateSlot::Counter] = select(p.foundInf | due, 0.0, counted);
}

/// f32 EMA: beta * mean + (1 - beta) * x, with 1 - beta computed in f64.
template <ScalarBuilder B>
Num<B> movingAverage(Num<B> mean, Num<B> beta, Num<B> x) {
  return f32(f32(f32(beta) * mean) + f32(f32(1.0 - beta) * x));
}

/// The statistics that LogMax and LogNormal share: x is log2 of the largest
/// gradient, and the scale places `target` OverflowStdDev deviations above its
/// mean. All f32, bias-corrected like Adam.
template <ScalarBuilder B>
void stepLogStatistics(PolicyStep<B> &p, Num<B> x, Num<B> target) {
  Num<B> beta1 = p[Setting::Beta1];
  Num<B> beta2 = p[Setting::Beta2];
  Num<B> decay1 = f32(p[StateSlot::MeanDecay] * f32(beta1));
  Num<B> decay2 = f32(p[StateSlot::SlowDecay] * f32(beta2));
  Num<B> mean = movingAverage(p[StateSlot::Mean], beta1, x);
  Num<B> slowMean = movingAverage(p[StateSlot::SlowMean], beta2, x);
  Num<B> slowSquare =
      movingAverage(p[StateSlot::SlowSquare], beta2, f32(x * x));

  Num<B> mu = f32(mean / f32(1.0 - decay1));
  Num<B> slowMu = f32(slowMean / f32(1.0 - decay2));
  Num<B> square = f32(slowSquare / f32(1.0 - decay2));
  Num<B> variance = f32(square - f32(slowMu * slowMu));
  Num<B> sigma = f32(squareRoot(atLeast(variance, x.literal(0.0))));
  Num<B> reach = f32(mu + f32(f32(p[Setting::OverflowStdDev]) * sigma));
  Num<B> scale = f32(exp2Of(f32(target - reach)));

  p[StateSlot::Scale] = atMost(atLeast(scale, f32(p[Setting::MinScale])),
                               f32(p[Setting::MaxScale]));
  p[StateSlot::Mean] = mean;
  p[StateSlot::SlowMean] = slowMean;
  p[StateSlot::SlowSquare] = slowSquare;
  p[StateSlot::MeanDecay] = decay1;
  p[StateSlot::SlowDecay] = decay2;
  p[StateSlot::Mu] = mu;
  p[StateSlot::Sigma] = sigma;
}

/// OpenSeq2Seq LogMax with its faults: an overflow counts as 2^LogMax although
/// x is in log2 units, the target is 16 for any LogMax, and an all-zero
/// gradient makes the scale NaN for ever.
template <ScalarBuilder B>
void stepLogMax(PolicyStep<B> &p) {
  Num<B> overflow = f32(exp2Of(p[Setting::LogMax]));
  Num<B> x = f32(log2Of(f32(p.gradMaxAbs)));
  stepLogStatistics(p, select(p.foundInf, overflow, x), overflow.literal(16.0));
}

/// LogMax corrected: an overflow counts as LogMax itself, which is also the
/// target, and a step whose gradients are all zero changes nothing.
template <ScalarBuilder B>
void stepLogNormal(PolicyStep<B> &p) {
  const std::array<Num<B>, kNumStateSlots> before = p.state;
  Num<B> largest = f32(p.gradMaxAbs);
  Flag<B> ignored = (largest == 0.0) & !p.foundInf;
  Flag<B> overflow = p.foundInf | !isFinite(largest);
  Num<B> target = f32(p[Setting::LogMax]);
  Num<B> safe = select(overflow | ignored, 1.0, largest);
  stepLogStatistics(p, select(overflow, target, f32(log2Of(safe))), target);
  for (size_t slot = 0; slot != kNumStateSlots; ++slot)
    p.state[slot] = select(ignored, before[slot], p.state[slot]);
}

/// Transformer Engine: scale = (Fp8Max / amax) / 2^Margin; unchanged for amax
/// 0, inf and NaN; FLT_MAX where it overflows.
template <ScalarBuilder B>
void stepTeDelayed(PolicyStep<B> &p) {
  Num<B> amax = f32(p.gradMaxAbs);
  Flag<B> usable = (amax.literal(0.0) < amax) & isFinite(amax);
  Num<B> ratio = f32(f32(p[Setting::Fp8Max]) / select(usable, amax, 1.0));
  Num<B> scale = f32(ratio / exp2Of(p[Setting::Margin]));
  constexpr double kFloatMax = std::numeric_limits<float>::max();
  scale = atMost(scale, amax.literal(kFloatMax));
  p[StateSlot::Scale] = select(usable, scale, p[StateSlot::Scale]);
}

/// Counts the step as applied or skipped, and raises TooManySkips.
template <ScalarBuilder B>
void countStep(PolicyKind kind, PolicyStep<B> &p) {
  Num<B> one = p[StateSlot::Scale].literal(1.0);
  Num<B> skipped =
      appliesNonFinite(kind) ? one.literal(0.0) : select(p.foundInf, one, 0.0);
  Num<B> inARow = skipped * (p[StateSlot::SkippedInARow] + 1.0);
  p[StateSlot::SkippedTotal] = p[StateSlot::SkippedTotal] + skipped;
  p[StateSlot::AppliedTotal] = p[StateSlot::AppliedTotal] + (one - skipped);
  p[StateSlot::SkippedInARow] = inARow;
  Num<B> limit = p[Setting::MaxSkipsInARow];
  Flag<B> tooMany = (one <= limit) & (limit <= inARow);
  p[StateSlot::Error] =
      select(tooMany, static_cast<double>(ScaleError::TooManySkips),
             p[StateSlot::Error]);
}

template <ScalarBuilder B>
void stepRule(PolicyKind kind, PolicyStep<B> &p) {
  switch (kind) {
  case PolicyKind::Dynamic:
    return stepDynamic(p);
  case PolicyKind::Torch:
    return stepTorch(p);
  case PolicyKind::Keras:
    return stepKeras(p);
  case PolicyKind::Keras3:
    return stepKeras3(p);
  case PolicyKind::Backoff:
    return stepBackoff(p);
  case PolicyKind::LogMax:
    return stepLogMax(p);
  case PolicyKind::LogNormal:
    return stepLogNormal(p);
  case PolicyKind::DeepSpeed:
    return stepDeepSpeed(p);
  case PolicyKind::Jmp:
    return stepJmp(p);
  case PolicyKind::Flax:
    return stepFlax(p);
  case PolicyKind::Megatron:
    return stepMegatron(p);
  case PolicyKind::Apex:
    return stepApex(p);
  case PolicyKind::ApexHysteresis:
    return stepApexHysteresis(p);
  case PolicyKind::Ort:
    return stepOrt(p);
  case PolicyKind::TeDelayed:
    return stepTeDelayed(p);
  case PolicyKind::KerasFixed:
  case PolicyKind::Fixed:
  case PolicyKind::None:
    return;
  }
}

template <ScalarBuilder B>
PolicyStep<B> wrap(B &builder, const StateValues<B> &state,
                   const SettingValues<B> &settings,
                   const ScaleEvent<B> &event) {
  PolicyStep<B> p{};
  for (size_t i = 0; i != kNumStateSlots; ++i)
    p.state[i] = {&builder, state[i]};
  for (size_t i = 0; i != kNumSettings; ++i)
    p.settings[i] = {&builder, settings[i]};
  p.foundInf = {&builder, event.foundInf};
  p.gradMaxAbs = {&builder, event.gradMaxAbs};
  p[StateSlot::Error] = p.gradMaxAbs.literal(0.0);
  return p;
}

template <ScalarBuilder B>
StateValues<B> unwrap(const PolicyStep<B> &p) {
  StateValues<B> state;
  for (size_t i = 0; i != kNumStateSlots; ++i)
    state[i] = p.state[i].value;
  return state;
}

} // namespace detail

/// The state after a step. `kind` is fixed when the function is instantiated
/// with a builder that emits IR: only that policy's operations are emitted.
template <ScalarBuilder B>
StateValues<B>
stepPolicy(PolicyKind kind, B &builder, const StateValues<B> &state,
           const SettingValues<B> &settings, const ScaleEvent<B> &event) {
  PolicyStep<B> p = detail::wrap(builder, state, settings, event);
  detail::stepRule(kind, p);
  detail::countStep(kind, p);
  return detail::unwrap(p);
}

/// The state after a step whose scale update is replaced by `newScale`
/// (PyTorch's update(new_scale)). The step is counted, but the policy ignores
/// it.
template <ScalarBuilder B>
StateValues<B>
stepWithNewScale(PolicyKind kind, B &builder, const StateValues<B> &state,
                 const SettingValues<B> &settings, const ScaleEvent<B> &event,
                 typename B::Value newScale) {
  PolicyStep<B> p = detail::wrap(builder, state, settings, event);
  p[StateSlot::Scale] = {&builder, newScale};
  detail::countStep(kind, p);
  return detail::unwrap(p);
}

/// How gradients are unscaled.
enum class UnscaleRule {
  Reciprocal,        ///< Multiplied by f32(1 / f64(scale)).
  FlushedReciprocal, ///< The same, but 0 where it is subnormal (TensorFlow
                     ///< computes with subnormals flushed).
  Divide,            ///< Divided by the scale.
};

constexpr UnscaleRule unscaleRule(PolicyKind kind) {
  if (kind == PolicyKind::Keras || kind == PolicyKind::KerasFixed)
    return UnscaleRule::FlushedReciprocal;
  return kind == PolicyKind::Keras3 ? UnscaleRule::Divide
                                    : UnscaleRule::Reciprocal;
}

/// The factor that gradients are multiplied with: f32(1 / f64(scale)), or 0
/// where that is subnormal and to be `flushed`.
template <ScalarBuilder B>
typename B::Value inverseScale(B &builder, typename B::Value scale,
                               bool flushed) {
  Num<B> inverse = f32(1.0 / Num<B>{&builder, scale});
  if (!flushed)
    return inverse.value;
  constexpr double kFloatMin = std::numeric_limits<float>::min();
  Flag<B> subnormal =
      (inverse < kFloatMin) & (inverse.literal(-kFloatMin) < inverse);
  return select(subnormal, inverse * 0.0, inverse).value;
}

/// The factor by a policy's rule. For UnscaleRule::Divide it only tells how
/// large the quotient is.
template <ScalarBuilder B>
typename B::Value inverseScale(PolicyKind kind, B &builder,
                               typename B::Value scale) {
  return inverseScale(builder, scale,
                      unscaleRule(kind) == UnscaleRule::FlushedReciprocal);
}

} // namespace mpc::rt

#endif // MPC_RUNTIME_LOSSSCALE_POLICIES_H
