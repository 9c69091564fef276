// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The flags by which mpc-compile compiles a model, and the compilation of
/// their programs. libmpc-compiler takes the same flags.
#ifndef MPC_LIB_DRIVER_FLAGS_COMPILEFLAGS_H
#define MPC_LIB_DRIVER_FLAGS_COMPILEFLAGS_H

#include "lib/Driver/Request.h"
#include "runtime/CommandLine/RunDefaults.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace mpc {

struct CompileFlags {
  CompileRequest request; ///< The request. The caller sets its model.
  std::vector<std::string> levels = {"x86-64-v3"}; ///< The meaning of "cpu".
  std::vector<std::string> targets = {"cpu"};
  rt::RunFlags run; ///< The flags of a run, whose values the program records.
  /// Whether the program is an evaluation in place of a step.
  bool evaluates = false;
  /// Whether the program has an evaluation beside its step.
  bool evaluatesToo = false;
  const CLI::App *app = nullptr; ///< The parser that parsed these flags.
};

/// Registers the flags; `flags` must outlive parsing, and keeps a pointer to
/// `app`.
void addCompileFlags(CLI::App &app, CompileFlags &flags);

/// A program for each of `flags.targets`.
rt::Result<rt::ProgramVariants> compilePrograms(const CompileFlags &flags,
                                                CompileReport &report);

/// A usage error of `flag`, which concerns one batch shape, where there are
/// several.
rt::Status checkOneShape(const CompileFlags &flags, const std::string &flag);

/// The defaults of a run that the program records.
rt::Result<rt::RunDefaults> runDefaults(const CompileFlags &flags);

} // namespace mpc

#endif // MPC_LIB_DRIVER_FLAGS_COMPILEFLAGS_H
