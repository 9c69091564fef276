// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The cpu dialect: schedules of kernels for CPUs.
#ifndef MPC_LIB_CODEGEN_CPU_CPUDIALECT_H
#define MPC_LIB_CODEGEN_CPU_CPUDIALECT_H

#include "dialects/Kernel/KernelDialect.h"

#include "lib/Codegen/CPU/CPUDialect.h.inc"
#include "lib/Codegen/CPU/CPUEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Codegen/CPU/CPUAttrs.h.inc"

#endif // MPC_LIB_CODEGEN_CPU_CPUDIALECT_H
