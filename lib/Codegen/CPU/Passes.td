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
    `#cpu.gemm` or `#cpu.depthwise`, `#cpu.rows`, `#cpu.columns`, `#cpu.map`,
    else `#cpu.loops`. It follows from kind and shapes and from the module's
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

def ShareCodePass : Pass<"cpu-share-code", "::mlir::ModuleOp"> {
  let summary = "Give kernels that differ in sizes alone one code";
  let description = [{
    Of emitted kernels that are equal but for their sizes, the first becomes a
    function that is told the sizes that differ as arguments behind the
    kernel's, and of each kernel is left, in its `#cpu.kernel`, what it tells
    it. A network has hundreds of layers of a few kinds: so machine code is made
    for kinds, not for layers.

    A size is a constant of type `index`: an extent, a stride, an offset. Those
    that stay as they are, and by which codes differ, are numbers that lanes of
    vectors are multiplied by, and bounds of innermost loops that turn once. A
    quotient by a size is the upper half of a product with its reciprocal,
    wherever that is exact for all dividends; where it may not be, divisors are
    no sizes. A float is told as a size is. All that changes is arithmetic on
    indices, so that results keep their bits.

    What LLVM is told no more costs some kernels a few hundredths of their time,
    so that a few kernels of one kind keep a code each in a module that costs
    little to compile.
  }];
  let options = [
    Option<"leastKernels", "least-kernels", "unsigned", /*default=*/"4",
           "How many kernels have to differ in sizes alone to have one code, in "
           "a small module (default: 4); in a large one two">,
    Option<"smallOps", "small-ops", "unsigned", /*default=*/"16384",
           "The most ops that the codes of a small module have, each kind of "
           "kernels counted once (default: 16384)">,
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Number of kernels">,
    Statistic<"numCodes", "codes", "Number of codes that they have">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

#endif // MPC_LIB_CODEGEN_CPU_PASSES_TD
