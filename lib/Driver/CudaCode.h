// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The code of a program for a GPU.
#ifndef MPC_LIB_DRIVER_CUDACODE_H
#define MPC_LIB_DRIVER_CUDACODE_H

#include "runtime/Device/CUDA/Nvrtc.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"

namespace mpc {

/// The text of all modules of a program for a GPU, as one.
std::string wholeText(const rt::Program &program);

/// The same compiled: one cubin, or PTX. That NVRTC is missing, or does not
/// know the program's architecture, is an error.
rt::Result<std::string> compileWhole(const rt::Program &program,
                                     rt::cuda::Target::Kind kind);

} // namespace mpc

#endif // MPC_LIB_DRIVER_CUDACODE_H
