// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from kernels to CUDA C++.
#ifndef MPC_LIB_CODEGEN_CUDA_PASSES_TD
#define MPC_LIB_CODEGEN_CUDA_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttachTargetPass : Pass<"cuda-attach-target", "::mlir::ModuleOp"> {
  let summary = "State what GPU a module is for";
  let description = [{
    Gives the module a `#cuda.target` as `kernel.target`, in place of one that it
    has.
  }];
  let options = [
    Option<"arch", "arch", "int64_t", /*default=*/"80",
           "architecture: 90 for sm_90 (default: 80)">,
    Option<"letter", "letter", "std::string", /*default=*/"",
           "letter of a target for one architecture alone: a for sm_90a "
           "(default: none)">,
    Option<"naive", "naive", "bool", /*default=*/"false",
           "no Tensor Cores and no wide accesses (default: no)">,
    Option<"wide", "wide", "bool", /*default=*/"false",
           "places of 64 bits in every kernel (default: no)">,
    Option<"memory", "memory", "int64_t", /*default=*/"0",
           "bytes that a step may keep before values are computed again "
           "(default: 0, as little as can be)">,
    Option<"exact", "exact", "bool", /*default=*/"false",
           "functions with the bits of the CPU's, for results of 16 bits too "
           "(default: no)">,
  ];
  let dependentDialects = ["::mpc::cuda::CUDADialect"];
}

def CheckLaunchesPass : Pass<"cuda-check-launches", "::mlir::ModuleOp"> {
  let summary = "Check every launch against what its kernel's text assumes";
  let description = [{
    Runs behind `kernel-emit` and changes nothing. Refuses a launch

    - that gives a parameter memory whose address the widest access to it does
      not divide;
    - whose results overlap memory that the text calls `__restrict__`, or other
      elements of an input than their own;
    - of more than 2^31 - 1 blocks, or 32,764 bytes of parameters (above 4,096
      a driver of CUDA 12.1 is needed);
    - whose block has more shared memory than one may have on the module's
      `#cuda.target`, what the system reserves included;
    - whose threads a multiprocessor has too few places or registers for.

    Such a launch would fail on the device, and the process could not use the
    device any more.
  }];
}

def PrintTextPass : Pass<"cuda-print-text", "::mlir::ModuleOp"> {
  let summary = "Print the CUDA C++ of emitted kernels to standard output";
}

#endif // MPC_LIB_CODEGEN_CUDA_PASSES_TD
