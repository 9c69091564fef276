// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The part of mpc-train that has LLVM: the module mpc-train-compiler, of the
/// same build, which is loaded where a program must be compiled. It makes
/// values, and runs nothing of a training.
#ifndef MPC_TOOLS_MPC_TRAIN_COMPILER_H
#define MPC_TOOLS_MPC_TRAIN_COMPILER_H

#include "runtime/CommandLine/TrainTool.h"

#include <functional>
#include <memory>
#include <string>

namespace mpc {

/// What a command line becomes.
struct CompiledTraining {
  std::string text; ///< What --help or --version asks for, and nothing else.
  rt::TrainTool tool;
  /// With its StartRecord, whose files have no hashes yet; it has none where
  /// the next start with this command line may need another program.
  std::shared_ptr<rt::Program> program;
};

/// Is told what there is to warn of.
using WarningFunction = std::function<void(const std::string &)>;

} // namespace mpc

extern "C" {

/// Reads all flags, and compiles the step.
void mpcTrainCompile(int argc, char **argv, const mpc::WarningFunction &warn,
                     mpc::rt::Result<mpc::CompiledTraining> &training);

/// What compiles the step of this command line again.
void mpcTrainRecompile(int argc, char **argv,
                       mpc::rt::Result<mpc::rt::Recompile> &recompile);
}

#endif // MPC_TOOLS_MPC_TRAIN_COMPILER_H
