// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The text of --help, with flags in groups in a fixed order.
#ifndef MPC_RUNTIME_COMMANDLINE_HELPFORMATTER_H
#define MPC_RUNTIME_COMMANDLINE_HELPFORMATTER_H

#include <CLI/CLI.hpp>

#include <string>

namespace mpc::rt {

/// Names of the groups, for CLI::Option::group().
namespace flag_group {
inline constexpr const char *kInput = "Input";
inline constexpr const char *kPrecision = "Precision";
inline constexpr const char *kLossScaling = "Loss scaling";
inline constexpr const char *kOptimizer = "Optimizer";
inline constexpr const char *kTarget = "Target";
inline constexpr const char *kOutput = "Output";
inline constexpr const char *kDebugging = "Debugging";
inline constexpr const char *kMlir = "MLIR";
} // namespace flag_group

/// An option is shown as --name=TYPE with its type_name(). A type_name() that
/// begins with "[" is appended as it is, for a value that may be left out.
class HelpFormatter : public CLI::FormatterBase {
public:
  std::string make_help(const CLI::App *app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

} // namespace mpc::rt

#endif // MPC_RUNTIME_COMMANDLINE_HELPFORMATTER_H
