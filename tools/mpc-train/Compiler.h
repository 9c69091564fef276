// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The part of mpc-train that has LLVM: the module mpc-train-compiler, of the
/// same build, which is loaded where a program must be compiled.
#ifndef MPC_TOOLS_MPC_TRAIN_COMPILER_H
#define MPC_TOOLS_MPC_TRAIN_COMPILER_H

#include "runtime/CommandLine/DirectStart.h"
#include "runtime/Train/NanReport.h"

extern "C" {

/// The whole tool, from its command line to its exit code. A program that it
/// compiles is kept by `start`.
int mpcTrain(int argc, char **argv, const mpc::rt::DirectStart &start);

/// Makes what looks at the steps of a training with this command line.
void mpcTrainProbe(int argc, char **argv,
                   mpc::rt::Result<mpc::rt::NanProbe> &probe);
}

#endif // MPC_TOOLS_MPC_TRAIN_COMPILER_H
