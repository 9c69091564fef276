// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From kernels to loops over vectors and memory.
#ifndef MPC_LIB_CODEGEN_CPU_PASSES_TD
#define MPC_LIB_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttachTargetPass : Pass<"cpu-attach-target", "::mlir::ModuleOp"> {
  let summary = "State what CPU a module is for";
  let description = [{
    Gives the module a `#cpu.target` as `kernel.target`, in place of one that it
    has.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", /*default=*/"8",
           "f32 lanes of a vector register: 8 for AVX2, 16 for AVX-512 "
           "(default: 8)">,
    Option<"naive", "naive", "bool", /*default=*/"false",
           "run every kernel by scalar loops (default: no)">,
  ];
  let dependentDialects = ["::mpc::cpu::CPUDialect"];
}

def SchedulePass : Pass<"cpu-schedule", "::mlir::ModuleOp"> {
  let summary = "Fix how every kernel runs on a CPU";
  let description = [{
    Gives each `kernel.func` without a schedule the one of its kind:
    `#cpu.gemm`, `#cpu.rows`, `#cpu.columns`, `#cpu.map`, else
    `#cpu.loops`. It follows from kind and shapes and from the module's
    `#cpu.target`, without a target AVX2 (8 lanes), and fixes the number of
    chunks. A contraction's packed operand becomes a kernel of its own, so that
    its buffer is planned like any other.
  }];
  let dependentDialects = [
    "::mpc::cpu::CPUDialect", "::mpc::kernel::KernelDialect"
  ];
}

def EmitPass : Pass<"cpu-emit", "::mlir::ModuleOp"> {
  let summary = "Emit kernels as loops over vectors and memory";
  let description = [{
    Replaces each scheduled `kernel.func @k` by
    `func.func @k(%buffers.., %begin: index, %end: index, %scratch)`, one
    `memref` of static shape a kernel argument, which does the chunks
    `[begin, end)`. Its `kernel.emitted`, a `#cpu.kernel`, says how many there
    are. Afterwards the module holds func, scf, memref, vector, arith and math
    ops only.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // MPC_LIB_CODEGEN_CPU_PASSES_TD
