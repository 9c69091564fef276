// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From kernels to CUDA C++.
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
           "of an architecture alone: a for sm_90a (default: none)">,
    Option<"naive", "naive", "bool", /*default=*/"false",
           "no Tensor Cores and no wide accesses (default: no)">,
    Option<"wide", "wide", "bool", /*default=*/"false",
           "places of 64 bits in every kernel (default: no)">,
  ];
  let dependentDialects = ["::mpc::cuda::CUDADialect"];
}

def SchedulePass : Pass<"cuda-schedule", "::mlir::ModuleOp"> {
  let summary = "Fix how every kernel runs on a GPU";
  let description = [{
    Gives each `kernel.func` without a schedule the one of its kind:
    `#cuda.mma`, `#cuda.simt` or `#cuda.dot`, `#cuda.rows`, `#cuda.columns`,
    `#cuda.map`, else
    `#cuda.loops`. It follows from kind and shapes and from the module's
    `#cuda.target`, without a target sm_80, and fixes the grid.

    A contraction with few tiles and a long sum, as the gradient of a weight,
    becomes two kernels and launches (split-K): `NAME_slices` sums slices of k
    on their own, and the kernel adds them up, in order, before it goes on. How
    many slices there are follows from the shape.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mpc::cuda::CUDADialect",
    "::mpc::kernel::KernelDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def EmitPass : Pass<"cuda-emit", "::mlir::ModuleOp"> {
  let summary = "Emit kernels as CUDA C++";
  let description = [{
    Replaces each scheduled `kernel.func @k` by a declaration
    `func.func private @k` of the same arguments, whose `kernel.emitted`, a
    `#cuda.kernel`, has the text and the shape of its launches. The text is that of a function
    `extern "C" __global__`, which takes a pointer for each argument, uses the
    names of the prelude, and includes nothing.
  }];
  let dependentDialects = [
    "::mlir::func::FuncDialect", "::mpc::cuda::CUDADialect"
  ];
}

def CheckLaunchesPass : Pass<"cuda-check-launches", "::mlir::ModuleOp"> {
  let summary = "Hold every launch to what its kernel's text takes for granted";
  let description = [{
    Runs behind `cuda-emit` and changes nothing. Refuses a launch

    - that gives a parameter memory whose address the widest access to it does
      not divide;
    - whose results overlap memory that the text calls `__restrict__`, or other
      elements of an input than their own;
    - of more than 2^31 - 1 blocks, or 32,764 bytes of parameters (above 4,096
      a driver of CUDA 12.1 is needed);
    - whose block has more shared memory than one may have on the module's
      `#cuda.target`, what the system reserves included;
    - whose threads a multiprocessor has too few places or registers for.

    What it refuses would end on the device, and lose it to the process.
  }];
}

def PrintTextPass : Pass<"cuda-print-text", "::mlir::ModuleOp"> {
  let summary = "Print the CUDA C++ of emitted kernels to standard output";
}

#endif // MPC_LIB_CODEGEN_CUDA_PASSES_TD
