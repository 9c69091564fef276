// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-eval for each line of standard input, without loading LLVM each time.
//
// A line is the file for what mpc-eval says, and its arguments, separated by
// tabs. The answer is a line with its exit status, or minus the signal that
// ended it. Each runs in a fork, so that it can neither harm nor know the next.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

/// main of tools/mpc-eval, which is compiled into this program.
int evalMain(int argc, char **argv);

static std::vector<std::string> split(const std::string &line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');)
    fields.push_back(field);
  return fields;
}

/// In the child; does not return.
[[noreturn]] static void evaluate(std::vector<std::string> fields) {
  // A case that never ends is a crash.
  constexpr unsigned kSeconds = 120;
  alarm(kSeconds);
  if (fields.empty() || !std::freopen(fields[0].c_str(), "w", stderr))
    std::_Exit(70);
  std::vector<char *> arguments{const_cast<char *>("mpc-eval")};
  for (size_t i = 1; i < fields.size(); ++i)
    arguments.push_back(fields[i].data());
  int size = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  int status = evalMain(size, arguments.data());
  std::fflush(nullptr);
  std::_Exit(status);
}

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    pid_t child = fork();
    if (child == 0)
      evaluate(split(line));
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
      return 3;
    std::cout << (WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status))
              << std::endl;
  }
  return 0;
}
