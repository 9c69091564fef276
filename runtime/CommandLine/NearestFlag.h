// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a flag that nobody knows was meant to be.
#ifndef MPC_RUNTIME_COMMANDLINE_NEARESTFLAG_H
#define MPC_RUNTIME_COMMANDLINE_NEARESTFLAG_H

#include <string>
#include <string_view>
#include <vector>

namespace mpc::rt {

/// Of `known` ("--warmup-steps") the flag that `word`, as it stands on a
/// command line ("--warmup_step=3"), differs least from, by letters that are
/// missing, too many, others or exchanged, or whose first words it is. The
/// first of several; empty where all differ in more than a third of the word's
/// letters, or it is no flag.
[[nodiscard]] std::string nearestFlag(std::string_view word,
                                      const std::vector<std::string> &known);

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_NEARESTFLAG_H
