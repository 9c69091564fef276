// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What mpc-compile is told of a model, which libmpc-compiler is told in the
/// same words, and the programs that follow.
#ifndef MPC_LIB_DRIVER_FLAGS_COMPILEFLAGS_H
#define MPC_LIB_DRIVER_FLAGS_COMPILEFLAGS_H

#include "lib/Driver/Eval.h"
#include "lib/Driver/TrainingProgram.h"
#include "runtime/CommandLine/RunDefaults.h"
#include "runtime/Program/ProgramFile.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace mpc {

struct CompileFlags {
  TrainingRequest request; ///< Its model is the caller's to set.
  std::vector<std::string> levels = {"x86-64-v3"}; ///< What "cpu" stands for.
  std::vector<std::string> targets = {"cpu"};
  rt::RunFlags run; ///< What a run of the program is told by it.
  bool evaluates = false, gradients = false, training = false;
  bool evaluatesToo = false;     ///< Beside a step.
  const CLI::App *app = nullptr; ///< Whose flags these are.
};

/// Registers the flags; `flags` must outlive parsing, and keeps `app`.
void addCompileFlags(CLI::App &app, CompileFlags &flags);

/// A program for each of `flags.targets`; `warnings` are those of the model and
/// of the programs, each once.
rt::Result<rt::ProgramVariants>
compilePrograms(CompileFlags &flags, std::vector<std::string> &warnings);

/// A usage error of `flag`, which is about one shape of a batch, where there
/// are several.
rt::Status checkOneShape(const CompileFlags &flags, const std::string &flag);

/// What a run of the program is told by it.
rt::Result<rt::RunDefaults> runDefaults(const CompileFlags &flags);

/// The precisions of the flags' model, and with --loss of its loss.
rt::Result<Explanation> explainModel(const CompileFlags &flags,
                                     std::vector<std::string> &warnings);

} // namespace mpc

#endif // MPC_LIB_DRIVER_FLAGS_COMPILEFLAGS_H
