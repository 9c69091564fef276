// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The learning rate over a training run.
///
/// Formulas, names of parameters and their defaults are those of
/// torch.optim.lr_scheduler (StepLR, MultiStepLR, ExponentialLR, PolynomialLR,
/// CosineAnnealingLR, CosineAnnealingWarmRestarts, OneCycleLR). inverse-sqrt is
/// the schedule of Vaswani et al., "Attention Is All You Need" (5.3), in the
/// form of transformers.get_inverse_sqrt_schedule.
#ifndef MPC_RUNTIME_TRAIN_SCHEDULE_H
#define MPC_RUNTIME_TRAIN_SCHEDULE_H

#include "runtime/Support/Status.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

enum class ScheduleKind : uint8_t {
  Constant,
  Cosine,
  Linear,
  Step,
  MultiStep,
  Exponential,
  Polynomial,
  OneCycle,
  CosineRestarts,
  InverseSqrt,
  Points,
};

/// The parameters of the formulas, beside the rate and the steps.
enum class ScheduleParameter : uint8_t {
  Gamma,
  StepSize,
  Milestones,
  Power,
  RisingShare,
  DivFactor,
  FinalDivFactor,
  Anneal,
  ThreePhase,
  CycleSteps,
  CycleGrowth,
  MinRate,
  TimeScale,
  Points,
};

struct Schedule;

/// One schedule with all its facts.
struct ScheduleInfo {
  ScheduleKind kind;
  std::string_view name; ///< The name in a flag.
  /// The rate `t` steps after the warm-up, of `length` steps after it.
  double (*rate)(const Schedule &schedule, double t, double length);
  std::vector<ScheduleParameter> takes;
  /// The parameters in `takes` that have no default.
  std::vector<ScheduleParameter> needs;
};

/// One parameter as a flag.
struct ScheduleParameterInfo {
  ScheduleParameter parameter;
  const char *flag; ///< "--lr-gamma"
  const char *type; ///< The text of --help after "=": "X", "FILE".
  const char *description;
  double fallback; ///< The default, for a parameter of one number.
  /// Checks numbers. Returns what was expected of them, or an empty text.
  std::string (*fault)(std::span<const double> numbers);
};

[[nodiscard]] std::span<const ScheduleInfo> scheduleTable();
[[nodiscard]] const ScheduleInfo &info(ScheduleKind kind);
[[nodiscard]] std::string_view name(ScheduleKind kind);
/// The schedule of that name; null where there is none.
[[nodiscard]] const ScheduleInfo *findSchedule(std::string_view name);
[[nodiscard]] std::span<const ScheduleParameterInfo> scheduleParameterTable();

/// A function of the steps applied so far: a skipped step does not move it.
///
/// With W warm-up steps of T, before applied step a (from 0), it is
/// lr * (a + 1) / W where a < W. Behind that, with t = a - W and L = T - W:
///   constant         lr
///   linear           lr * (1 - t / L)
///   cosine           min + (lr - min) * (1 + cos(pi t / L)) / 2
///   step             lr * gamma^floor(t / step-size)
///   multistep        lr * gamma^(milestones up to t)
///   exponential      lr * gamma^t
///   polynomial       lr * (1 - t / L)^power
///   one-cycle        from lr / div-factor up to lr in the share pct-start of
///                    L, then down to lr / div-factor / final-div-factor; with
///                    three-phase down to lr / div-factor in as many steps as
///                    up before that. By a half cosine, or along a line
///   cosine-restarts  as cosine, over cycle-steps, then cycle-steps * growth...
///   inverse-sqrt     lr * sqrt(timescale / (timescale + t)); timescale is W,
///                    or 10000 where that is 0, unless it is given
///   points           lr * factor, on the line between the points around t
/// t is at most L in linear, cosine, polynomial and one-cycle.
struct Schedule {
  ScheduleKind kind = ScheduleKind::Constant;
  double lr = 1e-3;
  int64_t warmupSteps = 0;
  int64_t totalSteps = 0;
  /// The parameters that were given. Points have t and factor in turn.
  std::map<ScheduleParameter, std::vector<double>> parameters = {};

  [[nodiscard]] double at(int64_t appliedSteps) const;
  /// The rate as f32, which is what steps take.
  [[nodiscard]] float rateAt(int64_t appliedSteps) const {
    return static_cast<float>(at(appliedSteps));
  }

  /// The given value, or else the default, of a parameter of one number.
  [[nodiscard]] double number(ScheduleParameter parameter) const;
  [[nodiscard]] std::span<const double> list(ScheduleParameter parameter) const;

  /// Sets a parameter from a text of numbers, separated by commas, spaces or
  /// line breaks. The rest of a line after a # is skipped. On and off are 1 and
  /// 0, and so are cos and linear.
  Status set(const ScheduleParameterInfo &parameter, std::string_view text);
  /// Sets the value of a flag of flags(), by its name.
  Status setFlag(std::string_view flag, std::string_view value);
  /// Fails on a parameter that the kind does not take, and where a required one
  /// is missing.
  [[nodiscard]] Status check() const;
  /// The flags that decide the rates, except the number of steps: "--lr",
  /// "--lr-schedule", "--warmup-steps" and the parameters that the kind takes.
  [[nodiscard]] std::map<std::string, std::string> flags() const;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_SCHEDULE_H
