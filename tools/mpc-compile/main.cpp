// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpc-compile: compiles a model's training step, or its evaluation, to a file
// for mpc-run.
#include "lib/Driver/CudaCode.h"
#include "lib/Driver/Flags/CompileFlags.h"
#include "lib/Driver/Flags/RecipeTables.h"
#include "lib/Driver/LinkableProgram.h"
#include "runtime/CommandLine/HelpFormatter.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/CommandLine/Validators.h"
#include "runtime/Program/ProgramFile.h"
#include "runtime/Support/Output.h"

using namespace mpc;

namespace {

struct Flags {
  CompileFlags compile;
  std::string output, header;
  /// The kind of text or code that is written in place of a program.
  std::string emits;
};

/// Adds a flag that prints the result of `describe` and does not compile.
void addListFlag(CLI::App &app, const std::string &flag,
                 std::string (*describe)(), const std::string &help) {
  app.add_flag_callback(
         flag, [describe] { throw CLI::CallForVersion(describe(), 0); }, help)
      ->group(rt::flag_group::kOutput);
}

void addFlags(CLI::App &app, Flags &flags) {
  using namespace rt::flag_group;
  app.add_option("model", flags.compile.request.modelPath,
                 "MODEL.onnx, MODEL.pt2 or FILE.mlir")
      ->required()
      ->type_name("MODEL")
      ->group(kInput);
  addCompileFlags(app, flags.compile);
  app.add_option("--emit", flags.emits,
                 "Write in place of a program the code of the first GPU, as "
                 "CUDA C++, PTX or machine code that NVRTC makes of it, an "
                 "object file that holds the program as NAME_program, for "
                 "a linker, or what its first code is made of: MLIR, or a "
                 "CPU's LLVM IR")
      ->type_name("cuda|ptx|cubin|obj|mlir|llvm")
      ->group(kOutput)
      ->check(rt::oneOf({"cuda", "ptx", "cubin", "obj", "mlir", "llvm"}));
  app.add_option(
         "--header", flags.header,
         "With --emit=obj: a C header that declares it, with a function "
         "for each input and output")
      ->type_name("FILE.h")
      ->group(kOutput);
  app.add_option("-o,--output", flags.output,
                 "The program; - is standard output")
      ->required()
      ->type_name("STEP.mpc")
      ->group(kOutput);
  addListFlag(app, "--list-losses", describeLosses,
              "Print what --loss knows, with targets and flags, and no more");
  addListFlag(app, "--list-optimizers", describeOptimizers,
              "Print what --optimizer knows, with its arguments, and no more");
}

bool emitsCuda(const Flags &flags) {
  return flags.emits == "cuda" || flags.emits == "ptx" ||
         flags.emits == "cubin";
}

/// The code of the first program for a GPU.
rt::Result<std::string> cudaCode(const Flags &flags,
                                 const rt::ProgramVariants &programs) {
  using Kind = rt::cuda::Target::Kind;
  for (const auto &program : programs)
    if (program->cuda())
      return flags.emits == "cuda"
                 ? wholeText(*program)
                 : compileWhole(*program,
                                flags.emits == "ptx" ? Kind::Ptx : Kind::Cubin);
  return rt::usageError("--emit=" + flags.emits +
                        ": no target is a GPU; add --target=cuda:sm_80");
}

rt::Status checkOutputs(const Flags &flags) {
  MPC_RETURN_IF_ERROR(rt::checkOutput(flags.output));
  if (flags.emits == "obj")
    MPC_RETURN_IF_ERROR(identifierOf(flags.output).status());
  if (flags.header.empty())
    return {};
  if (flags.emits != "obj")
    return rt::usageError("--header needs --emit=obj");
  return rt::checkOutput(flags.header);
}

/// The program as an object file. Writes its header where a flag asks for it.
rt::Result<std::string> objectOf(const Flags &flags,
                                 const rt::ProgramVariants &programs) {
  MPC_ASSIGN_OR_RETURN(std::string name, identifierOf(flags.output));
  MPC_ASSIGN_OR_RETURN(std::string file, rt::encodeProgramFile(programs));
  if (!flags.header.empty())
    MPC_RETURN_IF_ERROR(
        rt::writeOutput(flags.header, makeHeader(name, *programs.front())));
  return makeObject(name, file);
}

/// The content of the output in place of a program file.
rt::Result<std::string> contentOf(const Flags &flags,
                                  const rt::ProgramVariants &programs) {
  if (emitsCuda(flags))
    return cudaCode(flags, programs);
  return objectOf(flags, programs);
}

rt::Result<int> compile(Flags &flags) {
  MPC_RETURN_IF_ERROR(checkOutputs(flags));
  if (!flags.emits.empty() && flags.emits != "obj")
    MPC_RETURN_IF_ERROR(checkOneShape(flags.compile, "--emit=" + flags.emits));
  CompileRequest &request = flags.compile.request;
  if (flags.emits == "mlir")
    request.listing = CodeListing::MLIR;
  if (flags.emits == "llvm")
    request.listing = CodeListing::LLVM;
  // NVRTC compiles the whole text as one where a flag asks for GPU code.
  request.target.machineCode = !emitsCuda(flags);
  CompileReport report;
  auto programs = compilePrograms(flags.compile, report);
  for (const std::string &warning : report.warnings)
    rt::reportWarning("mpc-compile", warning);
  MPC_RETURN_IF_ERROR(programs.status());
  if (flags.emits.empty()) {
    MPC_RETURN_IF_ERROR(rt::writeProgramFile(flags.output, *programs));
    return 0;
  }
  MPC_ASSIGN_OR_RETURN(std::string content,
                       request.listing != CodeListing::None
                           ? rt::Result<std::string>(report.listing)
                           : contentOf(flags, *programs));
  MPC_RETURN_IF_ERROR(rt::writeOutput(flags.output, content));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Flags flags;
  rt::Tool tool;
  tool.name = "mpc-compile";
  tool.description = "Compiles a model's whole training step, or its "
                     "evaluation, to a program for\nmpc-run. Numbers of a run "
                     "that are given here are the program's defaults.";
  tool.addFlags = [&](CLI::App &app) { addFlags(app, flags); };
  tool.run = [&] { return compile(flags); };
  return rt::runTool(tool, argc, argv);
}
