// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compilation over C: takes the flags of mpc-compile, and gives programs that
// libmpc-runtime loads.
#include "lib/CAPI/Model.h"
#include "lib/Driver/Flags/CompileFlags.h"
#include "runtime/CommandLine/Tool.h"
#include "runtime/Support/Output.h"

using namespace mpc;
using namespace mpc::capi;
using rt::needs;

namespace {

/// The flags of one call, parsed for a compilation.
class Request {
public:
  Request() : app_("", "mpc_compile") {
    app_.set_help_flag();
    addCompileFlags(app_, flags_);
    flags_.levels = {"host"};
    flags_.request.target.isTool = false;
  }

  rt::Status read(const char *const *flags, size_t numFlags) {
    std::vector<const char *> arguments = {"mpc_compile"};
    if (numFlags > 0)
      MPC_RETURN_IF_ERROR(needs("flags", static_cast<const void *>(flags)));
    for (size_t i = 0; i < numFlags; ++i) {
      MPC_RETURN_IF_ERROR(needs("a flag", flags[i]));
      arguments.push_back(flags[i]);
    }
    return rt::parseFlags(app_, static_cast<int>(arguments.size()),
                          arguments.data())
        .status();
  }

  rt::Status setModel(Model &model) {
    flags_.request.modelPath = model.path();
    MPC_ASSIGN_OR_RETURN(flags_.request.modelBytes, model.bytes());
    return {};
  }

  CompileFlags &flags() { return flags_; }
  const CLI::App &app() const { return app_; }

private:
  CLI::App app_;
  CompileFlags flags_;
};

/// The description of a flag for a caller.
struct FlagText {
  std::string name, type, help, group;
};

/// All flags. They are those that the parser registers, so that no other table
/// can differ.
const std::vector<FlagText> &allFlagTexts() {
  static const std::vector<FlagText> texts = [] {
    std::vector<FlagText> all;
    Request request;
    for (const CLI::Option *option : request.app().get_options())
      all.push_back(
          {option->get_name(),
           option->get_expected_max() > 0 ? option->get_type_name() : "",
           option->get_description(), option->get_group()});
    return all;
  }();
  return texts;
}

rt::Status takeRequest(Model &model, const char *const *flags, size_t numFlags,
                       Request &request) {
  MPC_RETURN_IF_ERROR(request.read(flags, numFlags));
  return request.setModel(model);
}

/// The given flags that have no effect here: mpc-run reads them from a file,
/// and a caller of steps must do itself what they say.
rt::Result<std::vector<std::string>> unusedOf(const CompileFlags &flags) {
  MPC_ASSIGN_OR_RETURN(rt::RunDefaults defaults, runDefaults(flags));
  std::vector<std::string> warnings;
  for (const auto &[flag, word] : defaults)
    if (flag != "--lr")
      warnings.push_back(flag +
                         ": applies where mpc-run runs a program's file; a "
                         "caller of the step decides that itself");
  return warnings;
}

enum class Destination { Process, File };

/// Compiles the model to the bytes of a program file.
rt::Result<std::string> compileModel(Model &model, const char *const *flags,
                                     size_t numFlags,
                                     const MpcCompileOptions *given,
                                     Destination destination) {
  MpcCompileOptions options = {};
  MPC_RETURN_IF_ERROR(rt::takeOptions(given, options));
  Request request;
  MPC_RETURN_IF_ERROR(takeRequest(model, flags, numFlags, request));
  CompileReport report;
  if (destination == Destination::Process) {
    MPC_ASSIGN_OR_RETURN(report.warnings, unusedOf(request.flags()));
  }
  auto programs = compilePrograms(request.flags(), report);
  for (const std::string &warning : report.warnings)
    if (options.log)
      options.log(options.logContext, MPC_LOG_WARNING, warning.c_str());
  MPC_RETURN_IF_ERROR(programs.status());
  return rt::encodeProgramFile(*programs);
}

} // namespace

MpcError *mpcCompileCountFlags(size_t *count) {
  return rt::guarded([&]() -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("count", count));
    *count = allFlagTexts().size();
    return {};
  });
}

MpcError *mpcCompileGetFlag(size_t index, MpcFlagInfo *info) {
  return rt::guarded([&]() -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("info", info));
    const std::vector<FlagText> &all = allFlagTexts();
    if (index >= all.size())
      return rt::usageError("there is no flag number " + std::to_string(index));
    const FlagText &text = all[index];
    MpcFlagInfo known = {sizeof(MpcFlagInfo), text.name.c_str(),
                         text.type.c_str(), text.help.c_str(),
                         text.group.c_str()};
    return rt::fillInfo("info", known, info);
  });
}

MpcError *mpcCompile(MpcModel *model, const char *const *flags, size_t numFlags,
                     const MpcCompileOptions *options, MpcProgram **program) {
  return onModel(model, [&](Model &known) -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("program", program));
    MPC_ASSIGN_OR_RETURN(
        std::string file,
        compileModel(known, flags, numFlags, options, Destination::Process));
    return rt::takeError(
        mpcProgramLoadBytes(file.data(), file.size(), nullptr, program));
  });
}

MpcError *mpcCompileFile(MpcModel *model, const char *const *flags,
                         size_t numFlags, const MpcCompileOptions *options,
                         const char *path) {
  return onModel(model, [&](Model &known) -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("path", path));
    // "-" is a file here, since standard output belongs to the host program.
    std::string target = std::string(path) == "-" ? "./-" : path;
    MPC_RETURN_IF_ERROR(rt::checkOutput(target));
    MPC_ASSIGN_OR_RETURN(
        std::string file,
        compileModel(known, flags, numFlags, options, Destination::File));
    return rt::writeOutput(target, file);
  });
}

MpcError *mpcModelExplain(MpcModel *model, const char *const *flags,
                          size_t numFlags, MpcExplainFormat format,
                          const char **text) {
  return onModel(model, [&](Model &known) -> rt::Status {
    MPC_RETURN_IF_ERROR(needs("text", text));
    Request request;
    MPC_RETURN_IF_ERROR(takeRequest(known, flags, numFlags, request));
    CompileReport report;
    MPC_RETURN_IF_ERROR(explainModel(request.flags().request, report));
    const Explanation &explanation = report.explanation;
    switch (format) {
    case MPC_EXPLAIN_TEXT:
      *text = known.keepText(toText(explanation));
      return {};
    case MPC_EXPLAIN_JSON:
      *text = known.keepText(toJson(explanation));
      return {};
    case MPC_EXPLAIN_HTML:
      *text = known.keepText(toHtml(explanation));
      return {};
    }
    return rt::usageError("format is not an MpcExplainFormat");
  });
}
