// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What two runs that trained alike have in common to the bit.
#ifndef MPC_TEST_RUNTIME_TRAININGRESULT_H
#define MPC_TEST_RUNTIME_TRAININGRESULT_H

#include "test/runtime/TempFolder.h"

#include <string>

namespace mpc::rt {

/// The last column is the time of a step.
inline std::string rowsWithoutTimes(const std::string &csv) {
  std::string text;
  std::string rows = readText(csv);
  for (size_t at = 0; at < rows.size();) {
    size_t end = rows.find('\n', at);
    text += rows.substr(at, rows.rfind(',', end) - at) + "\n";
    at = end + 1;
  }
  return text;
}

/// Everything a checkpoint and the metrics hold, but not the times.
inline std::string resultOf(const std::string &checkpoint,
                            const std::string &csv) {
  return readText(checkpoint) + rowsWithoutTimes(csv);
}

} // namespace mpc::rt

#endif // MPC_TEST_RUNTIME_TRAININGRESULT_H
