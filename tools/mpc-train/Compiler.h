// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The part of mpc-train that links LLVM: the module mpc-train-compiler of the
/// same build, which is loaded where a program must be compiled. It only
/// computes values, and runs no training.
#ifndef MPC_TOOLS_MPC_TRAIN_COMPILER_H
#define MPC_TOOLS_MPC_TRAIN_COMPILER_H

#include "runtime/CommandLine/TrainTool.h"

#include <functional>
#include <memory>
#include <string>

namespace mpc {

/// The result of reading a command line.
struct CompiledTraining {
  std::string text; ///< The text that --help or --version asks for; else empty.
  rt::TrainTool tool;
  /// The program with its StartRecord, whose files have no hashes yet. It has
  /// no record where the next start with this command line may need another
  /// program.
  std::shared_ptr<rt::Program> program;
};

/// Receives warnings.
using WarningFunction = std::function<void(const std::string &)>;

} // namespace mpc

extern "C" {

/// Reads all flags, and compiles the step.
void mpcTrainCompile(int argc, char **argv, const mpc::WarningFunction &warn,
                     mpc::rt::Result<mpc::CompiledTraining> &training);

/// Gives the function that compiles the step of this command line again.
void mpcTrainRecompile(int argc, char **argv,
                       mpc::rt::Result<mpc::rt::Recompile> &recompile);
}

#endif // MPC_TOOLS_MPC_TRAIN_COMPILER_H
