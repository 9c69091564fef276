// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layout of --help.
#include "runtime/CommandLine/HelpFormatter.h"

#include <fmt/format.h>
#include <sstream>

namespace mpc::rt {
namespace {

constexpr size_t kColumn = 32, kWidth = 100;

/// `text` wrapped to the column of descriptions.
std::string wrapped(const std::string &text) {
  std::istringstream words(text);
  std::string word, result;
  size_t column = kColumn;
  while (words >> word) {
    if (column > kColumn && column + 1 + word.size() > kWidth) {
      result += "\n" + std::string(kColumn, ' ');
      column = kColumn;
    } else if (column > kColumn) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

std::string row(const std::string &left, const std::string &description) {
  std::string text = "  " + left;
  if (text.size() + 2 > kColumn)
    text += "\n" + std::string(kColumn, ' ');
  else
    text.resize(kColumn, ' ');
  return text + wrapped(description) + "\n";
}

std::string nameOf(const CLI::Option &option) {
  std::string text;
  for (const std::string &name : option.get_snames())
    text += "-" + name + ", ";
  for (const std::string &name : option.get_lnames())
    text += "--" + name + ", ";
  text.resize(text.size() - std::min<size_t>(text.size(), 2));
  std::string type = option.get_type_name();
  if (type.empty())
    return text;
  return text + (type[0] == '[' ? "" : "=") + type;
}

std::vector<const CLI::Option *> positionals(const CLI::App *app) {
  return app->get_options(
      [](const CLI::Option *option) { return option->get_positional(); });
}

std::string usage(const CLI::App *app, const std::string &name) {
  std::string text = "usage: " + (name.empty() ? app->get_name() : name);
  for (const CLI::Option *option : positionals(app))
    text += " " + option->get_name(/*positional=*/true);
  for (const CLI::App *subcommand : app->get_subcommands({}))
    if (!subcommand->get_name().empty())
      return text + " COMMAND [FLAG...]\n";
  return text + " [FLAG...]\n";
}

std::string group(const CLI::App *app, const std::string &name) {
  std::string text;
  for (const CLI::Option *option :
       app->get_options([&name](const CLI::Option *candidate) {
         return candidate->nonpositional() && candidate->get_group() == name;
       }))
    text += row(nameOf(*option), option->get_description());
  return text.empty() ? "" : "\n" + name + ":\n" + text;
}

} // namespace

std::string HelpFormatter::make_help(const CLI::App *app, std::string name,
                                     CLI::AppFormatMode) const {
  std::string text = usage(app, name);
  if (!app->get_description().empty())
    text += "\n" + app->get_description() + "\n";
  if (!positionals(app).empty())
    text += "\n";
  for (const CLI::Option *option : positionals(app))
    text +=
        row(option->get_name(/*positional=*/true), option->get_description());
  std::string commands;
  for (const CLI::App *subcommand : app->get_subcommands({}))
    if (!subcommand->get_name().empty())
      commands += row(subcommand->get_name(), subcommand->get_description());
  if (!commands.empty())
    text += "\nCommands:\n" + commands;
  std::vector<std::string> groups = {
      flag_group::kInput,     flag_group::kPrecision, flag_group::kLossScaling,
      flag_group::kOptimizer, flag_group::kTarget,    flag_group::kOutput,
      flag_group::kDebugging, flag_group::kMlir};
  for (const std::string &other : app->get_groups())
    if (std::find(groups.begin(), groups.end(), other) == groups.end() &&
        !other.empty())
      groups.push_back(other);
  for (const std::string &title : groups)
    text += group(app, title);
  if (!app->get_footer().empty())
    text += "\n" + app->get_footer() + "\n";
  return text;
}

} // namespace mpc::rt
