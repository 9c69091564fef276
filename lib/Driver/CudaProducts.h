// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Kernels of a GPU that are products, as commands of a program.
#ifndef MPC_LIB_DRIVER_CUDAPRODUCTS_H
#define MPC_LIB_DRIVER_CUDAPRODUCTS_H

#include "lib/Codegen/CUDA/CUDADialect.h"
#include "runtime/Program/Commands.h"
#include "runtime/Program/Program.h"

#include <cstdint>
#include <memory>

namespace mpc {

/// The command of `launch`, which `kernel` computes, and which a library may
/// compute as `product` with at most `mostScratch` bytes of memory beside it.
/// Null where the library must not try that: see LibraryProduct::mayWrite().
std::shared_ptr<const rt::Command>
createLibraryProduct(cuda::ProductAttr product, const rt::DeviceKernel &kernel,
                     const rt::Launch &launch, uint64_t mostScratch);

} // namespace mpc

#endif // MPC_LIB_DRIVER_CUDAPRODUCTS_H
