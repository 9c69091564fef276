// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Observes the runs of a tool where a flag asks for that.
#include "runtime/CommandLine/ProfileFlags.h"

#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Train/Progress.h"

namespace mpc::rt {

void addProfileFlags(CLI::App &app, ProfileFlags &flags) {
  app.add_flag("--profile{" + std::string(ProfilerOptions::kTableOnly) + "}",
               flags.profile,
               "At the end a table of where the time went: each launch with "
               "its nodes, bytes, GFLOP/s and GB/s, and its share of the peaks "
               "that the run measures at its start; with FILE also as JSON")
      ->type_name("[=FILE]")
      ->group(flag_group::kDebugging);
  app.add_option("--timeline", flags.timeline,
                 "When each launch ran, and on which threads, as a trace for "
                 "ui.perfetto.dev or chrome://tracing")
      ->type_name("FILE.json")
      ->group(flag_group::kDebugging)
      ->check(nonEmptyPath());
}

Result<int> runProfiled(const ProfileFlags &flags, const Program &program,
                        RunnerOptions &options,
                        const std::function<Result<int>()> &body) {
  ProfilerOptions asked{flags.profile, flags.timeline, options.threads,
                        program.cuda() != nullptr};
  if (!asked.isAsked())
    return body();
  MPC_ASSIGN_OR_RETURN(auto profiler, Profiler::create(std::move(asked)));
  options.observer = &profiler->observer();
  Result<int> result = body();
  options.observer = nullptr;
  Status finished = profiler->finish(Terminal::standardError().write);
  if (!result.ok() || finished.ok())
    return result;
  return finished;
}

} // namespace mpc::rt
