// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsing, reporting and exit codes of tools.
#include "runtime/CommandLine/Tool.h"

#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/NearestFlag.h"
#include "runtime/Support/File.h"
#include "runtime/Support/Output.h"

#include <csignal>
#include <new>
#include <unistd.h>

namespace mpc::rt {
namespace {

constexpr const char *kVersion = "0.1.0";

void writeTo(int fd, const std::string &text) {
  // If standard error is closed, the failure cannot be reported.
  (void)!writeAll(Io::system(), fd, text.data(), text.size());
}

/// Lists the flags of a tool, and of the given subcommand.
void listFlags(const CLI::App &app, std::vector<std::string> &flags) {
  for (const CLI::Option *option : app.get_options())
    // Flags without a group exist to be refused with a reason.
    if (!option->get_lnames().empty() && !option->get_group().empty())
      flags.push_back("--" + option->get_lnames().front());
  for (const CLI::App *command : app.get_subcommands())
    listFlags(*command, flags);
}

/// The flags probably meant by the words that `app` does not know.
std::string proposal(const CLI::App &app) {
  std::vector<std::string> known;
  listFlags(app, known);
  for (const std::string &word : app.remaining(/*recurse=*/true))
    if (std::string flag = nearestFlag(word, known); !flag.empty())
      return "; did you mean " + flag + "?";
  return "";
}

Result<int> parseAndRun(const Tool &tool, int argc, const char *const *argv) {
  CLI::App app;
  MPC_ASSIGN_OR_RETURN(std::string text, readFlags(tool, app, argc, argv));
  if (text.empty())
    return tool.run();
  MPC_RETURN_IF_ERROR(writeOutput("-", text));
  return 0;
}

} // namespace

Result<std::string> readFlags(const Tool &tool, CLI::App &app, int argc,
                              const char *const *argv) {
  app.name(tool.name)->description(tool.description);
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Print this text")
      ->group(flag_group::kDebugging);
  app.set_version_flag("--version", tool.name + " " + kVersion)
      ->group(flag_group::kDebugging)
      ->description("Print the version");
  tool.addFlags(app);
  return parseFlags(app, argc, argv);
}

Result<std::string> parseFlags(CLI::App &app, int argc,
                               const char *const *argv) {
  try {
    app.parse(argc, argv);
    return std::string();
  } catch (const CLI::CallForHelp &) {
    return app.help();
  } catch (const CLI::CallForVersion &version) {
    return std::string(version.what()) + "\n";
  } catch (const CLI::ExtrasError &error) {
    return usageError(error.what() + proposal(app) +
                      " (--help lists the flags)");
  } catch (const CLI::Error &error) {
    return usageError(std::string(error.what()) + " (--help lists the flags)");
  }
}

int runTool(const Tool &tool, int argc, const char *const *argv) {
  return runReporting(tool.name, [&] { return parseAndRun(tool, argc, argv); });
}

int runReporting(const std::string &tool,
                 const std::function<Result<int>()> &run) {
  // A closed pipe is then an error of the write.
  (void)std::signal(SIGPIPE, SIG_IGN);
  try {
    Result<int> result = run();
    return result.ok() ? *result : reportError(tool, result.status());
  } catch (const std::bad_alloc &) {
    return reportError(tool, environmentError("out of memory"));
  } catch (const std::exception &error) {
    return reportError(
        tool, internalError(std::string("a bug in mpc: ") + error.what()));
  }
}

int reportError(const std::string &tool, const Status &status) {
  writeTo(STDERR_FILENO, tool + ": error: " + status.message() + "\n");
  return static_cast<int>(status.code());
}

void reportWarning(const std::string &tool, const std::string &message) {
  writeTo(STDERR_FILENO, tool + ": warning: " + message + "\n");
}

} // namespace mpc::rt
