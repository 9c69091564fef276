// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-scale as a program: exit codes, stdin, messages and files.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace mpc {
namespace {

struct Ran {
  int code;
  std::string output; ///< stdout and stderr.
};

Ran run(const std::string &arguments, const char *redirect = "2>&1") {
  const std::string command = MPC_SCALE " " + arguments + " " + redirect;
  std::FILE *pipe = ::popen(command.c_str(), "r");
  Ran ran{-1, {}};
  std::array<char, 4096> buffer;
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
    ran.output.append(buffer.data(), got);
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

std::string trace(const char *name) {
  return std::string(MPC_TEST_INPUTS "/loss_scale/traces/") + name + ".json";
}

std::string tempPath(const char *name) {
  return (std::filesystem::temp_directory_path() /
          ("mpc-scale-" + std::to_string(::getpid()) + "-" + name))
      .string();
}

TEST(MpcScale, ReplaysATraceFromAFileAndFromStdin) {
  const Ran fromFile = run("replay " + trace("torch_interval_3"));
  EXPECT_EQ(fromFile.code, 0) << fromFile.output;
  const Ran fromStdin = run("replay - <" + trace("torch_interval_3"));
  EXPECT_EQ(fromStdin.code, 0);
  EXPECT_EQ(fromFile.output, fromStdin.output);
  std::istringstream lines(fromFile.output);
  std::string line;
  while (std::getline(lines, line))
    EXPECT_TRUE(nlohmann::json::parse(line).contains("scale")) << line;
}

TEST(MpcScale, TakesSettingsFromFlags) {
  const Ran ran = run("replay " + trace("torch_interval_3") +
                      " --policy=keras3 --init-scale=8 --growth-interval=1");
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.output.find("\"scale\": 16.0"), std::string::npos);
}

TEST(MpcScale, DrawsTheCurve) {
  const std::string path = tempPath("curve.svg");
  const Ran ran = run("replay " + trace("flax_random_p20") + " --plot=" + path);
  EXPECT_EQ(ran.code, 0) << ran.output;
  std::ifstream file(path);
  std::ostringstream svg;
  svg << file.rdbuf();
  EXPECT_TRUE(svg.str().starts_with("<svg"));
  EXPECT_NE(svg.str().find("loss scale, flax"), std::string::npos);
  std::filesystem::remove(path);
}

TEST(MpcScale, NamesTheFileAndTheEntryAtFault) {
  const std::string path = tempPath("bad.json");
  std::ofstream(path) << R"({"policy": "torch", "steps": [
    {"action": "step", "found_inf": true}, {"action": "jump"}]})";
  const Ran ran = run("replay " + path);
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.output.starts_with("mpc-scale: error: " + path +
                                     ": steps[1]: unknown action \"jump\""))
      << ran.output;
  std::filesystem::remove(path);
}

TEST(MpcScale, ExitsWithOneForABadInput) {
  const Ran missing = run("replay /nonexistent.json");
  EXPECT_EQ(missing.code, 1);
  EXPECT_EQ(missing.output, "mpc-scale: error: /nonexistent.json: cannot "
                            "read: No such file or directory\n");
  EXPECT_EQ(run("replay " + std::string(MPC_TEST_INPUTS)).code, 1);
  EXPECT_EQ(run("replay - </dev/null").code, 1);
}

TEST(MpcScale, ExitsWithTwoForABadFlag) {
  EXPECT_EQ(run("").code, 2);
  EXPECT_EQ(run("replay").code, 2);
  EXPECT_EQ(run("dance").code, 2);
  const std::string file = "replay " + trace("torch_interval_3");
  EXPECT_EQ(run(file + " --colour=1").code, 2);
  const Ran number = run(file + " --init-scale=many");
  EXPECT_EQ(number.code, 2);
  EXPECT_EQ(number.output, "mpc-scale: error: --init-scale: expected a "
                           "number, found 'many'\n");
  const Ran policy = run(file + " --policy=best");
  EXPECT_EQ(policy.code, 2);
  EXPECT_TRUE(policy.output.starts_with(
      "mpc-scale: error: --policy: unknown policy 'best'; known are dynamic"));
  EXPECT_EQ(run(file + " --policy=fixed").code, 2);
}

TEST(MpcScale, ExitsWithThreeWhereItCannotWrite) {
  const std::string file = "replay " + trace("torch_interval_3");
  EXPECT_EQ(run(file + " --plot=/nonexistent/a.svg >/dev/null").code, 3);
  if (std::filesystem::exists("/dev/full")) {
    const Ran full = run(file, "2>&1 >/dev/full");
    EXPECT_EQ(full.code, 3);
    EXPECT_EQ(run(file, ">/dev/full 2>&1").code, 3);
    EXPECT_EQ(full.output, "mpc-scale: error: standard output: cannot write: "
                           "No space left on device\n");
  }
}

TEST(MpcScale, HelpNamesThePoliciesByGroup) {
  const Ran help = run("replay --help");
  EXPECT_EQ(help.code, 0);
  for (const char *word : {"Input", "Loss scaling", "Output", "lognormal"})
    EXPECT_NE(help.output.find(word), std::string::npos) << word;
}

} // namespace
} // namespace mpc
