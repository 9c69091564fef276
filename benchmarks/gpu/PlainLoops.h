// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A program's kernels beside those of the same model by plain loops.
#ifndef MPC_BENCHMARKS_GPU_PLAINLOOPS_H
#define MPC_BENCHMARKS_GPU_PLAINLOOPS_H

#include "benchmarks/gpu/KernelBench.h"
#include "benchmarks/gpu/Proof.h"

namespace mpc::gpu {

/// Runs every kernel of `bench`, or the two that a sum was split into, and the
/// kernel of `plain` that computes the same, on the same small integers.
/// Kernels that differ in their names alone are compared once.
rt::Status comparePlain(KernelBench &bench, KernelBench &plain, Proof &proof);

} // namespace mpc::gpu

#endif // MPC_BENCHMARKS_GPU_PLAINLOOPS_H
