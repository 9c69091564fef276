// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Shows a running training to a person: a bar on a terminal, lines in a pipe.
#ifndef MPC_RUNTIME_TRAIN_PROGRESS_H
#define MPC_RUNTIME_TRAIN_PROGRESS_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mpc::rt {

/// The destination of text, and its abilities.
struct Terminal {
  std::function<void(std::string_view)> write;
  bool rewrites = false; ///< Whether a line can be overwritten.
  bool colours = false;

  /// Standard error. It has colours only on a terminal and without NO_COLOR.
  static Terminal standardError();
};

struct ProgressState {
  int64_t step = 0; ///< The number of steps done, of `totalSteps`.
  double loss = 0;
  double scale = 1;
  int64_t skipped = 0;
  /// The result of the newest evaluation; or empty.
  std::string evaluation = {};
  bool isEvaluated = false; ///< Whether that evaluation was after this step.
};

class Progress {
public:
  /// `firstStep` steps were done before this run. Each step has
  /// `samplesPerStep` samples.
  Progress(Terminal terminal, int64_t firstStep, int64_t totalSteps,
           int64_t samplesPerStep);

  /// Shows the state if it is time to; `seconds` is the time since the start.
  void update(const ProgressState &state, double seconds);
  /// Prints a line of its own: a note or a warning.
  void message(std::string_view text);
  /// Shows the last state and ends the line.
  void finish(double seconds);

private:
  [[nodiscard]] std::string describe(double seconds) const;
  [[nodiscard]] std::string bar() const;
  void show(double seconds);

  Terminal terminal_;
  int64_t firstStep_;
  int64_t totalSteps_;
  int64_t samplesPerStep_;
  ProgressState state_;
  int64_t shownStep_ = -1;
  double shownAt_ = 0;
  bool lineOpen_ = false;
};

/// "0:42", "1:03:07", "2d 4h".
[[nodiscard]] std::string formatDuration(double seconds);

} // namespace mpc::rt

#endif // MPC_RUNTIME_TRAIN_PROGRESS_H
