// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The values that flags accept; the error names the flag and the value.
#ifndef MPC_RUNTIME_COMMANDLINE_VALIDATORS_H
#define MPC_RUNTIME_COMMANDLINE_VALIDATORS_H

#include <CLI/CLI.hpp>

namespace mpc::rt {

/// A whole number of at least `lowest`.
[[nodiscard]] CLI::Validator wholeNumber(int64_t lowest);
/// A finite number above 0.
[[nodiscard]] CLI::Validator positiveNumber();
/// A finite number of at least 0.
[[nodiscard]] CLI::Validator nonNegativeNumber();
/// A finite number in [0, 1), such as a decay rate.
[[nodiscard]] CLI::Validator unitNumber();
/// A finite number in [0, 1], such as a share of a whole.
[[nodiscard]] CLI::Validator shareNumber();
/// A path, which is not empty.
[[nodiscard]] CLI::Validator nonEmptyPath();
/// One of `words`.
[[nodiscard]] CLI::Validator oneOf(std::vector<std::string> words);

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_VALIDATORS_H
