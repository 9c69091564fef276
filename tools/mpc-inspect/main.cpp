// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-inspect: shows the contents of a program file.
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Program/Inspection.h"
#include "runtime/Program/ProgramFile.h"
#include "runtime/Support/Output.h"
#include "runtime/Support/Text.h"

#include <fmt/format.h>

#include <cerrno>
#include <sys/stat.h>

using namespace mpc;

namespace {

struct Flags {
  std::string program, cpu, entry, svg, folder;
  int threads = 0;
  bool json = false;
};

void addFlags(CLI::App &app, Flags &flags) {
  using namespace rt::flag_group;
  app.add_option("program", flags.program, "STEP.mpc; - is standard input")
      ->required()
      ->type_name("STEP.mpc")
      ->group(kInput);
  app.add_option("--cpu", flags.cpu,
                 "Which of the file's codes (default: the first)")
      ->type_name("CPU")
      ->group(kInput);
  app.add_option("--entry", flags.entry,
                 "Whose arena --svg draws (default: the largest)")
      ->type_name("NAME")
      ->group(kInput);
  app.add_flag("--json", flags.json, "One JSON object in place of text")
      ->group(kOutput);
  app.add_option("--threads", flags.threads,
                 "How so many threads of a CPU share each launch, in place of "
                 "all else: chunks, bytes, waits, and how much faster than one "
                 "thread they can be by that")
      ->type_name("N")
      ->check(rt::wholeNumber(1))
      ->group(kOutput);
  app.add_option("--svg", flags.svg,
                 "What lives where in the arena, over the launches")
      ->type_name("FILE.svg")
      ->group(kOutput);
  app.add_option("--extract", flags.folder,
                 "Write the code as an object file and the constants to this "
                 "folder")
      ->type_name("DIR")
      ->group(kOutput);
}

rt::Result<const rt::Program *> choose(const rt::ProgramVariants &programs,
                                       const std::string &cpu) {
  std::vector<std::string> known;
  for (const auto &program : programs) {
    std::string name = nameOf(program->target);
    if (cpu.empty() || name == cpu)
      return program.get();
    known.push_back(rt::escape(name));
  }
  return rt::usageError("--cpu=" + rt::quote(cpu) + ": the file has code for " +
                        rt::joinSome(known));
}

rt::Status draw(const rt::Program &program, const Flags &flags) {
  const rt::Entry *chosen = nullptr;
  for (const rt::Entry &entry : program.entries)
    if (flags.entry.empty() ? !chosen || entry.arenaBytes > chosen->arenaBytes
                            : entry.name == flags.entry)
      chosen = &entry;
  if (!chosen)
    return rt::usageError("--entry=" + rt::quote(flags.entry) +
                          ": the program has no such entry");
  return rt::writeOutput(flags.svg, rt::drawArena(*chosen));
}

std::string_view textOf(const rt::SharedBytes &bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// Extracts the code for a GPU: text, and machine code where there is any.
rt::Status extractModules(const rt::CudaTarget &target,
                          const std::string &folder) {
  for (size_t i = 0; i < target.modules.size(); ++i) {
    const rt::DeviceModule &module = target.modules[i];
    std::string path = fmt::format("{}/kernels-{}", folder, i);
    MPC_RETURN_IF_ERROR(rt::writeOutput(path + ".cu", textOf(module.source)));
    if (!module.cubin.empty())
      MPC_RETURN_IF_ERROR(
          rt::writeOutput(path + ".cubin", textOf(module.cubin)));
  }
  return {};
}

/// Names in the program are never used as names of files. Files are numbered by
/// position.
rt::Status extract(const rt::Program &program, const std::string &folder) {
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
    return rt::environmentError(
        rt::escape(folder) +
        ": cannot make the folder: " + rt::errnoMessage(errno));
  MPC_RETURN_IF_ERROR(
      program.cuda()
          ? extractModules(*program.cuda(), folder)
          : rt::writeOutput(folder + "/kernels.o", rt::makeElfObject(program)));
  MPC_RETURN_IF_ERROR(rt::writeOutput(folder + "/program.json",
                                      rt::describeProgramAsJson(program)));
  for (size_t i = 0; i < program.constants.size(); ++i) {
    MPC_RETURN_IF_ERROR(
        rt::writeOutput(fmt::format("{}/constant-{}.bin", folder, i),
                        textOf(program.constants[i].bytes)));
  }
  return {};
}

/// What is written to the standard output.
rt::Result<std::string> describe(const rt::Program &program,
                                 const Flags &flags) {
  if (flags.threads == 0)
    return flags.json ? rt::describeProgramAsJson(program)
                      : rt::describeProgram(program);
  if (!program.cpu())
    return rt::usageError(fmt::format(
        "--threads={}: threads share launches of a CPU, and the code is for {}",
        flags.threads, nameOf(program.target)));
  return flags.json ? rt::describeSharingAsJson(program, flags.threads)
                    : rt::describeSharing(program, flags.threads);
}

rt::Result<int> inspect(const Flags &flags) {
  MPC_ASSIGN_OR_RETURN(rt::ProgramVariants programs,
                       rt::readProgramFile(flags.program));
  MPC_ASSIGN_OR_RETURN(const rt::Program *program, choose(programs, flags.cpu));
  if (!flags.svg.empty())
    MPC_RETURN_IF_ERROR(draw(*program, flags));
  if (!flags.folder.empty())
    MPC_RETURN_IF_ERROR(extract(*program, flags.folder));
  if (!flags.json && flags.threads == 0 &&
      (!flags.svg.empty() || !flags.folder.empty()))
    return 0;
  MPC_ASSIGN_OR_RETURN(std::string text, describe(*program, flags));
  MPC_RETURN_IF_ERROR(rt::writeOutput("-", text));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Flags flags;
  rt::Tool tool;
  tool.name = "mpc-inspect";
  tool.description = "Tells what a program file holds.";
  tool.addFlags = [&](CLI::App &app) { addFlags(app, flags); };
  tool.run = [&] { return inspect(flags); };
  return rt::runTool(tool, argc, argv);
}
