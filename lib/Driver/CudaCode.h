// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The code of a program for a GPU.
#ifndef MPC_LIB_DRIVER_CUDACODE_H
#define MPC_LIB_DRIVER_CUDACODE_H

#include "runtime/Device/CUDA/Nvrtc.h"
#include "runtime/Program/Program.h"
#include "runtime/Support/Status.h"

namespace mpc {

/// The texts of all modules of a program for a GPU, as one text.
std::string wholeText(const rt::Program &program);

/// The whole text compiled: one cubin, or PTX. An error where NVRTC is missing
/// or does not know the program's architecture.
rt::Result<std::string> compileWhole(const rt::Program &program,
                                     rt::cuda::Target::Kind kind);

} // namespace mpc

#endif // MPC_LIB_DRIVER_CUDACODE_H
