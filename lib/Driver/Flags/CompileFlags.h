// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What mpc-compile is told of a model, which libmpc-compiler is told in the
/// same words, and the programs that follow.
#ifndef MPC_LIB_DRIVER_FLAGS_COMPILEFLAGS_H
#define MPC_LIB_DRIVER_FLAGS_COMPILEFLAGS_H

#include "lib/Driver/Request.h"
#include "runtime/CommandLine/RunDefaults.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace mpc {

struct CompileFlags {
  CompileRequest request; ///< Its model is the caller's to set.
  std::vector<std::string> levels = {"x86-64-v3"}; ///< What "cpu" stands for.
  std::vector<std::string> targets = {"cpu"};
  rt::RunFlags run;              ///< What a run of the program is told by it.
  bool evaluates = false;        ///< In place of a step.
  bool evaluatesToo = false;     ///< Beside a step.
  const CLI::App *app = nullptr; ///< Whose flags these are.
};

/// Registers the flags; `flags` must outlive parsing, and keeps `app`.
void addCompileFlags(CLI::App &app, CompileFlags &flags);

/// A program for each of `flags.targets`.
rt::Result<rt::ProgramVariants> compilePrograms(const CompileFlags &flags,
                                                CompileReport &report);

/// A usage error of `flag`, which is about one shape of a batch, where there
/// are several.
rt::Status checkOneShape(const CompileFlags &flags, const std::string &flag);

/// What a run of the program is told by it.
rt::Result<rt::RunDefaults> runDefaults(const CompileFlags &flags);

} // namespace mpc

#endif // MPC_LIB_DRIVER_FLAGS_COMPILEFLAGS_H
