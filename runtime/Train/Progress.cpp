// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides when progress is shown, and how.
#include "runtime/Train/Progress.h"

#include "runtime/Support/File.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace mpc::rt {
namespace {

constexpr double kRewriteSeconds = 0.1;
constexpr double kLineSeconds = 10;
/// The number of lines in a pipe, for a run with less than ten seconds between
/// lines.
constexpr int64_t kLines = 10;
constexpr int kBarWidth = 24;

bool isSet(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value;
}

} // namespace

Terminal Terminal::standardError() {
  const char *type = std::getenv("TERM");
  Terminal terminal;
  terminal.rewrites =
      ::isatty(STDERR_FILENO) && type && std::string_view(type) != "dumb";
  terminal.colours = terminal.rewrites && !isSet("NO_COLOR");
  terminal.write = [](std::string_view text) {
    // If this fails, the failure cannot be reported.
    (void)!writeAll(Io::system(), STDERR_FILENO, text.data(), text.size());
  };
  return terminal;
}

std::string formatDuration(double seconds) {
  if (!std::isfinite(seconds))
    return "?";
  auto s = static_cast<int64_t>(std::min(std::max(seconds, 0.0) + 0.5, 1e15));
  if (s >= 86400)
    return fmt::format("{}d {}h", s / 86400, s % 86400 / 3600);
  if (s >= 3600)
    return fmt::format("{}:{:02}:{:02}", s / 3600, s % 3600 / 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

Progress::Progress(Terminal terminal, int64_t firstStep, int64_t totalSteps,
                   int64_t samplesPerStep)
    : terminal_(std::move(terminal)), firstStep_(firstStep),
      totalSteps_(totalSteps), samplesPerStep_(samplesPerStep) {
  state_.step = firstStep;
}

std::string Progress::describe(double seconds) const {
  auto done = static_cast<double>(state_.step - firstStep_);
  double rate = seconds > 0 ? done / seconds : 0;
  auto left = static_cast<double>(totalSteps_ - state_.step);
  std::string text = fmt::format("step {}/{}  loss {:.4g}", state_.step,
                                 totalSteps_, state_.loss);
  if (!state_.evaluation.empty())
    text += "  " + state_.evaluation;
  text += fmt::format("  scale {:g}", state_.scale);
  if (state_.skipped) {
    bool colour = terminal_.colours;
    text += fmt::format("  {}skipped {}{}", colour ? "\x1b[33m" : "",
                        state_.skipped, colour ? "\x1b[0m" : "");
  }
  text += fmt::format("  {:.4g} samples/s",
                      rate * static_cast<double>(samplesPerStep_));
  if (state_.step >= totalSteps_)
    return text + "  in " + formatDuration(seconds);
  return text + "  " + formatDuration(left / rate) + " left";
}

std::string Progress::bar() const {
  double fraction = totalSteps_ > 0 ? static_cast<double>(state_.step) /
                                          static_cast<double>(totalSteps_)
                                    : 1;
  auto filled = static_cast<size_t>(std::clamp(fraction, 0.0, 1.0) * kBarWidth);
  std::string text(filled, '=');
  text.resize(kBarWidth, ' ');
  return terminal_.colours ? "[\x1b[32m" + text + "\x1b[0m] "
                           : "[" + text + "] ";
}

void Progress::show(double seconds) {
  if (terminal_.rewrites)
    terminal_.write("\r\x1b[K" + bar() + describe(seconds));
  else
    terminal_.write(describe(seconds) + "\n");
  lineOpen_ = terminal_.rewrites;
  shownStep_ = state_.step;
  shownAt_ = seconds;
}

void Progress::update(const ProgressState &state, double seconds) {
  state_ = state;
  bool first = shownStep_ < 0;
  double waited = seconds - shownAt_;
  bool due = waited >= kRewriteSeconds;
  if (!terminal_.rewrites) {
    int64_t every = std::max<int64_t>(1, totalSteps_ / kLines);
    due = waited >= kLineSeconds || state.step % every == 0;
  }
  if (first || due || state.isEvaluated)
    show(seconds);
}

void Progress::message(std::string_view text) {
  if (lineOpen_)
    terminal_.write("\r\x1b[K");
  lineOpen_ = false;
  terminal_.write(std::string(text) + "\n");
}

void Progress::finish(double seconds) {
  if (state_.step != firstStep_ &&
      (shownStep_ != state_.step || terminal_.rewrites))
    show(seconds);
  if (lineOpen_)
    terminal_.write("\n");
  lineOpen_ = false;
}

} // namespace mpc::rt
