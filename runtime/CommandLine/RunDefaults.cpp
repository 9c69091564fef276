// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of a run, from a command line to a program file and back.
#include "runtime/CommandLine/RunDefaults.h"

#include "runtime/Support/Text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace mpc::rt {
namespace {

/// The schedule's parameter; null where the flag is none.
const ScheduleParameterInfo *findParameter(std::string_view flag) {
  for (const ScheduleParameterInfo &info : scheduleParameterTable())
    if (flag == info.flag)
      return &info;
  return nullptr;
}

std::set<std::string, std::less<>> runFlagNames() {
  CLI::App app;
  app.set_help_flag();
  RunFlags flags;
  addRunFlags(app, flags);
  std::set<std::string, std::less<>> names;
  for (const CLI::Option *option : app.get_options())
    names.insert(option->get_name());
  return names;
}

bool takes(const Schedule &schedule, ScheduleParameter parameter) {
  const std::vector<ScheduleParameter> &known = info(schedule.kind).takes;
  return std::find(known.begin(), known.end(), parameter) != known.end();
}

/// Whether the command line has the flag, or one that excludes it.
bool isDecided(const CLI::Option &option) {
  std::set<CLI::Option *> others = option.get_excludes();
  return option.count() > 0 || std::any_of(others.begin(), others.end(),
                                           [](const CLI::Option *other) {
                                             return other->count() > 0;
                                           });
}

Status give(CLI::Option &option, const std::string &text) {
  try {
    option.add_result(text);
    option.run_callback();
    return {};
  } catch (const CLI::Error &error) {
    return invalidInput(error.what());
  }
}

/// Applies a parameter, unless the schedule is another than the file's and does
/// not have it.
Status giveParameter(const ScheduleParameterInfo &parameter,
                     const std::string &text, Schedule &schedule) {
  if (!takes(schedule, parameter.parameter))
    return {};
  Status status = schedule.set(parameter, text);
  return status.ok() ? Status()
                     : invalidInput(parameter.flag + (": " + status.message()));
}

} // namespace

void addRunFlags(CLI::App &app, RunFlags &flags) {
  addLengthFlags(app, flags.data);
  addOrderFlags(app, flags.data.data);
  addScheduleFlags(app, flags.schedule);
  addReplayFlag(app, flags.replays);
}

Result<RunDefaults> givenRunFlags(const CLI::App &app, const RunFlags &flags) {
  MPC_RETURN_IF_ERROR(flags.schedule.check());
  // The flags with numbers, where the command line names a file of numbers.
  std::map<std::string, std::string> schedule = flags.schedule.flags();
  const std::set<std::string, std::less<>> known = runFlagNames();
  RunDefaults given;
  for (const CLI::Option *option : app.get_options()) {
    std::string name = option->get_name();
    if (option->count() == 0 || !known.contains(name))
      continue;
    given[name] = findParameter(name)
                      ? schedule[name]
                      : fmt::format("{}", fmt::join(option->results(), ","));
  }
  return given;
}

Status applyRunDefaults(const RunDefaults &defaults, CLI::App &app,
                        Schedule &schedule) {
  const std::set<std::string, std::less<>> known = runFlagNames();
  // The schedule decides which parameters are valid, so that parameters come
  // last.
  for (bool areParameters : {false, true})
    for (const auto &[flag, text] : defaults) {
      if (!known.contains(flag))
        return invalidInput(
            fmt::format("{} is not a flag of a run", quote(flag)));
      const ScheduleParameterInfo *parameter = findParameter(flag);
      CLI::Option *option = app.get_option(flag);
      if ((parameter != nullptr) != areParameters || isDecided(*option))
        continue;
      MPC_RETURN_IF_ERROR(parameter ? giveParameter(*parameter, text, schedule)
                                    : give(*option, text));
    }
  return {};
}

} // namespace mpc::rt
