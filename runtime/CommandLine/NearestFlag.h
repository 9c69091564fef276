// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds the flag that an unknown flag was probably meant to be.
#ifndef MPC_RUNTIME_COMMANDLINE_NEARESTFLAG_H
#define MPC_RUNTIME_COMMANDLINE_NEARESTFLAG_H

#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// The flag of `known` ("--warmup-steps") that is closest to `word` as it
/// stands on a command line ("--warmup_step=3"). Letters may be missing, added,
/// replaced or exchanged, or the last words may be missing. Of equally close
/// ones it is the first. Empty where all differ in more than a third of the
/// word's letters, or where the word is no flag.
[[nodiscard]] std::string nearestFlag(std::string_view word,
                                      const std::vector<std::string> &known);

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_NEARESTFLAG_H
