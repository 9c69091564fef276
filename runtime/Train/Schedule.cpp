// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of learning rate schedules, and their formulas.
#include "runtime/Train/Schedule.h"

#include "runtime/Support/Text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numbers>
#include <optional>

namespace mpc::rt {
namespace {

using P = ScheduleParameter;

/// A half cosine from `start` at 0 to `end` at 1.
double halfCosine(double start, double end, double p) {
  return end + (start - end) * (1 + std::cos(std::numbers::pi * p)) / 2;
}

double line(double start, double end, double p) {
  return start + (end - start) * p;
}

double constant(const Schedule &s, double, double) { return s.lr; }

double linear(const Schedule &s, double t, double length) {
  return s.lr * (1 - std::min(1.0, t / length));
}

double cosine(const Schedule &s, double t, double length) {
  return halfCosine(s.lr, s.number(P::MinRate), std::min(1.0, t / length));
}

double step(const Schedule &s, double t, double) {
  return s.lr *
         std::pow(s.number(P::Gamma), std::floor(t / s.number(P::StepSize)));
}

double multistep(const Schedule &s, double t, double) {
  std::span<const double> milestones = s.list(P::Milestones);
  auto passed = std::count_if(milestones.begin(), milestones.end(),
                              [t](double m) { return m <= t; });
  return s.lr * std::pow(s.number(P::Gamma), static_cast<double>(passed));
}

double exponential(const Schedule &s, double t, double) {
  return s.lr * std::pow(s.number(P::Gamma), t);
}

double polynomial(const Schedule &s, double t, double length) {
  return s.lr * std::pow(1 - std::min(1.0, t / length), s.number(P::Power));
}

/// A phase of a cycle, from one rate to another, up to and including step
/// `end`.
struct Phase {
  double end, from, to;
};

double oneCycle(const Schedule &s, double t, double length) {
  double first = s.lr / s.number(P::DivFactor);
  double last = first / s.number(P::FinalDivFactor);
  double rise = s.number(P::RisingShare) * length;
  bool hasThree = s.number(P::ThreePhase) != 0;
  std::array<Phase, 3> phases = {
      {{rise - 1, first, s.lr},
       {hasThree ? 2 * rise - 2 : length - 1, s.lr, hasThree ? first : last},
       {length - 1, first, last}}};
  auto anneal = s.number(P::Anneal) == 0 ? halfCosine : line;
  t = std::min(t, length - 1);
  double begin = 0;
  for (const Phase &phase : phases) {
    if (t <= phase.end && phase.end > begin)
      return anneal(phase.from, phase.to, (t - begin) / (phase.end - begin));
    begin = phase.end; // The beginning is below 0 where a phase has no step.
  }
  return last;
}

double cosineRestarts(const Schedule &s, double t, double) {
  double cycle = s.number(P::CycleSteps), growth = s.number(P::CycleGrowth);
  if (growth == 1)
    t = std::fmod(t, cycle);
  for (; t >= cycle; cycle *= growth)
    t -= cycle;
  return halfCosine(s.lr, s.number(P::MinRate), t / cycle);
}

double inverseSqrt(const Schedule &s, double t, double) {
  double scale = s.number(P::TimeScale);
  if (scale == 0)
    scale = s.warmupSteps > 0 ? static_cast<double>(s.warmupSteps) : 10000;
  return s.lr * std::sqrt(scale / (scale + t));
}

double points(const Schedule &s, double t, double) {
  std::span<const double> list = s.list(P::Points);
  if (list.empty())
    return s.lr;     // check() has refused that.
  size_t behind = 0; // The index of the first point after t.
  for (size_t last = list.size(); behind < last;) {
    size_t middle = (behind + last) / 4 * 2;
    if (list[middle] <= t)
      behind = middle + 2;
    else
      last = middle;
  }
  if (behind == 0)
    return s.lr * list[1];
  if (behind == list.size())
    return s.lr * list.back();
  double begin = list[behind - 2], end = list[behind];
  return s.lr *
         line(list[behind - 1], list[behind + 1], (t - begin) / (end - begin));
}

/// The largest step count. An f64 has exact integers up to here.
constexpr double kMaxSteps = 0x1p53;

bool isWhole(double x, double least) {
  return x >= least && x <= kMaxSteps && x == std::floor(x);
}

/// Checks one number by `accepts`.
bool isOne(std::span<const double> numbers, bool (*accepts)(double)) {
  return numbers.size() == 1 && accepts(numbers[0]);
}

std::string positive(std::span<const double> n) {
  return isOne(n, [](double x) { return x > 0; }) ? "" : "a number above 0";
}
std::string notNegative(std::span<const double> n) {
  return isOne(n, [](double x) { return x >= 0; }) ? ""
                                                   : "a number of at least 0";
}
std::string share(std::span<const double> n) {
  return isOne(n, [](double x) { return x >= 0 && x <= 1; })
             ? ""
             : "a number from 0 to 1";
}
std::string count(std::span<const double> n) {
  return isOne(n, [](double x) { return isWhole(x, 1); })
             ? ""
             : "a whole number of at least 1";
}
std::string choice(std::span<const double> n) {
  return isOne(n, [](double x) { return x == 0 || x == 1; })
             ? ""
             : "one of its two words";
}
std::string risingSteps(std::span<const double> n) {
  bool fits = !n.empty();
  for (size_t i = 0; i < n.size(); ++i)
    fits = fits && isWhole(n[i], 1) && (i == 0 || n[i] > n[i - 1]);
  return fits ? "" : "rising whole numbers of at least 1";
}
std::string risingPoints(std::span<const double> n) {
  bool fits = !n.empty() && n.size() % 2 == 0;
  for (size_t i = 0; fits && i < n.size(); i += 2)
    fits = isWhole(n[i], 0) && n[i + 1] >= 0 && (i == 0 || n[i] > n[i - 2]);
  return fits ? "" : "pairs of a step, which rise, and a factor of at least 0";
}

const ScheduleInfo kSchedules[] = {
    {ScheduleKind::Constant, "constant", constant, {}, {}},
    {ScheduleKind::Cosine, "cosine", cosine, {P::MinRate}, {}},
    {ScheduleKind::Linear, "linear", linear, {}, {}},
    {ScheduleKind::Step, "step", step, {P::StepSize, P::Gamma}, {P::StepSize}},
    {ScheduleKind::MultiStep,
     "multistep",
     multistep,
     {P::Milestones, P::Gamma},
     {P::Milestones}},
    {ScheduleKind::Exponential,
     "exponential",
     exponential,
     {P::Gamma},
     {P::Gamma}},
    {ScheduleKind::Polynomial, "polynomial", polynomial, {P::Power}, {}},
    {ScheduleKind::OneCycle,
     "one-cycle",
     oneCycle,
     {P::RisingShare, P::DivFactor, P::FinalDivFactor, P::Anneal,
      P::ThreePhase},
     {}},
    {ScheduleKind::CosineRestarts,
     "cosine-restarts",
     cosineRestarts,
     {P::CycleSteps, P::CycleGrowth, P::MinRate},
     {P::CycleSteps}},
    {ScheduleKind::InverseSqrt,
     "inverse-sqrt",
     inverseSqrt,
     {P::TimeScale},
     {}},
    {ScheduleKind::Points, "points", points, {P::Points}, {P::Points}},
};

const ScheduleParameterInfo kParameters[] = {
    {P::Gamma, "--lr-gamma", "X",
     "The factor of step, multistep and exponential (default: 0.1; exponential "
     "has none)",
     0.1, notNegative},
    {P::StepSize, "--lr-step-size", "N", "Steps between two falls of step", 1,
     count},
    {P::Milestones, "--lr-milestones", "N,N,...",
     "Steps at which multistep falls", 0, risingSteps},
    {P::Power, "--lr-power", "X", "Power of polynomial (default: 1)", 1,
     notNegative},
    {P::RisingShare, "--lr-pct-start", "X",
     "Share of the steps in which one-cycle rises (default: 0.3)", 0.3, share},
    {P::DivFactor, "--lr-div-factor", "X",
     "one-cycle starts at the rate divided by this (default: 25)", 25,
     positive},
    {P::FinalDivFactor, "--lr-final-div-factor", "X",
     "one-cycle ends at its start divided by this (default: 10000)", 1e4,
     positive},
    {P::Anneal, "--lr-anneal", "cos|linear",
     "How one-cycle goes from rate to rate (default: cos)", 0, choice},
    {P::ThreePhase, "--lr-three-phase", "on|off",
     "one-cycle falls to its start in as many steps as it rose (default: off)",
     0, choice},
    {P::CycleSteps, "--lr-cycle-steps", "N",
     "Steps of the first cycle of cosine-restarts", 1, count},
    {P::CycleGrowth, "--lr-cycle-growth", "N",
     "Each cycle of cosine-restarts is so many times the one before "
     "(default: 1)",
     1, count},
    {P::MinRate, "--lr-min", "X",
     "Where cosine and cosine-restarts end (default: 0)", 0, notNegative},
    {P::TimeScale, "--lr-timescale", "N",
     "Steps in which inverse-sqrt falls to --lr times sqrt(1/2) (default: "
     "--warmup-steps, else 10000)",
     0, count},
    {P::Points, "--lr-points", "FILE",
     "A step and a factor of --lr in each line; points goes from one to the "
     "next along straight lines",
     0, risingPoints},
};

const ScheduleParameterInfo &info(ScheduleParameter parameter) {
  return kParameters[static_cast<size_t>(parameter)];
}

bool contains(const std::vector<P> &list, P parameter) {
  return std::find(list.begin(), list.end(), parameter) != list.end();
}

bool isBetween(char c) {
  return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Removes comments, which end with their line.
std::string withoutComments(std::string_view text) {
  std::string left;
  bool isComment = false;
  for (char c : text) {
    isComment = c == '#' || (isComment && c != '\n');
    left += isComment ? ' ' : c;
  }
  return left;
}

/// A finite number, or a word for one.
std::optional<double> numberOf(std::string_view word) {
  if (word == "on" || word == "linear")
    return 1;
  if (word == "off" || word == "cos")
    return 0;
  double value = 0;
  auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() ||
      !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// Empty where a word is no number.
std::optional<std::vector<double>> numbersOf(const std::string &text) {
  std::vector<double> numbers;
  for (auto next = text.begin(); next != text.end();) {
    auto end = std::find_if(next, text.end(), isBetween);
    if (std::string_view word(next, end); !word.empty()) {
      std::optional<double> number = numberOf(word);
      if (!number)
        return std::nullopt;
      numbers.push_back(*number);
    }
    next = end == text.end() ? end : end + 1;
  }
  return numbers;
}

std::string joined(std::span<const double> numbers) {
  std::vector<std::string> texts;
  for (double number : numbers)
    texts.push_back(shortestDecimal(number));
  return fmt::format("{}", fmt::join(texts, ","));
}

} // namespace

std::span<const ScheduleInfo> scheduleTable() { return kSchedules; }
std::span<const ScheduleParameterInfo> scheduleParameterTable() {
  return kParameters;
}

const ScheduleInfo &info(ScheduleKind kind) {
  return kSchedules[static_cast<size_t>(kind)];
}

std::string_view name(ScheduleKind kind) { return info(kind).name; }

const ScheduleInfo *findSchedule(std::string_view name) {
  for (const ScheduleInfo &schedule : kSchedules)
    if (schedule.name == name)
      return &schedule;
  return nullptr;
}

double Schedule::at(int64_t appliedSteps) const {
  auto a = static_cast<double>(appliedSteps);
  auto warmup = static_cast<double>(warmupSteps);
  if (a < warmup)
    return lr * (a + 1) / warmup;
  double length = std::max(1.0, static_cast<double>(totalSteps) - warmup);
  return info(kind).rate(*this, a - warmup, length);
}

double Schedule::number(ScheduleParameter parameter) const {
  std::span<const double> given = list(parameter);
  return given.empty() ? info(parameter).fallback : given[0];
}

std::span<const double> Schedule::list(ScheduleParameter parameter) const {
  auto it = parameters.find(parameter);
  return it == parameters.end() ? std::span<const double>() : it->second;
}

Status Schedule::set(const ScheduleParameterInfo &parameter,
                     std::string_view text) {
  std::optional<std::vector<double>> numbers = numbersOf(withoutComments(text));
  std::string expected = parameter.fault(
      numbers ? std::span<const double>(*numbers) : std::span<const double>());
  if (!expected.empty())
    return usageError(
        fmt::format("expected {}, found {}", expected, quote(text)));
  parameters[parameter.parameter] = std::move(*numbers);
  return {};
}

Status Schedule::setFlag(std::string_view flag, std::string_view value) {
  for (const ScheduleParameterInfo &parameter : kParameters)
    if (parameter.flag == flag)
      return set(parameter, value).withContext(parameter.flag);
  auto fault = [&](const char *expected) {
    return usageError(
        fmt::format("{}: expected {}, found {}", flag, expected, quote(value)));
  };
  std::optional<double> number = numberOf(value);
  const ScheduleInfo *schedule = findSchedule(value);
  if (flag == "--lr-schedule") {
    if (!schedule)
      return fault("the name of a schedule");
    kind = schedule->kind;
  } else if (flag == "--lr") {
    if (!number || *number < 0)
      return fault("a number of at least 0");
    lr = *number;
  } else if (flag == "--warmup-steps") {
    if (!number || !isWhole(*number, 0))
      return fault("a whole number of at least 0");
    warmupSteps = static_cast<int64_t>(*number);
  } else {
    return usageError(quote(flag) + " is not a flag of a learning rate");
  }
  return {};
}

Status Schedule::check() const {
  const ScheduleInfo &schedule = info(kind);
  for (const auto &[parameter, numbers] : parameters)
    if (!contains(schedule.takes, parameter))
      return usageError(fmt::format("{} does not apply to --lr-schedule={}",
                                    info(parameter).flag, schedule.name));
  for (ScheduleParameter parameter : schedule.needs)
    if (!parameters.contains(parameter))
      return usageError(fmt::format("--lr-schedule={} needs {}", schedule.name,
                                    info(parameter).flag));
  return {};
}

std::map<std::string, std::string> Schedule::flags() const {
  std::map<std::string, std::string> flags = {
      {"--lr", shortestDecimal(lr)},
      {"--lr-schedule", std::string(name(kind))},
      {"--warmup-steps", std::to_string(warmupSteps)}};
  for (ScheduleParameter parameter : info(kind).takes) {
    const ScheduleParameterInfo &known = info(parameter);
    std::span<const double> given = list(parameter);
    // A fallback that no user may give stands for a computed value.
    if (given.empty() && known.fault({&known.fallback, 1}).empty())
      given = {&known.fallback, 1};
    if (!given.empty())
      flags[known.flag] = joined(given);
  }
  return flags;
}

} // namespace mpc::rt
