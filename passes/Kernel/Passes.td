// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on the kernel level.
#ifndef MPC_PASSES_KERNEL_PASSES_TD
#define MPC_PASSES_KERNEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def SchedulePass : Pass<"kernel-schedule", "::mlir::ModuleOp"> {
  let summary = "Fix how every kernel runs";
  let description = [{
    Gives each `kernel.func` without a schedule the one that fits its body:
    `#kernel.gemm`, `#kernel.rows`, `#kernel.columns`, `#kernel.map`, else
    `#kernel.loops`. The choice follows from maps, iterators and shapes, never
    from the names of ops, and fixes the number of chunks. A contraction's
    packed operand becomes a kernel of its own, so that its buffer is planned
    like any other.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", /*default=*/"8",
           "f32 lanes of a vector register: 8 for AVX2, 16 for AVX-512 "
           "(default: 8)">,
    Option<"naive", "naive", "bool", /*default=*/"false",
           "run every kernel by scalar loops (default: no)">,
  ];
  let dependentDialects = ["::mpc::kernel::KernelDialect"];
}

def ToCPUPass : Pass<"kernel-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Emit kernels as loops over vectors and memory";
  let description = [{
    Replaces each scheduled `kernel.func @k` by
    `func.func @k(%buffers.., %begin: index, %end: index, %scratch)`, one
    `memref` of static shape a kernel argument, which does the chunks
    `[begin, end)`. Afterwards the module holds func, scf, memref, vector,
    arith and math ops only.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", /*default=*/"8",
           "f32 lanes of a vector register (default: 8)">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // MPC_PASSES_KERNEL_PASSES_TD
