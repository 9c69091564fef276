// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The cuda dialect: schedules of kernels for NVIDIA GPUs.
#ifndef MPC_LIB_CODEGEN_CUDA_CUDADIALECT_H
#define MPC_LIB_CODEGEN_CUDA_CUDADIALECT_H

#include "dialects/Kernel/KernelDialect.h"

#include "lib/Codegen/CUDA/CUDADialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Codegen/CUDA/CUDAAttrs.h.inc"

#endif // MPC_LIB_CODEGEN_CUDA_CUDADIALECT_H
