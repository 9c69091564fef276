// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on the kernel level.
#ifndef MPC_PASSES_KERNEL_PASSES_TD
#define MPC_PASSES_KERNEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerBodiesPass : Pass<"kernel-lower-bodies", "::mlir::func::FuncOp"> {
  let summary = "Replace ops by their kernel bodies";
  let description = [{
    Every op that has a kernel body (`KernelBodyOpInterface`) or a scalar body
    (`ScalarBodyOpInterface`) becomes structured ops on tensors. Afterwards the
    function holds linalg and kernel ops, constants and its return.
  }];
  let dependentDialects = ["::mpc::kernel::KernelDialect"];
}

def FusePass : Pass<"kernel-fuse", "::mlir::ModuleOp"> {
  let summary = "Group structured ops into kernels";
  let description = [{
    Outlines the structured ops of every function into `kernel.func`s and
    launches them. With `enabled`, first lets readers of pure data movement
    (broadcasts, transposes, slices, constants) read its source instead, then
    groups

    - elementwise ops over one index space,
    - row reductions over its trailing axes with the maps before, between and
      after them,
    - a contraction with the elementwise ops on its result.

    Equal kernels become one. Fusion changes no bit of any result.
  }];
  let options = [
    Option<"enabled", "enabled", "bool", /*default=*/"true",
           "fuse; otherwise every structured op is a kernel (default: yes)">,
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "kernels after merging equal ones">,
    Statistic<"numLaunches", "launches", "launches">,
  ];
  let dependentDialects = ["::mpc::kernel::KernelDialect"];
}

def PlanMemoryPass : Pass<"kernel-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Give every tensor a place in one arena";
  let description = [{
    Turns every entry function from tensors to memory: its arguments become an
    arena, the state slabs, the inputs and the outputs, every tensor a
    `memref.view` at a constant offset. Two tensors share memory only if their
    lifetimes are disjoint. A result with `amp.slab = @name` lands on the
    argument with that attribute; where the old value is still needed, a copy is
    inserted and reported as a remark.
  }];
  let statistics = [
    Statistic<"arenaBytes", "arena-bytes", "bytes of all arenas together">,
    Statistic<"numCopies", "copies", "copies inserted">,
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

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
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // MPC_PASSES_KERNEL_PASSES_TD
