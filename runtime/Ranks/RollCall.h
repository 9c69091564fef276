// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where the ranks of a training are, for the case that one does not answer.
#ifndef MPC_RUNTIME_RANKS_ROLLCALL_H
#define MPC_RUNTIME_RANKS_ROLLCALL_H

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// What a rank does.
enum class RankPlace : uint32_t {
  Starting,
  Reading,
  Computing,
  Exchanging,
  Evaluating,
  Saving,
};

/// Where a rank is, and for how long. It travels as it lies in memory.
struct RankReport {
  int64_t step = 0;
  double seconds = 0;
  RankPlace place = RankPlace::Starting;
  uint32_t isQuestion = 0; ///< 1 in a note that asks for a report.

  /// "at step 812, reading data, for 58.1 s"
  [[nodiscard]] std::string describe() const;
};

/// How long a rank waits for others.
struct RankPatience {
  /// For one that says nothing.
  std::chrono::duration<double> silence{60};
  /// For one that says that it does something else.
  std::chrono::duration<double> others{600};
};

/// The reports of the ranks for which one rank waits.
class RollCall {
public:
  struct Answer {
    uint32_t rank = 0;
    bool hasAnswered = false;
    RankReport report = {};
  };

  explicit RollCall(RankPatience patience) : patience_(patience) {}

  /// Whether the ranks are to be asked, after so long a wait.
  [[nodiscard]] bool isDue(std::chrono::duration<double> waited) const {
    return waited >= patience_.silence / 2;
  }
  /// Whether the wait is over: a rank is silent, or all patience is spent.
  [[nodiscard]] bool isOver(std::chrono::duration<double> waited,
                            const std::vector<Answer> &answers) const;

private:
  RankPatience patience_;
};

/// "waited 60.0 s; rank 2 does not answer; rank 3 is at step 812, ..."
[[nodiscard]] std::string
describeWait(std::chrono::duration<double> waited,
             const std::vector<RollCall::Answer> &answers);

} // namespace mpc::rt

#endif // MPC_RUNTIME_RANKS_ROLLCALL_H
