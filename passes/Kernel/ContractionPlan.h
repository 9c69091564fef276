// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How a contraction is blocked for CPUs: a function of shapes and strides.
#ifndef MPC_PASSES_KERNEL_CONTRACTIONPLAN_H
#define MPC_PASSES_KERNEL_CONTRACTIONPLAN_H

#include "lib/Codegen/CPU/Contraction.h"

namespace mpc::kernel {

/// The schedule of `contraction` for vectors of `lanes` f32.
GemmAttr planContraction(const cpu::Contraction &contraction,
                         const cpu::Epilogue &epilogue, int64_t lanes);

} // namespace mpc::kernel

#endif // MPC_PASSES_KERNEL_CONTRACTIONPLAN_H
